#!/usr/bin/env bash
# Checks this module: bash examples/nbio/ci.sh
set -euo pipefail
cd "$(dirname "$0")"
export GOFLAGS="-buildvcs=false -timeout=20m"

go vet ./...
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
go test ./... # without -race, which finds what the test shows of nbio as it comes
