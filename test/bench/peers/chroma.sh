#!/usr/bin/env bash
# chroma.sh PORT FOLDER: Chroma's server. It needs glibc 2.38: an older Debian takes that of Debian 13, beside its own.
set -euo pipefail
cd "$(dirname "$0")"
server=("$(command -v node)" ../node_modules/chromadb/dist/cli.mjs run --port "$1" --path "$2")
version=$(getconf GNU_LIBC_VERSION)
if [[ $(printf '2.38\n%s' "${version#* }" | sort -V | head -1) == 2.38 ]]; then exec "${server[@]}"; fi
glibc=$PWD/../node_modules/.cache/glibc
libraries=$glibc/usr/lib/x86_64-linux-gnu
if [[ ! -e $libraries/libstdc++.so.6 ]]; then
  site=$(apt-get indextargets --format '$(SITE)' | head -1)
  mkdir -p "$glibc"
  packages=$(mktemp)
  curl -sSf "$site/dists/trixie/main/binary-amd64/Packages.xz" | xz -dc >"$packages"
  for package in libc6 libgcc-s1 libstdc++6; do
    path=$(awk -v package="$package" '$1 == "Package:" { found = $2 == package } found && $1 == "Filename:" { print $2; exit }' "$packages")
    curl -sSf "$site/$path" -o package.deb
    dpkg-deb -x package.deb "$glibc"
  done
  rm "$packages" package.deb
fi
exec "$libraries/ld-linux-x86-64.so.2" --library-path "$libraries" "${server[@]}"
