#!/usr/bin/env bash
# Makes all measured figures anew, on a machine that does nothing else: every
# program writes its tables into results, and figures takes them into the texts.
# SOAK is how long the soak goes on, 30m if it is not set, and E2E the flags of e2e.
set -euo pipefail
cd "$(dirname "$0")"
export GOFLAGS=-buildvcs=false
npm ci --prefix e2e/servers/node --no-audit --no-fund >/dev/null

step() {
  local began=$SECONDS
  printf '== %s\n' "$*"
  "$@" >/dev/null
  printf '== took %ss\n' "$((SECONDS - began))"
}

step go run ./table -rounds 60
for program in growth costs; do
  if [ -d "$program" ]; then step go run "./$program"; fi
done
step go run -C caddy .
# shellcheck disable=SC2086 # flags are words
step go run ./e2e ${E2E:--rounds 3 -pairs 9 -sampling 15s}
step go run -C .. ./internal/soak -for "${SOAK:-30m}" -out benchmarks/results/soak.md
step go run -C .. -race ./internal/soak -for 2m -out benchmarks/results/soak-race.md
step go run ./figures
