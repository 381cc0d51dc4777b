# `make` lists the targets. VENV, PYTHON, VENV_FLAGS, EXTRAS, CONSTRAINTS and WORKERS can be given.
# To keep a PyTorch that the system has:
#   make install VENV_FLAGS=--system-site-packages CONSTRAINTS=
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
VENV_FLAGS ?=
CONSTRAINTS ?= constraints.txt
PYTEST_FLAGS ?=
# Processes of the test suite; 0 runs all in one.
WORKERS ?= 2
EXTRAS ?= dev
GPU_FLAGS ?=
RUN ?=
GPU_REPORT ?= out/gpu.md

BIN := $(VENV)/bin
# One for each choice of extras: what is installed with some is not yet installed with others.
STAMP := $(VENV)/.installed-$(EXTRAS)
PIP := $(BIN)/python -m pip --disable-pip-version-check
# The shipped encoder and treebanks are on disk: nothing may reach for a network.
QUIET := TOKENIZERS_PARALLELISM=false HF_HUB_OFFLINE=1

# Tests that start no process and train nothing, but for those with the mark `slow`.
FAST := $(addprefix tests/,text modules scoring decoders data kernels)

.PHONY: help install lock test test-fast test-install soak gpu-check results check format quickstart docs bench clean

help:  ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1|\2/p' Makefile | while IFS='|' read -r target what; do \
	  printf 'make %-12s %s\n' "$$target" "$$what"; \
	done

install: $(STAMP)  ## install the package, its tools and AllenNLP into .venv

$(STAMP): setup.cfg pyproject.toml constraints.txt Makefile
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV_FLAGS) $(VENV)
	$(PIP) install --quiet $(if $(CONSTRAINTS),-c $(CONSTRAINTS)) -e '.[$(EXTRAS)]'
	$(BIN)/udify setup --quiet $(if $(CONSTRAINTS),-c $(CONSTRAINTS))
	touch $@

# uv resolves setup.cfg for all Pythons that it allows, and keeps today's pins where it can;
# `make lock LOCK_FLAGS=--upgrade` takes the newest. What `udify setup` installs comes alone.
LOCK_FLAGS ?=
LOCK = $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --no-annotate --no-header \
  $(LOCK_FLAGS)
lock: $(STAMP)  ## resolve the requirements in setup.cfg to the versions in constraints.txt
	$(PIP) install --quiet uv
	mkdir -p out/lock
	cp constraints.txt out/lock/ours.txt
	cp constraints.txt out/lock/theirs.txt
	$(LOCK) --all-extras setup.cfg --output-file out/lock/ours.txt
	$(BIN)/python -c 'from udify_command.installing import NEEDED as n; print(*map("".join, n.items()))' \
	  | tr ' ' '\n' | $(LOCK) --no-deps - --output-file out/lock/theirs.txt
	{ sed -n '/^#/p' constraints.txt; LC_ALL=C sort --unique out/lock/ours.txt out/lock/theirs.txt; } \
	  > out/lock/constraints.txt
	mv out/lock/constraints.txt constraints.txt

test: $(STAMP)  ## run all tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile $(PYTEST_FLAGS)

test-fast: $(STAMP)  ## run in a minute the tests that start no process and train nothing
	$(BIN)/python -m pytest -n $(WORKERS) -m 'not slow' $(PYTEST_FLAGS) $(FAST)

# What the README promises, where only the README was followed: a wheel in a new environment.
test-install: $(STAMP)  ## try what the README promises in a new environment without extras
	$(BIN)/python .ci/plain_install.py out/plain

# All that the suite does for seconds, for half an hour (docs/robustness.md); on loopback only.
soak: $(STAMP)  ## run the tests of robustness for half an hour
	UDIFY_SOAK=1 $(BIN)/python -m pytest -s $(PYTEST_FLAGS) tests/robustness tests/stand_in_test.py

# What a GPU does, in ten minutes; `make gpu-check GPU_FLAGS='--device cpu'` rehearses without one.
gpu-check: $(STAMP)  ## try in ten minutes what a GPU does
	$(BIN)/python benchmarks/gpu_check.py --report $(GPU_REPORT) $(GPU_FLAGS)

# What docs/results.md was measured with, and how long it takes; RUN='udify low' runs some.
results: $(STAMP)  ## train and score what docs/results.md reports
	$(BIN)/python benchmarks/results.py $(RUN)

# All of it, so that one run shows all there is to fix.
check: $(STAMP)  ## check format, style, types and English
	@failed=; \
	for part in 'ruff format --quiet --check .' 'ruff check --quiet .' 'mypy udify_allennlp udify_command udify_spacy' 'python -m docs.style'; do \
	  echo "$$part"; $(BIN)/$$part || failed+=" $${part%% --*}"; \
	done; \
	if [ "$$failed" ]; then \
	  echo "make check failed:$$failed (\`make format\` fixes what ruff can)" >&2; exit 1; \
	fi

format: $(STAMP)  ## format the code, fix what ruff can
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --quiet --fix .

QUICK := out/quickstart
TEXT := fixtures/texts/five_languages.txt
UD := fixtures/ud
export UD_TRAIN ?= $(UD)/en_ewt-ud-train.conllu
export UD_DEV ?= $(UD)/en_ewt-ud-dev.conllu
export UD_ENCODER ?= fixtures/encoder

# What comes with the package parses a text, and learns more from a small treebank.
quickstart: $(STAMP)  ## parse a text in five languages, train on a sample
	rm -rf $(QUICK)
	mkdir -p $(QUICK)
	$(QUIET) $(BIN)/allennlp predict multilingual $(TEXT) --output-file $(QUICK)/text.conllu
	$(QUIET) $(BIN)/allennlp ud-view $(QUICK)/text.conllu
	$(QUIET) $(BIN)/allennlp ud-view $(QUICK)/text.conllu --out $(QUICK)/text.html
	$(QUIET) $(BIN)/allennlp train udify_from_multilingual -s $(QUICK)/trained \
	  -o '{"trainer.least_steps": 0}'
	$(QUIET) $(BIN)/allennlp predict $(QUICK)/trained/model.tar.gz $(UD_DEV) \
	  --output-file $(QUICK)/predicted.conllu
	$(QUIET) $(BIN)/allennlp evaluate $(QUICK)/trained/model.tar.gz $(UD_DEV) \
	  --output-file $(QUICK)/metrics.json
	@echo "trees of $(TEXT): open $(QUICK)/text.html in a browser"
	@echo "trained model:    $(QUICK)/trained/model.tar.gz"
	@echo "its predictions:  $(QUICK)/predicted.conllu"
	@echo "its scores:       $(QUICK)/metrics.json"

docs: $(STAMP)  ## fill the generated parts of the pages, build the site
	$(BIN)/python -m docs.reference
	$(BIN)/mkdocs build --quiet --strict
	@echo "site: out/site/index.html"

# With treebanks and models of your own: make bench UD_ENCODER=... UD_TRAIN=... MODEL=... UD_DEV=...
# SCALE_FILES are two treebanks or more, the first of some thousand sentences.
SCALE_FILES ?= $(UD)/en_ewt-ud-train.conllu $(UD)/de_gsd-ud-train.conllu
MODEL ?= multilingual
CONFIG ?= training_config/udify_small_cpu.jsonnet
bench: $(STAMP)  ## measure speed and memory
	$(BIN)/python benchmarks/parse_bench.py $(MODEL) $(UD_DEV)
	$(BIN)/python benchmarks/train_bench.py $(CONFIG)
	$(BIN)/python benchmarks/data_bench.py $(UD_ENCODER) $(UD_TRAIN)
	$(BIN)/python benchmarks/startup_bench.py $(MODEL)
	$(BIN)/python benchmarks/trees_bench.py --lengths 10 25 50 100 --model $(MODEL) --file $(UD_DEV)
	$(BIN)/python benchmarks/labelled_trees_bench.py $(MODEL) $(UD_DEV)
	$(BIN)/python benchmarks/precision_bench.py $(MODEL) $(UD_DEV)
	$(BIN)/python benchmarks/threads_bench.py $(MODEL) $(UD_DEV)
	$(BIN)/python benchmarks/scale_bench.py $(MODEL) $(UD_ENCODER) $(SCALE_FILES)
	$(BIN)/python benchmarks/label_memory_bench.py $(UD_ENCODER)
	$(BIN)/python benchmarks/serve_bench.py $(MODEL) $(UD_DEV)
	$(BIN)/python benchmarks/tokenizer_bench.py --lang en
	$(BIN)/python benchmarks/roundtrip.py $(UD_TRAIN)
	$(BIN)/python benchmarks/scoring_bench.py $(UD_TRAIN)

clean:  ## delete what was built and cached
	rm -rf out build .pytest_cache .mypy_cache .ruff_cache .hypothesis
