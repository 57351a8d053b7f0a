#!/usr/bin/env bash
# Fetches again what others have made: the built files of the parts of D3 that the
# page draws with, as npm has them, in one file with their licences beside it, and
# axe, by which the tests measure whether the page can be read. Running the
# playground needs neither this nor npm.
set -euo pipefail
cd "$(dirname "$0")/web/vendor"
axe=4.14.1
parts='color@3.1.1 dispatch@3.0.2 interpolate@3.0.2 timer@3.0.2 ease@3.0.2 selection@3.0.1 drag@3.0.1 transition@3.0.2 zoom@3.0.1 hierarchy@3.1.3 path@3.1.0 shape@3.2.0'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >d3.js
: >LICENSE
for part in $parts; do
  name=d3-${part%@*}
  mkdir "$work/$name"
  tar xzf "$work/$(cd "$work" && npm pack --silent "d3-$part")" -C "$work/$name"
  cat "$work/$name/package/dist/$name.min.js" >>d3.js
  printf '%s %s\n\n' "$name" "${part#*@}" >>LICENSE
  cat "$work/$name/package/LICENSE" >>LICENSE
  echo >>LICENSE
done

tar xzf "$work/$(cd "$work" && npm pack --silent "axe-core@$axe")" -C "$work"
cp "$work/package/axe.min.js" ../../testdata/axe.min.js
cat "$work/package/LICENSE" "$work/package/LICENSE-3RD-PARTY.txt" >../../testdata/LICENSE.axe
