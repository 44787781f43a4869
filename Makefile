# Short commands for the CMake presets. Everything lands in build/; a second run does only what changed.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
CTEST_ARGS ?=
BENCH_ARGS ?=
FUZZ_ARGS ?=
TARGETS ?=
CONFIGURE = cmake --log-level=WARNING $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
CTEST = ctest --output-on-failure --no-tests=error -j 2
PYTHON = build/peers/bin/python
SELECTORS_PYTHON = build/selectors/bin/python
# Tests that are given bad input: those of `make hostile`.
HOSTILE = ^(readers|dataset|options|study|support|fuzz)\.|^command\.BadInput
SITE_PACKAGES = 'import sysconfig; print(sysconfig.get_path("purelib"))'

.DEFAULT_GOAL := help
.PHONY: help build demo test test-torch hostile fuzz lint format asan asan-python tsan check-processors docs clean bootstrap bench-build bench-train_step bench-vs_pytorch \
        bench-csv bench-precision bench-quality bench-evidence bench-control bench-size bench-tables bench-growth bench-vs_sklearn bench-choice bench-study bench-families bench-puzzles bench-python bench-selectors bench-arena \
        bench-gpu_sweep bench-gpu_parity bench-gpu_neighbours

help:  ## this list
	@awk -F ':.*## ' '/^[a-z_-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

bootstrap:
	@scripts/bootstrap

build: bootstrap  ## the command, at build/release/obverse
	@[ build/release/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS) --target obverse_command

demo: build  ## select features from data made by the program, and compare with the truth
	@build/release/obverse demo

test:  ## build everything and run all tests; CTEST_ARGS='-L unit' runs some of them
	@scripts/bootstrap python test
	@[ build/release/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset release >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@$(CTEST) --test-dir build/release $(CTEST_ARGS)
	@scripts/format --check

# PyTorch is too large for every machine that runs `make test`, where these tests are reported as skipped. Here they may not be.
test-torch: build/peers/.ready  ## the tests of obverse.torch, with the PyTorch of the benchmarks (build/peers)
	@$(PYTHON) -m pytest -q -p no:cacheprovider tests/python/test_torch.py

hostile:  ## damaged files, stores and options under the address and undefined behaviour sanitizers; part of CI
	@scripts/bootstrap
	@[ build/hostile/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset hostile >/dev/null
	@cmake --build --preset hostile -j $(JOBS)
	@$(CTEST) --test-dir build/hostile -R '$(HOSTILE)' -LE slow $(CTEST_ARGS)

fuzz:  ## libFuzzer on every reader and format; TARGETS="csv mat", SECONDS=60 or RUNS=1000000 for each
	@scripts/bootstrap fuzz
	@[ build/fuzz/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset fuzz >/dev/null
	@cmake --build --preset fuzz -j $(JOBS)
	@scripts/fuzz --jobs $(JOBS) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(RUNS),--runs $(RUNS)) $(FUZZ_ARGS) $(TARGETS)

lint:  ## format, warnings of both compilers as errors, clang-tidy; only what changed since the last run
	@scripts/bootstrap lint
	@scripts/format --check
	@[ build/dev/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset dev >/dev/null
	@cmake --build build/dev -j $(JOBS)
	@[ build/lint/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset dev -B build/lint -DCMAKE_CXX_COMPILER=clang++ >/dev/null
	@cmake --build build/lint -j $(JOBS)
	@scripts/lint build/lint $(JOBS)

format:  ## rewrite our sources in the house style
	@scripts/bootstrap lint
	@scripts/format

asan: bootstrap  ## the tests under the address and undefined behaviour sanitizers
	@[ build/asan/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset asan >/dev/null
	@cmake --build --preset asan -j $(JOBS)
	@$(CTEST) --test-dir build/asan -L 'unit|command' $(CTEST_ARGS)

tsan: bootstrap  ## the tests that run threads under the thread sanitizer
	@[ build/tsan/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset tsan >/dev/null
	@cmake --build --preset tsan -j $(JOBS)
	@TSAN_OPTIONS="suppressions=$(CURDIR)/scripts/tsan.supp" \
	  $(CTEST) --test-dir build/tsan -R '^(trainer|selection|downstream|metrics|baselines|evaluation|comparison|support|backend|readers)\.' -LE slow $(CTEST_ARGS)

asan-python: bootstrap  ## the tests of the Python package with an engine under the sanitizers; after make test
	@CMAKE_CXX_COMPILER_LAUNCHER=$(shell command -v ccache) scripts/python-asan

check-processors:  ## the tests as processors that this machine is not: without AVX, with AVX2, with a false AMX, arm64
	@scripts/bootstrap processors
	@[ build/release/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset release >/dev/null
	@scripts/check-processors $(PROCESSORS)

docs: build  ## docs/options.md, written by the command itself
	@build/release/obverse options --markdown > docs/options.md

bench-build:
	@scripts/bootstrap bench
	@[ build/bench/build.ninja -nt CMakePresets.json ] || $(CONFIGURE) --preset bench >/dev/null
	@cmake --build --preset bench -j $(JOBS)

# PyTorch, scikit-learn, pandas, polars and pyarrow, in a virtual environment of their own.
build/peers/.ready: bench/requirements.txt
	@scripts/bootstrap python
	@[ -x $(PYTHON) ] || /usr/bin/python3 -m venv build/peers
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --upgrade -r $<
	@touch $@

# The Python package in the environment of its tests.
build/python/ready: pyproject.toml $(wildcard python/* python/*/*) build/release/obverse
	@scripts/bootstrap python
	@scripts/python-package build/python

# LassoNet, STG and Boruta in an environment above that one: it finds there what it does not hold itself.
build/selectors/.ready: bench/requirements-selectors.txt build/peers/.ready build/python/ready
	@[ -x $(SELECTORS_PYTHON) ] || /usr/bin/python3 -m venv build/selectors
	@$(PYTHON) -c $(SITE_PACKAGES) > "$$($(SELECTORS_PYTHON) -c $(SITE_PACKAGES))/peers.pth"
	@$(SELECTORS_PYTHON) -m pip install --quiet --disable-pip-version-check --use-pep517 --upgrade -r $<
	@$(SELECTORS_PYTHON) -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps build/wheel/dist/*.whl
	@touch $@

bench-train_step: bench-build  ## rate of one training step and of a sweep, against the limit of the processor
	@build/bench/bench_train_step $(BENCH_ARGS)

bench-families: bench-build  ## time of a step of every family of masks, alone and with its complement
	@build/bench/bench_families $(BENCH_ARGS)

bench-puzzles: bench-build  ## which methods find the true features of xor, ring and their mixtures
	@build/bench/bench_puzzles $(BENCH_ARGS)

bench-vs_pytorch: bench-build build/peers/.ready  ## the same network trained by PyTorch
	@$(PYTHON) bench/vs_pytorch.py --ours build/bench/bench_train_step $(BENCH_ARGS)

# MNIST, as the names of files that --data and --labels take; nothing where it is not there.
MNIST = $(wildcard ../shared/data/mnist/train-images-idx3-ubyte.gz)
bench-gpu_sweep: bench-build build/peers/.ready  ## a sweep of 35 models on a GPU, against PyTorch; BENCH_ARGS=--quick
	@$(PYTHON) bench/gpu_sweep.py --binary build/bench/bench_gpu_sweep \
	  $(if $(MNIST),--data $(MNIST) --labels $(subst images-idx3,labels-idx1,$(MNIST))) $(BENCH_ARGS)

bench-gpu_parity: build  ## what is selected on a GPU against what is on the processor, MNIST and isolet
	@python3 bench/gpu_parity.py --binary build/release/obverse --data ../shared/data $(BENCH_ARGS)

bench-gpu_neighbours: bench-build  ## nearest rows on a GPU, against the processor's
	@build/bench/bench_gpu_neighbours $(BENCH_ARGS)

bench-csv: bench-build build/peers/.ready  ## reading a 500 MB file, against pandas, polars and pyarrow
	@$(PYTHON) bench/csv_peers.py --ours build/bench/bench_csv $(BENCH_ARGS)

bench-vs_sklearn: bench-build build/peers/.ready  ## forests and nearest neighbours, against scikit-learn's
	@$(PYTHON) bench/vs_sklearn.py --ours build/bench/bench_downstream --plot build/bench/forest_growth.svg $(BENCH_ARGS)

bench-choice: bench-build build/peers/.ready  ## which judge chooses best between the models of a sweep
	@$(PYTHON) bench/quality/choice.py --program build/bench/bench_choice $(BENCH_ARGS)

bench-quality: build bench-build build/peers/.ready  ## accuracy with the selected features on the benchmark sets
	@$(PYTHON) bench/quality/quality.py --obverse build/release/obverse --sweep build/bench/bench_quality $(BENCH_ARGS)

bench-precision: build  ## whether bf16 selects as well as f32 on the benchmark sets; BENCH_ARGS='--runs 3'
	@python3 bench/quality/precision.py --obverse build/release/obverse --data ../shared/data --store build/precision.db $(BENCH_ARGS)

bench-evidence: build build/peers/.ready  ## what select says of noise, weak signals and its own score; half an hour
	@$(PYTHON) bench/evidence.py --obverse build/release/obverse --jobs $(JOBS) $(BENCH_ARGS)

bench-control: build build/selectors/.ready  ## how many false features --control pfer=1 accepts, and true ones beside Boruta; an hour
	@$(SELECTORS_PYTHON) bench/control.py --obverse build/release/obverse --jobs $(JOBS) $(BENCH_ARGS)

bench-size: build build/peers/.ready  ## how many features select takes on real sets, held to test rows; what finding out costs
	@$(PYTHON) bench/size.py --obverse build/release/obverse --jobs $(JOBS) $(BENCH_ARGS)

bench-tables: build bench-build build/peers/.ready  ## columns selected from real tables, against scikit-learn behind the usual pipeline
	@$(PYTHON) bench/tables.py --obverse build/release/obverse --bench build/bench/bench_csv --jobs $(JOBS) $(BENCH_ARGS)

bench-growth: build build/peers/.ready  ## time and memory against rows and columns
	@$(PYTHON) bench/growth.py --obverse build/release/obverse $(BENCH_ARGS)

bench-python: build build/python/ready  ## what fit in Python costs beside the command; BENCH_ARGS=--sparse: a wide sparse matrix too; --path: several k
	@build/python/bin/python bench/python_overhead.py --obverse build/release/obverse $(BENCH_ARGS)

bench-study: build build/peers/.ready  ## the paper's study, against PyTorch and scikit-learn; --store FILE takes a finished one
	@$(PYTHON) bench/vs_study.py --obverse build/release/obverse $(BENCH_ARGS)

bench-selectors: build/selectors/.ready  ## time and accuracy of feature selectors: LassoNet, STG, Boruta, scikit-learn's; hours
	@$(SELECTORS_PYTHON) bench/vs_selectors.py $(BENCH_ARGS)

# LassoNet, STG and Boruta are needed with --full alone.
ARENA = $(if $(findstring --full,$(BENCH_ARGS)),build/selectors,build/peers)
bench-arena: build $(ARENA)/.ready  ## the defaults beside every baseline, published figures, puzzles; an hour, BENCH_ARGS=--full: more
	@$(ARENA)/bin/python bench/arena.py --obverse build/release/obverse --jobs $(JOBS) $(BENCH_ARGS)

clean:  ## remove what was built, but not the Python peers
	@find build -mindepth 1 -maxdepth 1 ! -name peers ! -name selectors -exec rm -rf {} +
