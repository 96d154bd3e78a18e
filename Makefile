# `make demo` and `make test` set up all they need in .venv; python3 (3.11 or newer) with its
# venv module is all that must be there before.

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/pip install -q

export OMP_NUM_THREADS = 1
export OPENBLAS_NUM_THREADS = 1
export MKL_NUM_THREADS = 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# Holds for the isolated build too, for which newer pips read the second name. The path is
# relative because pip splits the variable at spaces.
export PIP_CONSTRAINT = constraints.txt
export PIP_BUILD_CONSTRAINT = constraints.txt

.PHONY: demo test lint proof programs bench clean

demo: $(VENV)/installed
	rm -rf build/demo
	$(BIN)/metamorph run --model code2seq --transform VN,PS --out build/demo fixtures/corpus

test: lint
	$(BIN)/pytest -n auto

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy -p metamorph -m metamorph_pytest

# METAMORPH_PROOF_SOURCES names a Java source root; a JDK must be on the PATH.
proof: $(VENV)/installed-dev
	$(BIN)/pytest -m proof

# Random programs, so many for each transformation, compiled and run before and after.
COUNT := 20000
programs: $(VENV)/installed-dev
	$(BIN)/python tests/execution/many_programs.py --count $(COUNT)

# Every figure of docs/performance.md that one machine can take.
CORPUS := fixtures/corpus
bench: $(VENV)/installed-dev
	mkdir -p build
	$(BIN)/python benchmarks/all.py $(CORPUS) > build/bench.json

# All properties on examples that are always others, hostile ones among them, for so many seconds.
SECONDS := 600
fuzz: $(VENV)/installed-dev
	end=$$(($$(date +%s) + $(SECONDS))); while [ $$(date +%s) -lt $$end ]; do \
	  METAMORPH_FUZZ=1 $(BIN)/pytest -n auto -m hypothesis || exit 1; done

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache

$(VENV)/installed-dev: $(VENV)/created pyproject.toml constraints.txt
	$(INSTALL) -e '.[dev]'
	touch $(VENV)/installed $@

$(VENV)/installed: $(VENV)/created pyproject.toml constraints.txt
	$(INSTALL) -e .
	touch $@

$(VENV)/created:
	@for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    $$python -c 'import ensurepip, venv' 2>/dev/null || { \
	      echo "make: $$python has no venv module; on Debian: apt install python3-venv" >&2; exit 1; }; \
	    $$python -m venv --clear $(VENV) && touch $@; exit; \
	  fi; \
	done; \
	echo "make: no Python 3.11 or newer on the PATH; the project needs one" >&2; exit 1
