#!/bin/bash
# Load on a server of this machine: clients against processor time, round trip and drops, as rows of a table.
#
#   tools/load.sh [SECONDS] [CLIENTS...]
#
# Loopback only. One server and one process of clients at a time, at most 512 clients and 60 seconds each.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-15}
[ "$seconds" -le 60 ] || { echo "at most 60 seconds" >&2; exit 2; }
shift || true
[ $# -gt 0 ] || set -- 8 32 64 128 256 512
target=${CARGO_TARGET_DIR:-target}
ugas=$target/release/ugas
[ -n "${NO_BUILD:-}" ] || cargo build --release -p ugas-cli --bin ugas --example load_clients
pack=packs/spells
log=$(mktemp)
trap 'rm -f "$log"; [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true' EXIT

metric() { curl -s "http://$ops/metrics" | awk -v name="$1" '$1 == name { print $2 }'; }
# Processor time of a process in hundredths of a second.
busy() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

echo "| clients | playing | processor of the server | tick, mean | round trip, median | p99 | dropped by the system | sent to a client |"
echo "|---|---|---|---|---|---|---|---|"
for clients in "$@"; do
  [ "$clients" -le 512 ] || { echo "at most 512 clients" >&2; exit 2; }
  "$ugas" serve $pack --listen 127.0.0.1:0 --max-clients 512 --for $((seconds + 60)) --ops 0 --log-level warn >"$log" &
  server=$!
  until grep -q "metrics at" "$log"; do sleep 0.1; done
  address=$(sed -n 's/^listening on \([^,]*\),.*/\1/p' "$log")
  ops=$(sed -n 's|.*metrics at http://\([^/]*\)/.*|\1|p' "$log")
  "$target/release/examples/load_clients" "$address" $pack "$clients" $((seconds + 10)) >"$log.clients" &
  load=$!
  sleep 10 # until all have joined
  before=$(busy $server); sum=$(metric ugas_tick_seconds_sum); count=$(metric ugas_tick_seconds_count); bytes=$(metric ugas_sent_bytes_total)
  sleep "$seconds"
  after=$(busy $server)
  drops=$(metric ugas_kernel_drops_total)
  mean=$(echo "$(metric ugas_tick_seconds_sum) $sum $(metric ugas_tick_seconds_count) $count" | awk '{ printf "%.2f ms", ($1 - $2) / ($3 - $4) * 1000 }')
  each=$(echo "$(metric ugas_sent_bytes_total) $bytes $clients $seconds" | awk '{ printf "%.1f kB/s", ($1 - $2) / $3 / $4 / 1000 }')
  wait $load || true
  playing=$(sed -n 's/^playing \([0-9]*\) of.*/\1/p' "$log.clients")
  median=$(sed -n 's/.*round trip \([0-9.]* ms\) median.*/\1/p' "$log.clients")
  p99=$(sed -n 's/.*median, \([0-9.]* ms\) p99.*/\1/p' "$log.clients")
  late=$(sed -n 's/.*own ticks late \([0-9.]* %\).*/\1/p' "$log.clients")
  echo "| $clients | $playing | $(((after - before) / seconds)) % | $mean | $median | $p99 | $drops | $each |"
  echo "clients: $(cat "$log.clients")" >&2
  kill -INT $server; wait $server || true
  server=
  rm -f "$log.clients"
done
