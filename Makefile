FARLINK ?= $(firstword $(wildcard .venv/bin/farlink) farlink)

# The same work in Farlink, ns-2 and ns-3 (bench/peers/README.md).
.PHONY: bench-peers
bench-peers:
	@dpkg -s ns2 libns3-dev >/dev/null 2>&1 || { apt-get update && apt-get install -y --no-install-recommends ns2 libns3-dev; }
	@python3 bench/peers/run.py --farlink $(FARLINK)
