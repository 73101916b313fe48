# Everything a checkout needs: Python 3.11 or newer, and make. Nothing is installed outside .venv.

PYTHON ?= python3
GAME ?= witness-stand
ARGS ?=
PYTEST_ARGS ?=
DETECT_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/installed
ROOTS := shared services clients

.DEFAULT_GOAL := help
.PHONY: help setup play test test-all test-docker detect test-netns test-slow matrix lint wheel clean

help:
	@echo "make setup                  make .venv and install the project into it"
	@echo "make play [GAME=...]        play against bots; without a terminal, watch bots play and audit them"
	@echo "make test [PYTEST_ARGS=...] lint, then run every quick test that needs no Docker engine"
	@echo "make test-all               the same with the slow ones: many more games, deals and kills"
	@echo "make test-docker            run the tests of deploy/ in a Docker engine"
	@echo "make detect                 play many games with each attack, and print how often the audit names who did it"
	@echo "make test-netns             run the tests of a LAN in one machine; needs root"
	@echo "make test-slow              run the slow tests alone: more games, deals, kills, clients, a cable out for a minute"
	@echo "make matrix                 write the matrix of permissions in docs/protocol.md again"
	@echo "make lint                   ruff, mypy and the import contracts"
	@echo "make wheel                  build dist/*.whl"
	@echo "make clean                  remove .venv, dist and caches"

setup: $(STAMP)

# An editable install follows the sources by itself; only new dependencies or commands make it anew.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Chambers needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(STAMP)

play: setup
	@$(BIN)/chambers play --game $(GAME) $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(ROOTS) tests
	$(BIN)/lint-imports --no-logo

test: lint
	$(BIN)/pytest --numprocesses 2 --dist loadfile -m "not docker and not netns and not slow" $(PYTEST_ARGS)

test-all: lint
	$(BIN)/pytest -m "not docker" $(PYTEST_ARGS)

test-docker: setup
	CHAMBERS_REQUIRE_DOCKER=1 $(BIN)/pytest -m docker tests/compose $(PYTEST_ARGS)

detect: setup
	@$(BIN)/python -m tests.attacks.detection $(DETECT_ARGS)

test-netns: setup
	CHAMBERS_REQUIRE_NETNS=1 $(BIN)/pytest -m "netns and not slow" tests/lan tests/discovery $(PYTEST_ARGS)

test-slow: setup
	$(BIN)/pytest -m "slow and not docker" $(PYTEST_ARGS)

matrix: setup
	$(BIN)/python -m chambers.bus.matrix docs/protocol.md

wheel: setup
	$(BIN)/python -m build --wheel --outdir dist

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find $(ROOTS) tests -name __pycache__ -type d -prune -exec rm -rf {} +
