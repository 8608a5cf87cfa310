# `make` alone lists the targets. Two of them are all that a newcomer needs: serve and test.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PORT ?= 8000
# One question or snippet, as level/topic/name; empty means all.
Q ?=
# How many mutants `make mutants` takes; empty means all.
SAMPLE ?=

# Material announces its successor on every build.
export NO_MKDOCS_2_WARNING = 1
export PYTHONPATH = scripts
export PIP_DISABLE_PIP_VERSION_CHECK = 1

WARMUP = $(BIN)/python -m warmup

.PHONY: help serve build test lint record run new deck pdf mutants bench clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(VENV)/.site  ## Read the site at http://127.0.0.1:8000, rebuilt as you edit
	$(BIN)/mkdocs serve --dirty --dev-addr 127.0.0.1:$(PORT)

build: $(VENV)/.site  ## Build the site into site/; warnings are errors
	$(BIN)/mkdocs build --strict

pdf: export PDF = 1
pdf: build $(VENV)/.pdf  ## Build the site with a PDF of each level
	$(WARMUP) pdf

test: $(VENV)/.test  ## Run everything that needs no GPU, browser tests included
	$(WARMUP) chromium
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.test  ## Check pages, Python and workflows without running snippets
	$(BIN)/ruff check .
	$(BIN)/actionlint
	$(WARMUP) check

record: $(VENV)/.test  ## Run snippets and record what they print, with a diff (Q=level/topic/name for one)
	$(WARMUP) record $(Q)

run: $(VENV)/.test  ## Run snippets and compare with what is recorded (Q=level/topic/name for one)
	$(WARMUP) run $(Q)

new: $(VENV)/.site  ## Start a question: make new Q=junior/autograd/detach
	$(WARMUP) new $(Q)

deck: $(VENV)/.site  ## Build the Anki deck into build/; SITE_URL=https://... makes its cards link back
	$(WARMUP) deck

mutants: $(VENV)/.test  ## Break snippets on purpose and list what no test noticed (Q=... for one, SAMPLE=150 for a sample)
	$(WARMUP) mutants $(Q) $(if $(SAMPLE),--sample $(SAMPLE))

bench: $(VENV)/.test  ## Measure runner, build, reload, bytes over the wire and Lighthouse
	$(WARMUP) chromium
	$(WARMUP) bench

clean:  ## Remove everything that the targets above made
	rm -rf $(VENV) site build .cache .pytest_cache .ruff_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.site: requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -r requirements.txt
	@touch $@

$(VENV)/.pdf: requirements-pdf.txt $(VENV)/.site
	$(BIN)/python -m pip install --quiet -r requirements-pdf.txt
	@touch $@

$(VENV)/.test: requirements-test.txt requirements-pdf.txt $(VENV)/.site
	$(BIN)/python -m pip install --quiet -r requirements-test.txt
	@touch $@
