# Every target sets up what it needs in .venv; nothing else has to be installed by hand but Python
# 3.11 or later with its headers, and a C++20 compiler.

PYTHON ?= python3
ifeq ($(origin CXX),default)  # make's own g++, which a machine with Clang alone lacks
CXX := c++
endif
export CXX
VENV := .venv
BIN := $(VENV)/bin
CORE := $(wildcard core/*.cpp core/*.hpp core/CMakeLists.txt)
SANITIZE := build/sanitize
# Not -C, which pip knows from 23.1 on.
STRICT := --config-settings=cmake.define.CF_WERROR=ON
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test lint bench test-sanitize format clean tools

help:
	@echo "make demo           the main job on pictures drawn by code"
	@echo "make test           lint, types and tests"
	@echo "make lint           lint and types alone"
	@echo "make bench          the speed claims (takes about an hour; see benchmarks/README.md)"
	@echo "make test-sanitize  the core's tests under AddressSanitizer and UBSan (Linux with GCC)"
	@echo "make format         put code into the house format"
	@echo "make clean          remove what was built"

demo: $(VENV)/.run
	$(BIN)/conceptforest demo

test: lint
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run -Werror core/*.cpp core/*.hpp
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/forest_vs_sklearn.py
	$(BIN)/python benchmarks/forest_paper_scale.py
	$(BIN)/python benchmarks/affinity.py
	$(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/bounds.py
	$(BIN)/python benchmarks/clustering.py
	$(BIN)/python benchmarks/completion.py
	$(BIN)/python benchmarks/messages.py
	$(BIN)/python benchmarks/embed.py
	$(BIN)/python benchmarks/demo_seeds.py

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i core/*.cpp core/*.hpp

# For Linux with GCC: the sanitizers' run-time libraries must be loaded before Python.
test-sanitize: $(SANITIZE)/.installed
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
	$(SANITIZE)/venv/bin/python -m pytest tests/core tests/forest -p no:cacheprovider

$(VENV)/.run: pyproject.toml $(CORE) | tools
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q $(STRICT) -e .
	@touch $@

$(VENV)/.dev: pyproject.toml $(CORE) | tools
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q $(STRICT) -e ".[dev]"
	@touch $@ $(VENV)/.run

$(SANITIZE)/.installed: pyproject.toml $(CORE) $(wildcard src/conceptforest/*.py src/conceptforest/*/*.py) | tools
	$(PYTHON) -m venv $(SANITIZE)/venv
	$(SANITIZE)/venv/bin/pip install -q $(STRICT) \
	  --config-settings=build-dir=$(SANITIZE)/core \
	  --config-settings=cmake.define.CF_SANITIZE=ON \
	  --config-settings=cmake.build-type=RelWithDebInfo ".[dev]"
	@touch $@

HAS_HEADERS := import os, sys, sysconfig; \
  sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))

tools:
	@command -v $(PYTHON) > /dev/null || { \
	  echo "conceptforest needs Python 3.11 or later, and '$(PYTHON)' was not found."; \
	  echo "Install it, or name it: make PYTHON=/path/to/python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "conceptforest needs Python 3.11 or later; '$(PYTHON)' is $$($(PYTHON) -V 2>&1)."; \
	  echo "Name a newer one: make PYTHON=/path/to/python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null || { \
	  echo "'$(PYTHON)' cannot make virtual environments."; \
	  echo "On Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -c '$(HAS_HEADERS)' || { \
	  echo "conceptforest compiles its core, and '$(PYTHON)' has no headers (Python.h)."; \
	  echo "On Debian or Ubuntu: apt-get install python3-dev"; exit 1; }
	@command -v $(CXX) > /dev/null || { \
	  echo "conceptforest compiles its core, and no C++ compiler ('$(CXX)') was found."; \
	  echo "On Debian or Ubuntu: apt-get install g++. On macOS: xcode-select --install."; \
	  echo "Or name one: make CXX=/path/to/g++"; exit 1; }
	@echo 'static_assert(__cplusplus >= 202002L);' | $(CXX) -std=c++20 -x c++ -fsyntax-only - \
	  2> /dev/null || { \
	  echo "conceptforest needs C++20: GCC 11 or later, or Clang 14 or later."; \
	  echo "'$(CXX)' is $$($(CXX) --version 2>&1 | head -n 1). Name a newer one: make CXX=..."; \
	  exit 1; }

clean:
	rm -rf build $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis demo-output
