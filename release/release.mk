# Wheels, source distributions, and what they depend on.

.PHONY: wheel wheels wheels-reproduced sdist sdist-clean-root lint-workflow mingw smoke lock audit audit-light

# After `build`: maturin keeps one library for both, and two at a time lose it.
wheel: build $(if $(NODE),lab-page) ## wheels in dist/ for Python 3.10 and newer: the package, under 15 MB, and the studies
	rm -f dist/*.whl
	$(BIN)/maturin build --release --locked --out dist
	@$(call build_studies,wheel,dist)
	@size=$$(stat -c %s dist/farlink-*.whl); echo "wheel: $$size bytes"; test $$size -lt 15000000

# Files of the studies' package, which has no compiled part: $(1) is wheel or sdist, $(2) the folder.
build_studies = cd studies && $(abspath $(BIN))/hatchling build --target $(1) --directory ../$(2)

# Only those for x86_64 manylinux are run; tests/release inspects what is in the others.
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

lock: $(VENV)/installed ## lock the Python dependencies anew
	echo uv | $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --no-header --no-annotate --generate-hashes - \
		-o release/uv.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --group tools --no-header --no-annotate \
		--generate-hashes pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --group site --constraints requirements.lock --no-header --no-annotate \
		$(addprefix --no-emit-package ,greenlet playwright pyee) --generate-hashes -o docs/site/requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.10 --group release --constraints requirements.lock --no-header --no-annotate \
		--generate-hashes pyproject.toml -o release/requirements.lock

audit: ## licences, duplicates, sources and known vulnerabilities of dependencies (installs cargo-deny and pip-audit)
	@tests/dependencies/audit

audit-light: # without the tools that take minutes to build
	@tests/dependencies/audit --light

$(VENV)/installed-release: release/requirements.lock $(VENV)/installed
	$(UV) --require-hashes -r $<
	touch $@
