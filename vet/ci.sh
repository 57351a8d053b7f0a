#!/usr/bin/env bash
# Checks this module: bash vet/ci.sh
set -euo pipefail
cd "$(dirname "$0")"
export GOFLAGS="-buildvcs=false -timeout=20m"

go vet ./...
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
go test ./...

# The programs of this repository have nothing to report.
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin" ./cmd/segue-vet
(cd .. && go vet -vettool="$bin/segue-vet" ./examples/... && "$bin/segue-vet" ./examples/...)
for module in docs benchmarks examples/notes playground; do
  (cd "../$module" && go vet -vettool="$bin/segue-vet" ./...)
done
