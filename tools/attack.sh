#!/bin/bash
# Attacks of our own on a server of our own: what newcomers and players notice, as rows of a table.
#
#   tools/attack.sh [SECONDS]
#
# Loopback only, at most 60 seconds and 5,000,000 datagrams for each attack: crates/ugas-transport/examples/attack.rs.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-10}
target=${CARGO_TARGET_DIR:-target}
[ -n "${NO_BUILD:-}" ] || cargo build --release -p ugas-transport --example attack
ulimit -n 8192 2>/dev/null || true
echo "| attack | datagrams a second | newcomers connected | time to connect, median | p99 | player's datagrams answered | cookies | server busy |"
echo "|---|---|---|---|---|---|---|---|"
for attack in none half-open requests player; do
  "$target/release/examples/attack" $attack "$seconds"
done
