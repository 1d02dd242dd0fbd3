# make demo   set up and run the main job on embedded data
# make test   set up and run the tests
# make coverage  the same, and which lines they reach
# make lint   ruff, import-linter and mypy
# make reproduce  the paper's tables and figures, see paper/README.md
# make test-command set up and run the tests of the command, its tables and gaps, laws, formulas,
#             models and pages
# make test-paper set up and run the tests of the paper's experiments and of the benchmarks
# make test-exports  exported laws in DuckDB, pandera, Great Expectations and dbt; tables of databases
# make relations ARGS=EQUATIONS.csv  laws among columns
# make columns ARGS="--data FOLDER"  how much a few columns say about all columns
# make reconstruction  how much of new rows is lost, against PCA and others
# make manifold  curved codes against PCA, KernelPCA, UMAP and an autoencoder (hours)
# make docs   the documentation in docs/_build/html, checked in a browser where there is one
# make bench  ratios against the literal algorithms, scikit-learn and fastcan; how time grows
# make scale  files larger than memory, and a cluster
# make sparse  sparse matrices with very many columns
# make imputation  missing values, against scikit-learn's imputers
# make test-oldest  the tests with the lowest versions that pyproject.toml claims
# make test-python PYTHON=python3.13  the tests with another Python, in a .venv of its own
# make accuracy ARGS="--data FOLDER"  loss of orthogonality against condition
# make figures  the pictures of README.md and of the site
# make clean  what the targets above made
# make soak ARGS="--minutes 30"  random tables, sources and faults against the pseudo-code
# make fuzz ARGS="--minutes 6"  coverage-guided fuzzing of model files and of tables of text
PYTHON ?= python3
VENV := .venv
# On Windows, call make from Git Bash.
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
EXE := .exe
else
BIN := $(VENV)/bin
endif

.PHONY: demo test test-command coverage test-paper test-exports test-oldest test-python test-library test-exported-laws lint docs reproduce reconstruction relations columns manifold bench scale sparse imputation accuracy soak fuzz figures clean

demo: $(VENV)/.core
	$(BIN)/python -m gramian.demo

# Commands start processes and take longer than all the rest: they have a target of their own.
COMMAND_TESTS := $(wildcard tests/test_cli_*.py tests/test_report_*.py tests/test_tables_*.py tests/test_models_*.py tests/test_levels_*.py tests/test_lookups*.py tests/test_slopes*.py tests/test_dates_*.py tests/test_relations*.py tests/test_laws_*.py tests/test_explain_*.py tests/test_gaps.py tests/test_imputer.py)

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal $(addprefix --ignore=,$(COMMAND_TESTS))

test-command: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal $(COMMAND_TESTS)

coverage: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal --cov --cov-report=term

test-paper: $(VENV)/.paper
	$(BIN)/python -m pytest -n auto --dist worksteal paper benchmarks/tests

# These programs need versions of other packages that the library does not: they have a place of
# their own.
test-exports:
	$(MAKE) test-exported-laws VENV=.venv-exports

test-exported-laws: $(VENV)/.exports
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS) $(wildcard tests/test_laws_exports*.py) tests/test_database_streams.py benchmarks/tests/test_exported_checks.py

# Old packages warn that parts of newer ones are deprecated: such warnings are shown, no errors.
test-oldest:
	$(MAKE) test-library VENV=.venv-oldest PIP_ARGS="--constraint .venv-oldest/lowest.txt" \
		ARGS="-W default::DeprecationWarning -W default::FutureWarning"

test-python:
	$(MAKE) test-library VENV=.venv-$(notdir $(PYTHON))

test-library: $(VENV)/.library
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS) tests

lint: $(VENV)/.dev
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m ruff check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m mypy

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -b html docs docs/_build/html
	$(BIN)/python -m pytest tests/test_site.py

reproduce: $(VENV)/.paper
	$(BIN)/python -m gramian_paper all $(ARGS)

reconstruction: $(VENV)/.paper
	$(BIN)/python benchmarks/reconstruction.py $(ARGS)

columns: $(VENV)/.paper
	$(BIN)/python benchmarks/columns.py $(ARGS)

relations: $(VENV)/.dev
	$(BIN)/python benchmarks/relations.py $(ARGS)

manifold: $(VENV)/.paper
	$(BIN)/python benchmarks/manifold.py --pictures $(ARGS)

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/run.py $(ARGS)

scale: $(VENV)/.dev
	$(BIN)/python benchmarks/scale.py $(ARGS)

sparse: $(VENV)/.dev
	$(BIN)/python benchmarks/sparse_matrices.py $(ARGS)

imputation: $(VENV)/.dev
	$(BIN)/python benchmarks/imputation.py $(ARGS)

accuracy: $(VENV)/.dev
	$(BIN)/python benchmarks/accuracy.py $(ARGS)

soak: $(VENV)/.dev
	$(BIN)/python tools/soak $(ARGS)

fuzz: $(VENV)/.fuzz
	$(BIN)/python tools/fuzz.py models $(ARGS)
	$(BIN)/python tools/fuzz.py tables $(ARGS)

figures: $(VENV)/.dev
	$(BIN)/python docs/figures.py

# The stamps make an install happen again only when a pyproject.toml changes.
$(BIN)/python$(EXE):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gramian needs Python 3.11 or newer; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ $(VENV)/.core

$(VENV)/.paper: pyproject.toml paper/pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m pip install --quiet --editable '.[dev]' --editable paper
	touch $@ $(VENV)/.dev $(VENV)/.core

$(VENV)/.library: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python tools/lowest.py > $(VENV)/lowest.txt
	$(BIN)/python -m pip install --quiet --editable '.[cli,report,figures,progress,sympy,onnx,files,dask,test]' $(PIP_ARGS)
	touch $@

$(VENV)/.exports: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m pip install --quiet --editable '.[cli,files,dask,test,exports]'
	touch $@

$(VENV)/.fuzz: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet atheris
	touch $@

$(VENV)/.docs: pyproject.toml | $(BIN)/python$(EXE)
	$(BIN)/python -m pip install --quiet --editable '.[dev,docs]'
	touch $@ $(VENV)/.dev $(VENV)/.core

clean:
	rm -rf $(VENV) .venv-* .fuzz docs/_build docs/gallery docs/reference/command docs/reference/generated .coverage .mypy_cache .pytest_cache .ruff_cache dist
