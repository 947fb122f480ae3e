# `make` alone lists what can be asked for. Everything a target needs is installed into .venv first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CARGO := cargo
# The crates that must stay free of threads, files, clocks and environment.
PURE := -p farlink-kernel -p farlink-tcp -p farlink-network -p farlink-scenario
DEMO := reno westwood hybla enhanced_hybla
# Empty where there is no Node that can build the laboratory's page; where CI is set its tests then fail.
NODE := $(shell command -v npm >/dev/null && node -p 'process.versions.node.split(".")[0] < 20 ? "" : "node"' 2>/dev/null)

# Cargo would look for make's job server, which recipes do not get.
unexport MAKEFLAGS MFLAGS

.DEFAULT_GOAL := help
.PHONY: help demo test test-rust test-python test-recipes lint lint-rust lint-python lint-wasm build wheel smoke docs lock tshark \
	valgrind ratchet ratchet-lower bench-peers bench-radio bench-sweep bench-start bench-class bench-frn verify-tuning verify-utilisation verify-kernel chromium look dialogues-upstream networks hashes hashes-other-cpu \
	faults fuzz fuzz-quick campaign cargo-fuzz audit clean

# One at a time: apt-get refuses to run beside another.
install = { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && flock /tmp/farlink-apt sh -c 'apt-get update -qq \
	&& DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $(1) >/dev/null'; }

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## which of four TCPs wins on a lossy satellite link: a table and a picture
	$(BIN)/python -m farlink.demo $(DEMO) --picture results/satellite.png

test: test-python test-rest ## all tests (installs what they need)

# What most changes break, once everything is built.
QUICK_TESTS := tests/architecture tests/language tests/python studies
.PHONY: check
check: lint-rust lint-python test-rust ## lints, the tests in Rust and the quick ones in Python: under five minutes, once built
	$(BIN)/python -m pytest --numprocesses auto -m 'not slow' $(QUICK_TESTS)

.PHONY: test-rest
test-rest: test-lab test-rust test-recipes ratchet

test-rust:
	$(CARGO) test --workspace --locked

# The examples of the recipes, added to a copy of the sources.
test-recipes:
	$(PYTHON) tests/recipes/recipes.py

test-python: build tshark
	$(BIN)/python -m pytest --numprocesses auto --ignore tests/site --ignore tests/release

lint: lint-rust lint-wasm lint-python ## formatting, clippy, types, and the borders of the engine

lint-rust:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS='-D warnings -A rustdoc::private_intra_doc_links' $(CARGO) doc --workspace --no-deps --locked --quiet

lint-python: build
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

# A target without operating system; clippy.toml forbids the engine clocks, threads, files and environment.
lint-wasm:
	@if rustup target add wasm32-unknown-unknown; then \
		$(CARGO) check $(PURE) -p farlink-web --locked --target wasm32-unknown-unknown; \
	else \
		echo "!!! NOT CHECKED: wasm32-unknown-unknown cannot be installed here !!!" >&2; \
	fi

# BUILT=1: a call of make before this one has built the package.
ifdef BUILT
build:
else
build: $(VENV)/installed-studies ## the package and the studies, release build, importable from .venv
	PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/maturin develop --release --locked --quiet
endif

# After `build`: maturin keeps one library for both, and two at a time lose it.
wheel: build $(if $(NODE),lab-page) ## wheels in dist/ for Python 3.10 and newer: the package, under 15 MB, and the studies
	rm -f dist/*.whl
	$(BIN)/maturin build --release --locked --out dist
	@$(call build_studies,wheel,dist)
	@size=$$(stat -c %s dist/farlink-*.whl); echo "wheel: $$size bytes"; test $$size -lt 15000000

# Files of the studies' package, which has no compiled part: $(1) is wheel or sdist, $(2) the folder.
build_studies = cd studies && $(abspath $(BIN))/hatchling build --target $(1) --directory ../$(2)

# Only those for x86_64 manylinux are run; tests/release inspects what is in the others.
.PHONY: wheels wheels-reproduced sdist sdist-clean-root lint-workflow
PLATFORMS ?= manylinux-x86_64 manylinux-aarch64 musllinux-x86_64 windows-x86_64
wheels: mingw $(VENV)/installed-release $(if $(NODE),lab-page) ## wheels in dist/wheels for Linux (manylinux, musllinux, ARM) and Windows; PLATFORMS=.. for some
	@rm -rf dist/wheels
	@$(BIN)/python release/wheels.py dist/wheels $(PLATFORMS)
	@$(call build_studies,wheel,dist/wheels)
	@$(BIN)/python -m pytest tests/release
	@for wheel in dist/wheels/*manylinux*x86_64.whl; do [ ! -e $$wheel ] || .ci/wheel $$wheel; done

wheels-reproduced: $(VENV)/installed-release ## one wheel built in two folders has the same bytes; PLATFORM=.. for another
	@$(BIN)/python release/reproduce.py $(PLATFORM)

sdist: $(VENV)/installed ## the source distributions in dist/
	@rm -f dist/*.tar.gz
	@SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} $(BIN)/maturin sdist --out dist
	@$(call build_studies,sdist,dist)

sdist-clean-root: sdist ## the source distribution, built and run in a clean Debian (root; installs debootstrap)
	@command -v debootstrap >/dev/null || $(call install,debootstrap)
	@release/clean-root dist/farlink-*.tar.gz $(SUITE)

# actionlint, of which the Go module is the only source build; without Go tests/python/test_release.py still parses the file.
lint-workflow: ## the workflow for hosted runners, by actionlint (needs Go)
	@if command -v go >/dev/null; then \
		GOBIN=$(CURDIR)/target/actionlint go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 \
			&& target/actionlint/actionlint .github/workflows/*.yml && echo "workflow: valid"; \
	else \
		echo "!!! NOT CHECKED: actionlint needs Go !!!" >&2; \
	fi

# For Windows alone.
mingw:
	@case " $(PLATFORMS) " in *" windows-x86_64 "*) command -v x86_64-w64-mingw32-gcc >/dev/null \
		|| $(call install,gcc-mingw-w64-x86-64) || echo "!!! mingw is missing: apt-get install gcc-mingw-w64-x86-64 !!!" >&2;; esac

smoke: wheel ## the wheel, installed and run by the oldest and the newest Python found here
	.ci/wheel

docs: ## the files made from the models: schema, Python names, models page
	$(CARGO) run --quiet --locked -p farlink-scenario --example generate

lock: $(VENV)/installed ## lock the Python dependencies anew
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --group tools --no-header --no-annotate \
		--generate-hashes pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --group site --constraints requirements.lock --no-header --no-annotate \
		$(addprefix --no-emit-package ,greenlet playwright pyee) --generate-hashes -o docs/site/requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --group release --constraints requirements.lock --no-header --no-annotate \
		--generate-hashes pyproject.toml -o release/requirements.lock

.PHONY: site test-site pages
# Made anew each time: left-overs of renamed pages would hide broken links.
site: build $(VENV)/installed-site $(if $(NODE),lab-page) ## the documentation as a site, offline: site/index.html (a broken link fails)
	@rm -rf site
	@$(BIN)/sphinx-build --fail-on-warning --keep-going --fresh-env --quiet -c docs/site -d target/site . site
	@echo "site: $$(find site -name '*.html' | wc -l) pages, site/index.html"

test-site: site chromium ## the site: links, search, notebooks, and accessibility by axe-core in a headless Chromium
	@$(BIN)/python -m pytest tests/site

.PHONY: lab lab-page lab-engine lab-node test-lab
lab: build lab-page ## the laboratory in the browser: builds its page, prints its address and opens it (needs Node)
	@$(BIN)/farlink lab

lab-page: lab-engine web/node_modules/.package-lock.json ## the page of `farlink lab`, into the package (needs Node)
	@cd web && npx tsc && node build.mjs
	@cd python/farlink/lab/built && size=$$(cat * | gzip -9 | wc -c); echo "lab: $$size bytes compressed"; test $$size -lt 1500000

# The engine for browsers, and its JavaScript. Line tables would be removed anyway, and take long to read.
lab-engine: lab-node
	@rustup target add wasm32-unknown-unknown 2>/dev/null \
		|| { echo "the laboratory's engine is built for wasm32-unknown-unknown, which cannot be installed here" >&2; exit 1; }
	@$(CARGO) build --release --locked --quiet --config profile.release.debug=false -p farlink-web --target wasm32-unknown-unknown
	@$(CARGO) run --locked --quiet --manifest-path web/bindgen/Cargo.toml --target-dir target/bindgen -- \
		target/wasm32-unknown-unknown/release/farlink_web.wasm web/build

lab-node:
	@test -n "$(NODE)" || { echo "the laboratory's page is built by Node 20 or newer with npm, which is not here" >&2; exit 1; }

web/node_modules/.package-lock.json: web/package-lock.json web/package.json | lab-node
	@cd web && npm ci --loglevel error
	@touch $@

ifdef NODE
test-lab: build chromium lab-page ## the laboratory in a headless Chromium: its results against the command line's (needs Node)
	@cd web && node build.mjs --tests
	@$(BIN)/python -m pytest -s web/tests
else
test-lab:
	@echo "!!! NOT TESTED: the laboratory, whose page Node builds !!!" >&2; test -z "$$CI"
endif

pages: build ## what the code of the tutorials prints and draws, and the studies' verdicts, written into their pages anew (PAGES=.. for some)
	@$(BIN)/python docs/site/executed.py $(PAGES)
	@$(BIN)/python docs/site/overview.py

# --no-deps: axe-playwright-python is there for the copy of axe-core that it ships; the lock leaves out its browser driver.
$(VENV)/installed-site: docs/site/requirements.lock $(VENV)/installed
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "the site needs Python 3.11 or newer: make clean, then make PYTHON=python3.12 site" >&2; exit 1; }
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	touch $@

$(VENV)/installed-release: release/requirements.lock $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r $<
	touch $@

# Editable: what is written into studies/ is what runs; a new study is a new entry point.
$(VENV)/installed-studies: studies/pyproject.toml $(VENV)/installed
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable studies
	touch $@

$(VENV)/installed: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
		|| { echo "farlink needs Python 3.10 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	touch $@

# The tests read every pcap with tshark. Without root it cannot be installed; the tests then say so,
# and fail where CI is set.
tshark:
	@command -v tshark >/dev/null || $(call install,tshark) \
		|| echo "!!! tshark is missing: apt-get install tshark !!!" >&2

# The engine must not grow slower unnoticed. Without root valgrind cannot be installed; the count is then left out,
# and fails where CI is set.
ratchet: valgrind ## instructions per delivered packet against bench/baseline.json, 10 % more at most
	$(CARGO) build --release --locked --quiet -p farlink-bench --bin work
	@if command -v valgrind >/dev/null || [ -n "$$CI" ]; then $(PYTHON) bench/ratchet.py target/release/work; \
		else echo "!!! NOT CHECKED: instructions per packet !!!" >&2; fi

ratchet-lower: valgrind ## the same, and what was cheaper is the new baseline
	$(CARGO) build --release --locked --quiet -p farlink-bench --bin work
	@$(PYTHON) bench/ratchet.py target/release/work --lower

valgrind:
	@command -v valgrind >/dev/null || $(call install,valgrind libc6-dbg) \
		|| echo "!!! valgrind is missing: apt-get install valgrind !!!" >&2

# Farlink against ns-2 and ns-3 (bench/peers/README.md).
bench-peers: build ## the same work in Farlink, ns-2 and ns-3: time, events, memory
	@dpkg -s ns2 libns3-dev >/dev/null 2>&1 || { apt-get update && apt-get install -y --no-install-recommends ns2 libns3-dev; }
	@$(BIN)/python bench/peers/run.py --farlink $(BIN)/farlink

bench-radio: ## networks of up to 10 000 radios: CPU time, memory, and what a signal at a listener costs
	$(CARGO) build --release --locked --quiet -p farlink-bench --bin work
	@$(PYTHON) bench/radio.py target/release/work

bench-sweep: build ## what a sweep of 2 000 runs costs besides its runs; killed three times and resumed
	@$(BIN)/python bench/sweep.py

bench-start: build ## how long the command line takes to answer
	@$(BIN)/python bench/start.py

bench-class: build ## what a congestion control in Python costs, and where the time goes
	@$(BIN)/python bench/congestion_class.py

bench-frn: build ## 2 400 runs of the FRN study's random patterns, 100 000 slots each, into a store
	@$(BIN)/python bench/frn.py

verify-tuning: build ## tunings of a chain's window against whole sweeps: writes docs/verification/tuning.md
	@$(BIN)/python tests/verification/measure_tuning.py docs/verification/tuning.md

verify-utilisation: build ## every congestion control by every recovery by buffers: writes docs/verification/utilisation.md
	@$(BIN)/python tests/verification/measure_utilisation.py docs/verification/utilisation.md

RECORDED ?= results/linux/recordings
verify-kernel: build ## the running kernel's TCP beside preset linux: table and results/linux/*.png; SCENARIOS=.. for some, 9 minutes each
	@$(BIN)/python tests/linux/record.py $(SCENARIOS) --out $(RECORDED)
	@$(BIN)/python tests/linux/compare.py $(SCENARIOS) --recordings $(RECORDED) --figures results/linux

look: build chromium ## pages that play runs, as a browser shows them: results/look/*.png (installs Chromium)
	@$(BIN)/python -m pytest tests/python/test_animation.py -k browser
	@$(BIN)/python tests/python/look.py

chromium:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || $(call install,chromium) \
		|| echo "!!! chromium is missing: apt-get install chromium !!!" >&2

dialogues-upstream: ## run a folder of packetdrill scripts: DIR=.. (a script that fails makes it 2, like any error in make)
	@test -n "$(DIR)" || { echo "which folder? make dialogues-upstream DIR=.." >&2; exit 2; }
	@$(CARGO) run --quiet --locked -p farlink-dialogues -- "$(DIR)"

hashes: ## keep the results of all built-in scenarios anew; prints what changed, for the commit message
	@$(CARGO) run --release --locked --quiet -p farlink-determinism --bin hashes -- write

hashes-other-cpu: ## the kept results, from builds by the oldest Rust for x86-64-v2, -v3 and -v4 where the processor has them; LEVELS=.. for some
	@tests/determinism/other-cpu $(LEVELS)

.PHONY: oldest-rust
OLDEST = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
oldest-rust: ## whether the oldest Rust that Cargo.toml allows compiles all crates
	rustup toolchain install $(OLDEST) --profile minimal
	$(CARGO) +$(OLDEST) check --workspace --locked

faults: ## known faults, put into a copy of the engine: each must be found within a minute
	tests/conformance/faults/run

MINUTES ?= 60
# The targets run two at a time; the campaign, which uses two cores, counts as two.
SHARE = $$(( $(MINUTES) * 60 * 2 / ($(words $(wildcard fuzz/targets/*.rs)) + 2) ))

fuzz: build cargo-fuzz ## fuzz targets and mutated inputs of the command line for an hour (MINUTES=60)
	@fuzz/run $(SHARE)
	@$(BIN)/python tests/fuzz/campaign --inputs 1000000 --seconds $(SHARE) --seed $$(date +%s)

# The corpora begin with all that minutes of each reached before, so that less finds what is new.
QUICK ?= 10
fuzz-quick: build cargo-fuzz ## the same, 10 seconds of each (QUICK=10): about two minutes
	@SEED=1 fuzz/run $(QUICK) & targets=$$!; $(BIN)/python tests/fuzz/campaign --seconds 60 || failed=1; \
		wait $$targets && [ -z "$$failed" ]

campaign: build ## 10 000 mutated inputs of the command line, and what became of them: about 150 s of processor time
	@$(BIN)/python tests/fuzz/campaign --inputs 10000

cargo-fuzz:
	@! cargo +nightly --version >/dev/null 2>&1 || command -v cargo-fuzz >/dev/null \
		|| $(CARGO) install --quiet --locked cargo-fuzz || true

.PHONY: torture torture-quick
torture: build ## kills, power cuts, flipped bits, full disks: what the guide promises on reliability; under 15 minutes
	@$(BIN)/python tests/torture/torture.py

torture-quick: build ## two minutes of it
	@$(BIN)/python tests/torture/torture.py --minutes 2

audit: ## licences, duplicates, sources and known vulnerabilities of dependencies (installs cargo-deny and pip-audit)
	@tests/dependencies/audit

.PHONY: audit-light
audit-light: # without the tools that take minutes to build
	@tests/dependencies/audit --light

networks: ## 2 000 random networks of 5 s: every packet one fate, every ledger closed; COUNT=.. FIRST=.. for others
	@$(CARGO) run --release --locked --quiet -p farlink-networks -- $(COUNT) $(FIRST)

clean: ## forget everything that was built
	rm -rf $(VENV) target dist results site
