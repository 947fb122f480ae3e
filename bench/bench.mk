# What Farlink costs, beside others and beside its own past; what is measured for docs/verification.

.PHONY: ratchet ratchet-lower ratchet-record valgrind bench-history bench-peers bench-radio bench-sweep bench-start bench-controls bench-class bench-frn \
	verify-tuning verify-utilisation verify-sharing verify-kernel

# The engine must not grow slower unnoticed. Without root valgrind cannot be installed; the count is then left out,
# and fails where CI is set.
ratchet: valgrind ## instructions per delivered packet against bench/baseline.json, 10 % more at most
	$(CARGO) build --release --locked --quiet -p farlink-bench --bin work
	@if command -v valgrind >/dev/null || [ -n "$$CI" ]; then $(PYTHON) bench/ratchet.py target/release/work; \
		else echo "!!! NOT CHECKED: instructions per packet !!!" >&2; fi

ratchet-lower: valgrind ## the same, and what was cheaper is the new baseline
	$(CARGO) build --release --locked --quiet -p farlink-bench --bin work
	@$(PYTHON) bench/ratchet.py target/release/work --lower

ratchet-record: valgrind ## the same, and appends a row to bench/history.csv: CHANGE='words' DECISION=0012
	$(CARGO) build --release --locked --quiet -p farlink-bench --bin work
	@$(PYTHON) bench/ratchet.py target/release/work --record '$(CHANGE)' --decision '$(DECISION)'

bench-history: build ## draws docs/pictures/instructions.svg of bench/history.csv
	@$(BIN)/python bench/history.py

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

bench-start: build ## CPU time that the command line takes to answer
	@$(BIN)/python bench/start.py

CONTROLS := reno bic cubic scalable highspeed htcp illinois yeah compound westwood veno hybla enhanced_hybla vegas lp ledbat dctcp prague \
	copa bbr bbr3
bench-controls: valgrind ## instructions of each congestion control per packet: writes its table into docs/verification/speed.md
	$(CARGO) build --release --locked --quiet -p farlink-bench --bin work
	@$(PYTHON) bench/controls.py target/release/work $(CONTROLS)

bench-class: build ## what a congestion control in Python costs, and where the time goes
	@$(BIN)/python bench/congestion_class.py

bench-frn: build ## 2 400 runs of the FRN study's random patterns, 100 000 slots each, into a store
	@$(BIN)/python bench/frn.py

verify-tuning: build ## tunings of a chain's window against whole sweeps: writes docs/verification/tuning.md
	@$(BIN)/python tests/verification/measure_tuning.py docs/verification/tuning.md

verify-utilisation: build ## every congestion control by every recovery by buffers: writes docs/verification/utilisation.md
	@$(BIN)/python tests/verification/measure_utilisation.py docs/verification/utilisation.md

verify-sharing: build ## BBR and Prague beside CUBIC, and what L4S Tests published: writes docs/verification/sharing.md
	@$(BIN)/python tests/verification/measure_sharing.py docs/verification/sharing.md

RECORDED ?= results/linux/recordings
verify-kernel: build ## the running kernel's TCP beside preset linux: table and results/linux/*.png; SCENARIOS=.. for some, 9 minutes each
	@$(BIN)/python tests/linux/record.py $(SCENARIOS) --out $(RECORDED)
	@$(BIN)/python tests/linux/compare.py $(SCENARIOS) --recordings $(RECORDED) --figures results/linux
