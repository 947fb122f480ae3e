# Tests that take longer than those of `make test`.

.PHONY: dialogues-upstream hashes hashes-other-cpu oldest-rust faults fuzz fuzz-quick campaign torture \
	torture-quick networks

dialogues-upstream: ## run a folder of packetdrill scripts: DIR=.. (a script that fails makes it 2, like any error in make)
	@test -n "$(DIR)" || { echo "which folder? make dialogues-upstream DIR=.." >&2; exit 2; }
	@$(CARGO) run --quiet --locked -p farlink-dialogues -- "$(DIR)"

hashes: ## keep the results of all built-in scenarios anew; prints what changed, for the commit message
	@$(CARGO) run --release --locked --quiet -p farlink-determinism --bin hashes -- write

hashes-other-cpu: ## the kept results, from builds by the oldest Rust for x86-64-v2, -v3 and -v4 where the processor has them; LEVELS=.. for some
	@tests/determinism/other-cpu $(LEVELS)

OLDEST = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
oldest-rust: ## whether the oldest Rust that Cargo.toml allows compiles all crates and their tests
	rustup toolchain install $(OLDEST) --profile minimal
	$(CARGO) +$(OLDEST) check --workspace --all-targets --locked

faults: ## known faults, put into a copy of the engine: each must be found within a minute
	tests/conformance/faults/run

MINUTES ?= 60
# The targets run two at a time; the campaign, which uses two cores, counts as two.
SHARE = $$(( $(MINUTES) * 60 * 2 / ($(words $(wildcard fuzz/targets/*.rs)) + 2) ))

fuzz: build ## fuzz targets and mutated inputs of the command line for an hour (MINUTES=60)
	@fuzz/run $(SHARE)
	@$(BIN)/python tests/fuzz/campaign --inputs 1000000 --seconds $(SHARE) --seed $$(date +%s)

# The corpora hold all that guided minutes of each reached before. To be guided costs a build that takes longer.
QUICK ?= 10
fuzz-quick: build ## the same, 10 seconds of each (QUICK=10), not guided by coverage: about two minutes
	@BLIND=1 fuzz/run $(QUICK) & targets=$$!; $(BIN)/python tests/fuzz/campaign --inputs 2000 || failed=1; \
		wait $$targets && [ -z "$$failed" ]

campaign: build ## 10 000 mutated inputs of the command line, and what became of them: about 300 s of processor time
	@$(BIN)/python tests/fuzz/campaign --inputs 10000

torture: build ## kills, power cuts, flipped bits, full disks: what the guide promises on reliability; under 15 minutes
	@$(BIN)/python tests/torture/torture.py

torture-quick: build ## two minutes of it, without the power cuts, which the tests in Python make after every operation
	@$(BIN)/python tests/torture/torture.py --minutes 2 --skip power

networks: ## 2 000 random networks of 5 s: every packet one fate, every ledger closed; COUNT=.. FIRST=.. for others
	@$(CARGO) run --release --locked --quiet -p farlink-networks -- $(COUNT) $(FIRST)
