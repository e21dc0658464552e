# Each target installs what it needs into .venv; `make help` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
KATEX := 0.19.1

# Where the site will live; ends with a slash.
export SITE_URL ?= http://$(HOST):$(PORT)/
export SITE_URL_ZH := $(SITE_URL)zh/
# Material announces its successor at every build; README says what we do.
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.PHONY: help serve site test record mutants lint format katex clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' \
	    $(MAKEFILE_LIST)

serve: $(VENV)/docs  ## build both languages, serve them, rebuild on a change
	$(BIN)/python -m tools.serve $(HOST) $(PORT)

# Not --quiet: that drops the warnings before --strict can count them.
site: $(VENV)/docs  ## build both languages into site/, strictly
	$(BIN)/mkdocs build --strict
	$(BIN)/mkdocs build --strict --config-file mkdocs.zh.yml

test: $(VENV)/test  ## run the whole default suite
	$(BIN)/pytest

record: $(VENV)/test  ## regenerate docs/recorded/
	$(BIN)/python -m tools.record

mutants: $(VENV)/mutants  ## change the snippets in small ways, see claims fail
	$(BIN)/python -m tools.mutants $(ONLY)

lint: $(VENV)/test  ## check format and style of the Python code
	$(BIN)/ruff format --check
	$(BIN)/ruff check

format: $(VENV)/test  ## format the Python code and fix what can be fixed
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

katex:  ## fetch the pinned KaTeX from npm into the repository
	tools/katex/fetch $(KATEX)

clean:  ## remove the environment and everything built
	rm -rf $(VENV) site

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# One mark for each extra that has been installed.
$(VENV)/docs $(VENV)/test $(VENV)/mutants: $(VENV)/%: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --constraint constraints.txt --editable '.[$*]'
	@touch $@
