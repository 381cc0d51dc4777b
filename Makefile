# `make` lists the targets. Variables: VENV, PYTHON, VENV_FLAGS, EXTRAS, CONSTRAINTS, WORKERS.
# To use the PyTorch of the system:
#   make install VENV_FLAGS=--system-site-packages CONSTRAINTS=
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
VENV_FLAGS ?=
CONSTRAINTS ?= constraints.txt
PYTEST_FLAGS ?=
# Number of test processes; 0 runs all tests in one.
WORKERS ?= 2
EXTRAS ?= dev
GPU_FLAGS ?=
RUN ?=
GPU_REPORT ?= out/gpu.md

BIN := $(VENV)/bin
# One stamp per choice of extras: an installation with some lacks the others.
STAMP := $(VENV)/.installed-$(EXTRAS)
PIP := $(BIN)/python -m pip --disable-pip-version-check
# The shipped encoder and treebanks are on disk, so no network is needed.
QUIET := TOKENIZERS_PARALLELISM=false HF_HUB_OFFLINE=1

# Folders of tests without processes and training, except those marked `slow`.
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

# uv resolves setup.cfg for all supported Pythons and keeps current pins where possible;
# `make lock LOCK_FLAGS=--upgrade` takes the newest. Packages that `udify setup` installs are resolved
# without their requirements.
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

test-fast: $(STAMP)  ## run the tests without processes and training, in a minute
	$(BIN)/python -m pytest -n $(WORKERS) -m 'not slow' $(PYTEST_FLAGS) $(FAST)

# Installs a wheel as the README says, in a new environment.
test-install: $(STAMP)  ## try the README's commands in a new environment without extras
	$(BIN)/python .ci/plain_install.py out/plain

# The suite runs these tests for seconds (docs/robustness.md); on loopback only.
soak: $(STAMP)  ## run the robustness tests for half an hour
	UDIFY_SOAK=1 $(BIN)/python -m pytest -s $(PYTEST_FLAGS) tests/robustness tests/stand_in_test.py

# `make gpu-check GPU_FLAGS='--device cpu'` rehearses without a GPU.
gpu-check: $(STAMP)  ## check all GPU code on a GPU, in ten minutes
	$(BIN)/python benchmarks/gpu_check.py --report $(GPU_REPORT) $(GPU_FLAGS)

# Without RUN, lists the studies of docs/results.md and their hours; RUN='udify low' runs some.
results: $(STAMP)  ## list or run the studies that docs/results.md reports
	$(BIN)/python benchmarks/results.py $(RUN)

# Runs all parts, so that one run shows all faults.
check: $(STAMP)  ## check format, style, types and English
	@failed=; \
	for part in 'ruff format --quiet --check .' 'ruff check --quiet .' 'mypy udify_allennlp udify_command udify_spacy' 'python -m docs.style'; do \
	  echo "$$part"; $(BIN)/$$part || failed+=" $${part%% --*}"; \
	done; \
	if [ "$$failed" ]; then \
	  echo "make check failed:$$failed (\`make format\` applies ruff's fixes)" >&2; exit 1; \
	fi

format: $(STAMP)  ## format the code and apply ruff's fixes
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --quiet --fix .

QUICK := out/quickstart
TEXT := fixtures/texts/five_languages.txt
UD := fixtures/ud
export UD_TRAIN ?= $(UD)/en_ewt-ud-train.conllu
export UD_DEV ?= $(UD)/en_ewt-ud-dev.conllu
export UD_ENCODER ?= fixtures/encoder

# The shipped model parses a text and is fine-tuned on a small treebank.
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

docs: $(STAMP)  ## update the generated parts of the pages and build the site
	$(BIN)/python -m docs.reference
	$(BIN)/mkdocs build --quiet --strict
	@echo "site: out/site/index.html"

# With your own treebanks and models: make bench UD_ENCODER=... UD_TRAIN=... MODEL=... UD_DEV=...
# SCALE_FILES are at least two treebanks, the first with some thousand sentences.
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

clean:  ## delete build outputs and caches
	rm -rf out build .pytest_cache .mypy_cache .ruff_cache .hypothesis
