# make demo   set up and run the main job on embedded data
# make test   set up and run the tests, with coverage
# make lint   ruff and mypy
# make reproduce  the paper's tables and figures, see paper/README.md
# make test-paper set up and run the tests of the paper's experiments
# make reconstruction  how much of new rows is lost, against PCA and others
# make docs   the documentation in docs/_build/html, checked in a browser where there is one
# make bench  ratios against the literal algorithms, scikit-learn and fastcan; how time grows
# make scale  files larger than memory, and a cluster
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-paper lint docs reproduce reconstruction bench scale figures clean

demo: $(VENV)/.core
	$(BIN)/python -m gramian.demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term

test-paper: $(VENV)/.paper
	$(BIN)/python -m pytest -n auto --dist worksteal paper

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(VENV)/.docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs docs/_build/html
	$(BIN)/python -m pytest tests/test_site.py

reproduce: $(VENV)/.paper
	$(BIN)/python -m gramian_paper all $(ARGS)

reconstruction: $(VENV)/.paper
	$(BIN)/python benchmarks/reconstruction.py $(ARGS)

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py $(ARGS)

scale: $(VENV)/.dev
	$(BIN)/python benchmarks/scale.py $(ARGS)

figures: $(VENV)/.dev
	$(BIN)/python docs/figures.py

# The stamps make an install happen again only when a pyproject.toml changes.
$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gramian needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.core

$(VENV)/.paper: pyproject.toml paper/pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]' --editable paper
	touch $@ $(VENV)/.dev $(VENV)/.core

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev,docs]'
	touch $@ $(VENV)/.dev $(VENV)/.core

clean:
	rm -rf $(VENV) docs/_build docs/gallery docs/reference/command docs/reference/generated .coverage .mypy_cache .pytest_cache .ruff_cache dist
