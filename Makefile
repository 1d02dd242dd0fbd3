# make demo   set up and run the main job on embedded data
# make test   set up and run the tests, with coverage
# make lint   ruff and mypy
# make reproduce  the paper's tables and figures, see gramian reproduce --help
# make reconstruction  how much of new rows is lost, against PCA and others
# make docs   the documentation in docs/_build/html, checked in a browser where there is one
# make bench  ratios against the literal algorithms, scikit-learn and fastcan; how time grows
# make scale  files larger than memory, and a cluster
# make accuracy ARGS="--data FOLDER"  loss of orthogonality against condition
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint docs reproduce reconstruction bench scale accuracy figures clean

demo: $(VENV)/.core
	$(BIN)/python -m gramian.demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

docs: $(VENV)/.docs
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs docs/_build/html
	$(BIN)/python -m pytest tests/test_site.py

reproduce: $(VENV)/.dev
	$(BIN)/gramian reproduce all $(ARGS)

reconstruction: $(VENV)/.dev
	$(BIN)/python benchmarks/reconstruction.py $(ARGS)

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py $(ARGS)

scale: $(VENV)/.dev
	$(BIN)/python benchmarks/scale.py $(ARGS)

accuracy: $(VENV)/.dev
	$(BIN)/python benchmarks/accuracy.py $(ARGS)

figures: $(VENV)/.dev
	$(BIN)/python docs/figures.py

# The stamps make an install happen again only when pyproject.toml changes.
$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gramian needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.core

$(VENV)/.docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev,docs]'
	touch $@ $(VENV)/.dev $(VENV)/.core

clean:
	rm -rf $(VENV) docs/_build docs/gallery docs/reference/command docs/reference/generated .coverage .mypy_cache .pytest_cache .ruff_cache dist
