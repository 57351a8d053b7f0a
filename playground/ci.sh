#!/usr/bin/env bash
# What must hold of the playground. It brings the browser that the tests use.
set -euo pipefail
cd "$(dirname "$0")"
export GOFLAGS="-buildvcs=false -timeout=20m" CI=true

if ! command -v chromium >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi

unformatted=$(gofmt -l .)
if [ -n "$unformatted" ]; then
  printf 'gofmt would change:\n%s\n' "$unformatted"
  exit 1
fi
go vet . # what is built without the tag
go vet -tags playground ./...
GOOS=js GOARCH=wasm go vet -tags playground ./wasm
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags playground ./...
(cd .. && go vet -tags playground . && go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags playground .)
go test -tags playground ./...
