#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cmake/fetch-ns3-source.sh DIRECTORY
#
# Unpacks Debian 12's source of ns-3 below DIRECTORY, unless it is there, and prints the root of the
# source tree. Needs dpkg-dev; changes none of the system's package lists.

set -euo pipefail
directory=$1
mkdir -p "$directory/lists/partial" "$directory/cache/archives/partial" "$directory/source"
find_tree() { find "$directory/source" -maxdepth 3 -name test.py -printf '%h\n' -quit; }
if [[ -z $(find_tree) ]]; then
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb-src [signed-by=$keyring] http://deb.debian.org/debian bookworm main" \
        >"$directory/sources.list"
    options=(
        -o Dir::Etc::sourcelist="$directory/sources.list"
        -o Dir::Etc::sourceparts=/dev/null
        -o Dir::State::lists="$directory/lists"
        -o Dir::Cache="$directory/cache"
        -o APT::Sandbox::User=root
    )
    apt-get "${options[@]}" update >&2
    (cd "$directory/source" && apt-get "${options[@]}" source ns3 >&2)
fi
find_tree
