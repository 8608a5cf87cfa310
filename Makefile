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
# The range of torch that a recorded variant is for, as in from-2.14 or before-2.12.
VARIANT ?=
# One of the steps of `make wasm`: fetch, attest, check or run; empty means all, one after another.
STEP ?=
# One of the parts of `make bench`: sizes, build, visits or runner; empty means all.
PART ?=
# Whether `make test` also runs what was green here before and has not changed: 1 for yes.
ALL ?=
# Which part of all outputs and claims `make record-check` takes, as in 1/4; empty means all.
SHARE ?=
# How many mutants `make mutants` takes; empty means all.
SAMPLE ?=

# Material announces its successor on every build.
export NO_MKDOCS_2_WARNING = 1
export PYTHONPATH = scripts
# What would turn asserts off, or open a prompt at the end.
unexport PYTHONOPTIMIZE PYTHONINSPECT PYTHONSTARTUP
export PIP_DISABLE_PIP_VERSION_CHECK = 1

WARMUP = $(BIN)/python -m warmup

INSTALL = $(BIN)/python -m pip install --quiet -c constraints.txt

.PHONY: help serve build test live test-live wasm write snippets lint page record record-check versions claims run draw lab new deck pdf mutants bench constraints clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(VENV)/.site  ## Read the site at http://127.0.0.1:8000, rebuilt as you edit
	$(BIN)/mkdocs serve --dirty --dev-addr 127.0.0.1:$(PORT)

build: $(VENV)/.site  ## Build the site into site/; warnings are errors
	$(BIN)/mkdocs build --strict

pdf: export PDF = 1
pdf: build $(VENV)/.pdf  ## Build the site with a PDF of each level
	$(WARMUP) pdf

test: $(VENV)/.test  ## Run what needs no GPU, browser tests included, and was not green here before (ALL=1: run all)
	$(WARMUP) chromium
	$(BIN)/python -m pytest -n auto --ignore=tests/live --green=.cache/green.json

live: export LIVE = 1
live: $(VENV)/.live  ## Read the site and run its programs on your own machine, at an address that it prints
	$(BIN)/mkdocs build --quiet --site-dir build/live
	@$(BIN)/python -P -m warmup live build/live $(if $(filter file,$(origin PORT)),,--port $(PORT))

test-live: $(VENV)/.live  ## Run each program through its page, and try to break in
	$(WARMUP) chromium
	$(BIN)/python -m pytest -n auto tests/live

wasm: $(VENV)/.site  ## Fetch, verify and try what browsers need to run programs (STEP=fetch for one of these steps)
	@set -e; for step in $(or $(STEP),fetch attest check run); do $(WARMUP) wasm $$step; done

write: $(VENV)/.test  ## Write an exercise from memory, judged whenever you save it (Q=causal-attention)
	@$(WARMUP) write $(Q)

snippets: $(VENV)/.test  ## Run the tests that depend on torch and Python: snippets, claims and outputs
	$(BIN)/python -m pytest -n auto tests/snippets tests/test_outputs.py

# Each says all that it finds: what one of them finds must not hide what the next would.
lint: $(VENV)/.test  ## Check pages, Python, scripts and workflows without running snippets
	@failed=0; \
	$(BIN)/ruff check . || failed=1; \
	$(BIN)/ruff format --check . || failed=1; \
	$(BIN)/mypy --no-error-summary || failed=1; \
	$(BIN)/oxlint --deny-warnings docs scripts/warmup || failed=1; \
	$(BIN)/actionlint || failed=1; \
	$(BIN)/zizmor --offline --pedantic --strict-collection --no-progress --quiet .github || failed=1; \
	$(WARMUP) check || failed=1; \
	exit $$failed

page: $(VENV)/.test  ## Check one page, its outputs and its claims, and build it (Q=level/topic/slug)
	@$(WARMUP) page $(Q)

record: $(VENV)/.test  ## Run snippets and record what they print, with a diff (Q=level/topic/name for one)
	$(WARMUP) record $(Q) $(if $(VARIANT),--variant $(VARIANT))

record-check: $(VENV)/.test  ## Compare outputs (Q=... for one, SHARE=1/4 for a part) and claims on emulated machines
	$(WARMUP) record-check $(Q) $(if $(Q),,--claims) $(if $(SHARE),--part $(SHARE))

versions: $(VENV)/.test  ## Run outputs and claims with the installed torch and note that they hold
	$(WARMUP) versions

run: $(VENV)/.test  ## Run snippets and compare with what is recorded (Q=level/topic/name for one)
	$(WARMUP) run $(Q)

claims: $(VENV)/.site  ## List the sentences of a page that promise most, for its second reader (Q=level/topic/slug)
	$(WARMUP) claims $(Q)

draw: $(VENV)/.site  ## Draw diagrams from their Graphviz sources (Q=docs/level/topic/name.dot for one)
	$(WARMUP) draw $(Q)

lab: $(VENV)/.test  ## Execute labs and record what they print and draw (Q=attention-cost for one)
	$(WARMUP) lab $(Q)

new: $(VENV)/.site  ## Start a question: make new Q=junior/autograd/detach
	$(WARMUP) new $(Q)

deck: $(VENV)/.site  ## Build the Anki deck into build/; SITE_URL=https://... makes its cards link back
	$(WARMUP) deck

mutants: $(VENV)/.test  ## Break snippets on purpose and list what no test noticed (Q=... for one, SAMPLE=150 for a sample)
	$(WARMUP) mutants $(Q) $(if $(SAMPLE),--sample $(SAMPLE))

bench: $(VENV)/.test  ## Measure pages, build, visits and the runner (PART=sizes for one of these)
	$(WARMUP) bench $(PART)

# For the runner and the Python of pages.yml, all files of each release, and not a word about any registry.
RESOLVE = requirements.txt requirements-pdf.txt --constraint constraints.txt --python-version 3.12 --python-platform linux \
  --only-binary :all: --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links

# With the oldest Python: what it can install, newer ones can too.
constraints:  ## Resolve the requirements afresh and pin all packages in constraints.txt, for pages.yml in hashes.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' \
	  || { echo "The oldest supported Python is needed: make constraints PYTHON=python3.11" >&2; exit 1; }
	rm -rf build/constraints
	$(PYTHON) -m venv build/constraints
	build/constraints/bin/python -m pip install --quiet -r requirements.txt -r requirements-test.txt -r requirements-live.txt
	build/constraints/bin/python -m warmup constraints
	build/constraints/bin/python -m pip install --quiet uv
	build/constraints/bin/python -m uv pip compile --quiet $(RESOLVE) --output-file hashes.txt
	rm -rf build/constraints

clean:  ## Remove everything that the targets above made
	rm -rf $(VENV) site build .cache .pytest_cache .ruff_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' \
	  || { echo "Python 3.11.5 or newer is needed: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.site: requirements.txt constraints.txt | $(VENV)/bin/python
	$(INSTALL) -r requirements.txt
	@touch $@

$(VENV)/.pdf: requirements-pdf.txt $(VENV)/.site
	$(INSTALL) -r requirements-pdf.txt
	@touch $@

# What is published is built with files that hashes.txt names, from whatever index they come; nothing of theirs runs first.
$(VENV)/.hashed: hashes.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r hashes.txt
	@touch $(VENV)/.site $(VENV)/.pdf $@

$(VENV)/.live: requirements-live.txt $(VENV)/.test
	$(INSTALL) -r requirements-live.txt
	@touch $@

$(VENV)/.test: requirements-test.txt requirements-pdf.txt $(VENV)/.site
	$(INSTALL) -r requirements-test.txt
	@touch $@
