#!/usr/bin/env bash
# What must hold for the benchmarks: they compile, their checks pass and their
# commands work. It judges no speed. It installs what it needs: wrk, and
# Express by npm ci.
set -euo pipefail
cd "$(dirname "$0")"
export GOFLAGS="-buildvcs=false -timeout=20m"

step() { printf '\n== benchmarks: %s (%ss)\n' "$*" "$SECONDS"; }

step "what is not installed"
missing=()
for tool in wrk:wrk taskset:util-linux cc:gcc node:nodejs npm:npm; do
  command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
done
if [ ${#missing[@]} -gt 0 ]; then
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq
  $sudo apt-get install -y -qq "${missing[@]}"
fi
npm ci --prefix e2e/servers/node --no-audit --no-fund

step gofmt
unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
  printf 'gofmt would change:\n%s\n' "$unformatted"
  exit 1
fi

step vet
go vet ./...

step staticcheck
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

step tests
go test -short ./...

step "what serve-static answers" # a result that is kept would not see that docs/files.md has changed
go test -count=1 ./filetable

step "what Caddy answers, and that its benchmark compiles; fetching and compiling Caddy takes minutes"
go vet -C caddy ./...
go test -C caddy -short -count=1 ./...

step "benchmarks run"
go test -short -run '^$' -bench 'Misses|Middlewares|Parallel' -benchtime 1x ./routers >/dev/null

step "the routers' table"
go run ./table -short >/dev/null

step "the tables of growth"
go run ./growth -short >/dev/null

step "the tables of costs"
go run ./costs -short >/dev/null

step "the servers' tables"
go run ./e2e -short >/dev/null

step "the committed results are those that the programs write"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
cp -r results/. "$results"
go run ./table -render -out "$results" >/dev/null
go run ./growth -render -out "$results" >/dev/null
go run ./costs -render -out "$results" >/dev/null
go run ./e2e -render -out "$results" >/dev/null
diff -r results "$results"

step "the figures in the texts are those of the results"
go run ./figures -check

step "all is well"
