# Everything runs from a virtual environment that the first target makes; only Python 3.11 and make are needed.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

.PHONY: demo test typecheck lint format interop bench docs clean
.DEFAULT_GOAL := test

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q --disable-pip-version-check -e '.[test]'
	touch $@

demo: $(READY)            ## script, save, load, run and export a streaming voice-activity model
	$(PY) samples/demo/run.py

test: $(READY)            ## the whole test suite, the linter and the type checker
	$(PY) -m ruff check .
	$(PY) -m pytest -n 2
	$(MAKE) typecheck

lint: $(READY)
	$(PY) -m ruff check .

format: $(READY)
	$(PY) -m ruff format .

# mypy cannot follow the mapping of root folders to linstock.*, so it sees a tree of links laid out as installed
typecheck: $(READY)
	$(PY) tests/typed_tree.py build/typed
	cd build/typed && MYPYPATH=. ../../$(PY) -m mypy --config-file ../../pyproject.toml --strict -p linstock

interop: $(READY)         ## also compare with PyTorch (installs torch==2.13.0)
	$(PY) -m pip install -q --disable-pip-version-check -e '.[test,interop]'
	$(PY) -m pytest -n 2 -m interop

docs: $(READY)            ## regenerate docs/operators.md
	$(PY) -m linstock.cli ops --markdown > docs/operators.md

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
