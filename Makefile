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
.PHONY: help demo test check test-rest test-rust test-recipes test-python lint lint-rust lint-python lint-wasm build \
	docs lab lab-page lab-engine lab-node test-lab site test-site pages comparison look tshark chromium clean

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
check: lint-rust lint-python test-rust ## lints, the tests in Rust and the quick ones in Python
	$(BIN)/python -m pytest --numprocesses auto -m 'not slow' $(QUICK_TESTS)

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

docs: ## the files made from the models: schema, Python names, models page
	$(CARGO) run --quiet --locked -p farlink-scenario --example generate

lab: build lab-page ## the laboratory in the browser: builds its page, prints its address and opens it (needs Node)
	@$(BIN)/farlink lab

lab-page: lab-engine web/node_modules/.package-lock.json ## the page of `farlink lab`, into the package (needs Node)
	@cd web && npx tsc && node build.mjs
	@cd python/farlink/lab/built && size=$$(cat * | gzip -9 | wc -c); echo "lab: $$size bytes compressed"; test $$size -lt 1500000

# The engine for browsers, and its JavaScript. Line tables would be removed anyway, and take long to read. WASM_QUICK=1
# builds sooner what runs slower.
WASM_PROFILE := debug=false $(if $(WASM_QUICK),lto="off" opt-level="s",lto="fat")
lab-engine: lab-node
	@rustup target add wasm32-unknown-unknown 2>/dev/null \
		|| { echo "the laboratory's engine is built for wasm32-unknown-unknown, which cannot be installed here" >&2; exit 1; }
	@$(CARGO) build --release --locked --quiet $(WASM_PROFILE:%=--config 'profile.release.%') -p farlink-web \
		--target wasm32-unknown-unknown
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

# Made anew each time: left-overs of renamed pages would hide broken links.
site: build $(VENV)/installed-site $(if $(NODE),lab-page) ## the documentation as a site, offline: site/index.html (a broken link fails)
	@rm -rf site
	@$(BIN)/sphinx-build --fail-on-warning --keep-going --fresh-env --quiet -c docs/site -d target/site . site
	@echo "site: $$(find site -name '*.html' | wc -l) pages, site/index.html"

test-site: site chromium ## the site: links, search, notebooks, and accessibility by axe-core in a headless Chromium
	@$(BIN)/python -m pytest tests/site

pages: build ## what the code of the tutorials prints and draws, and the studies' verdicts, written into their pages anew (PAGES=.. for some)
	@$(BIN)/python docs/site/executed.py $(PAGES)
	@$(BIN)/python docs/site/overview.py

LINKS := fibre radio geo leo bufferbloat l4s
comparison: build ## which congestion control: all of them on six links, docs/comparison; about 12 minutes of CPU time
	@for link in $(LINKS); do \
		$(BIN)/farlink sweep docs/comparison/$$link.toml --out results/comparison/$$link >/dev/null || exit; \
	done
	@$(BIN)/python docs/comparison/make.py results/comparison

look: build chromium ## pages that play runs, as a browser shows them: results/look/*.png (installs Chromium)
	@$(BIN)/python -m pytest tests/python/test_animation.py -k browser
	@$(BIN)/python tests/python/look.py

# The tests read every pcap with tshark. Without root it cannot be installed; the tests then say so,
# and fail where CI is set.
tshark:
	@command -v tshark >/dev/null || $(call install,tshark) \
		|| echo "!!! tshark is missing: apt-get install tshark !!!" >&2

chromium:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || $(call install,chromium) \
		|| echo "!!! chromium is missing: apt-get install chromium !!!" >&2

# pip takes minutes for what uv installs in seconds: it installs uv alone.
UV := $(BIN)/uv pip install --quiet --python $(BIN)/python

$(VENV)/installed: requirements.lock release/uv.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
		|| { echo "farlink needs Python 3.10 or newer: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r release/uv.lock
	$(UV) --require-hashes -r requirements.lock
	touch $@

# Editable: what is written into studies/ is what runs; a new study is a new entry point.
$(VENV)/installed-studies: studies/pyproject.toml $(VENV)/installed
	$(UV) --no-deps --no-build-isolation --editable studies
	touch $@

# --no-deps: axe-playwright-python is there for the copy of axe-core that it ships; the lock leaves out its browser driver.
$(VENV)/installed-site: docs/site/requirements.lock $(VENV)/installed
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "the site needs Python 3.11 or newer: make clean, then make PYTHON=python3.12 site" >&2; exit 1; }
	$(UV) --no-deps --require-hashes -r $<
	touch $@

clean: ## forget everything that was built
	rm -rf $(VENV) target dist results site

include tests/tests.mk bench/bench.mk release/release.mk
