#!/usr/bin/env bash
# Installs, builds, starts and runs the demo in a copy of the checkout on another version of Node.js:
#   scripts/on-node.sh 26
# The npm package `node` contains the binary, and the headers for packages that have to be compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

npm install --prefix "$folder/node" --no-save --no-package-lock --silent "node@$version"
home=$(dirname "$(dirname "$(find "$folder/node" -path '*/bin/node' -path '*node-*-*/*' -type f | head -n 1)")")
export PATH="$home/bin:$PATH"
export npm_config_nodedir="$home"
echo "Node.js $(node --version) in $folder"

mkdir "$folder/checkout"
git ls-files --cached --others --exclude-standard -z |
  while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
  xargs -0 cp --parents --target-directory "$folder/checkout"
cd "$folder/checkout"
npm ci
npm run demo
