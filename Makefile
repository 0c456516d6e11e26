# Every target first makes sure of libtorch (scripts/setup, which says so at once when it is there).
# One profile, release, for everything: libtorch's C++ layer takes minutes to compile and is compiled once.

CONFIG ?= configs/quick.toml
OUT ?= runs/quick

# What run.toml of every run names as the program's source
export FAIRKOMI_COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)

.DEFAULT_GOAL := help
.PHONY: help setup build run test results fmt lint clean

# Lists the targets
help:
	@awk '/^# / { text = substr($$0, 3); next } \
	      /^[a-z]+:/ { name = $$1; sub(/:.*/, "", name); printf "  make %-6s  %s\n", name, text } { text = "" }' Makefile

# Fetches libtorch into .libtorch (about 530 MB, once), or checks your own LIBTORCH
setup:
	scripts/setup

# Builds target/release/fairkomi
build: setup
	cargo build --release --locked

# Builds, then plays, learns and measures on small boards: runs/quick/report.txt (CONFIG=, OUT=)
run: build
	target/release/fairkomi pipeline --config $(CONFIG) --out $(OUT)

# Runs all tests
test: setup
	cargo test --release --locked

# Solves the small boards and measures the fair komi of all others anew: data/exact.csv, data/fair_komi.csv (hours; resumable)
results: build
	mkdir -p runs
	scripts/exact > runs/exact.csv && mv runs/exact.csv data/exact.csv
	scripts/results > runs/fair_komi.csv && mv runs/fair_komi.csv data/fair_komi.csv
	target/release/fairkomi report runs/results/*/ --out runs/results.html

# Formats the code
fmt:
	cargo fmt

# Checks the formatting and runs clippy with warnings as errors
lint: setup
	cargo fmt --check
	cargo clippy --release --all-targets --locked -- -D warnings

# Deletes what was built; libtorch (.libtorch) and the runs stay
clean:
	cargo clean
