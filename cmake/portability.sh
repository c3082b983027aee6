#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cmake/portability.sh NS3GIT [TAG...]
#
# Checks that every header and source of the module compiles without a warning against other
# versions of ns-3. NS3GIT is a git repository of ns-3, of which nothing is built. Without tags, the
# versions are ns-3.35, .36, .37, .41, .43, .46 and .48. Prints one line per version; exits with 1 if
# one fails.

set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
jobs=${JOBS:-$(nproc)}
[[ $# -gt 0 ]] || { echo "usage: ./hpcc portability NS3GIT [TAG...]" >&2; exit 2; }
git=$1
shift
git -C "$git" rev-parse --git-dir >/dev/null 2>&1 || { echo "$git is not a git repository" >&2; exit 2; }
[[ $# -gt 0 ]] || set -- ns-3.35 ns-3.36 ns-3.37 ns-3.41 ns-3.43 ns-3.46 ns-3.48

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copies the headers of a version into one directory, as ns-3 exports them, and adds the headers that
# the build of ns-3 would generate.
flatten() {
    local tag=$1 out=$2/ns3
    mkdir -p "$2/tree" "$out"
    git -C "$git" ls-tree -r --name-only "$tag" -- src | grep '\.h$' |
        grep -Ev '/(test|examples)/' >"$2/headers"
    git -C "$git" archive "$tag" -- $(<"$2/headers") | tar -x -C "$2/tree"
    # If two modules have a header of the same name, the first module's is used, as in ns-3.
    sort -r "$2/headers" | while read -r header; do cp "$2/tree/$header" "$out/"; done
    rm -rf "$2/tree"
    cat >"$out/core-config.h" <<'END'
#define INT64X64_USE_128
#define HAVE___UINT128_T 1
#define HAVE_STDINT_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_DIRENT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_GETENV 1
#define HAVE_SIGNAL_H 1
#define HAVE_PTHREAD_H 1
#define HAVE_RT 1
END
    local module macro
    for module in $(git -C "$git" ls-tree --name-only "$tag:src"); do
        macro=$(tr 'a-z-' 'A-Z_' <<<"$module")_EXPORT
        printf '#define %s\n' "$macro" >"$out/$module-export.h"
    done
}

standard_of() {
    local minor=${1#ns-3.}
    minor=${minor%%[^0-9]*}
    if [[ ! $minor =~ ^[0-9]+$ || $minor -ge 46 ]]; then
        echo c++23
    elif [[ $minor -ge 41 ]]; then
        echo c++20
    else
        echo c++17
    fi
}

# The module's own headers, also in one directory.
mkdir -p "$work/own/ns3"
find "$root/model" "$root/helper" -name '*.h' | while read -r header; do
    ln -s "$header" "$work/own/ns3/"
done
sources() {
    cd "$root"
    find model helper examples test -name '*.cc' -not -name '*hpcc-mpi-*' -not -path '*/fuzz/*' -not -path '*/astra-sim/*' \
        -not -name 'standalone-main.cc' -not -name '*-gtest.cc' | sort
    cd "$work/own/ns3"
    for header in *.h; do [[ $header == hpcc-mpi-* ]] || echo "ns3/$header"; done
}

# Compiles one file, as a program of that version would.
check() {
    local include=$1 standard=$2 file=$3 name=$3
    if [[ $file == ns3/* ]]; then
        file=$include/self/${file#ns3/}.cc
        printf '#include "%s"\n' "$name" >"$file"
    else
        file=$root/$file
    fi
    "${CXX:-g++}" -std="$standard" -fsyntax-only -Wall -Wextra -Werror -I"$work/own" \
        -isystem "$include" -DHPCC_VERSION='"0"' -DHPCC_NS3_VERSION='"0"' -DHPCC_DIR='""' \
        -DNS_TEST_SOURCEDIR='""' -include "$include/ns3/all.h" "$file" >"$include/log.$$" 2>&1 ||
        { echo "$name: $(grep -m1 -E 'error|warning' "$include/log.$$")"; }
    rm -f "$include/log.$$"
}
export -f check
export root work CXX

failed=0
for tag; do
    include=$work/$tag
    mkdir -p "$include/self"
    flatten "$tag" "$include"
    standard=$(standard_of "$tag")
    # Most of the time goes into headers of ns-3: read them once.
    {
        # As the wscript does.
        [[ $tag != ns-3.35* ]] || printf '#include "%s"\n' "$root/cmake/ns-3.35.h"
        printf '#include "ns3/%s"\n' object.h simulator.h packet.h node.h net-device.h ipv4.h \
            string.h uinteger.h double.h boolean.h enum.h pointer.h traced-callback.h
    } >"$include/ns3/all.h"
    "${CXX:-g++}" -std="$standard" -Wall -Wextra -I"$work/own" -isystem "$include" \
        -DHPCC_VERSION='"0"' -DHPCC_NS3_VERSION='"0"' -DHPCC_DIR='""' -DNS_TEST_SOURCEDIR='""' \
        -x c++-header "$include/ns3/all.h" -o "$include/ns3/all.h.gch" 2>/dev/null || true
    problems=$(sources | xargs -P "$jobs" -I{} bash -c 'check "$@"' _ "$include" "$standard" {})
    files=$(sources | wc -l)
    if [[ -z $problems ]]; then
        echo "$tag ($standard): $files files, no warning"
    else
        echo "$tag ($standard): $(wc -l <<<"$problems") of $files files fail:"
        sed 's/^/    /' <<<"$problems"
        failed=1
    fi
    rm -rf "$include"
done
exit $failed
