#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lint: what `make lint` checks, each step named and timed: the rules of the house (house.pl), clang-format, every
# header compiles alone, clang-tidy. All steps run even when one fails. LINT_SKIP="tidy" leaves steps out. Ends with
# the numbers.
set -u
cd "$(dirname "$0")/../.." || exit 2

format=$(command -v clang-format-19 || command -v clang-format)
tidy=$(command -v clang-tidy-19 || command -v clang-tidy)
if [ -z "$format" ] || [ -z "$tidy" ]; then
    echo "lint: needs clang-format-19 and clang-tidy-19: make deps" >&2
    exit 2
fi

mapfile -t files < <(perl -Itests/lint -MTree -e 'print "$_\n" for tree_list()')
sources=() headers=() code=()
for f in "${files[@]}"; do
    case $f in
    harness/doc/*.c | tests/best/*.c) code+=("$f") ;; # examples include headers that raingauge writes for them
    *.c) sources+=("$f") code+=("$f") ;;
    *.h) headers+=("$f") code+=("$f") ;;
    esac
done

# The flags that decide what a source means, from the build's own record of its command.
make --no-print-directory -s build/release/flags generated >/dev/null || exit 2
flags=()
want=
for word in $(cat build/release/flags); do
    case $word in
    -isystem) want=yes flags+=("$word") ;;
    -I* | -D* | -std=*) [ "$word" = -DNDEBUG ] || flags+=("${word//\'/}") ;;
    *) [ -n "$want" ] && flags+=("$word") && want= ;;
    esac
done

house() { perl tests/lint/house.pl; }

layout() { printf '%s\n' "${code[@]}" | xargs -n 40 -P 2 "$format" --dry-run -Werror; }

# halves FUNCTION FILE...: the function over all files, every second one beside the rest; what it prints is not mixed.
halves() {
    local what=$1 i odd=() even=() failed=0 out
    shift
    for ((i = 1; i <= $#; i++)); do
        if [ $((i % 2)) = 0 ]; then even+=("${!i}"); else odd+=("${!i}"); fi
    done
    out=$(mktemp)
    "$what" "${odd[@]}" >"$out" 2>&1 &
    "$what" "${even[@]}" || failed=1
    wait $! || failed=1
    cat "$out"
    rm -f "$out"
    return $failed
}

alone() {
    local failed=0 h
    for h; do
        printf '#include "%s"\n' "$h" | gcc "${flags[@]}" -Wall -Wextra -Werror -fsyntax-only -xc - || failed=1
    done
    return $failed
}
check_headers() { halves alone "${headers[@]}"; }

# clang-tidy is slow, so a source that passed is not looked at again until it, a header of it, a flag or .clang-tidy
# changes: build/lint holds a stamp named by the hash of the preprocessed text.
tidy_some() {
    local f key failed=0
    for f; do
        key=build/lint/$({ cat .clang-tidy; gcc "${flags[@]}" -E "$f"; } | sha256sum | cut -c1-40)
        [ -e "$key" ] && continue
        if "$tidy" --quiet "$f" -- "${flags[@]}" 2>/dev/null; then touch "$key"; else failed=1; fi
    done
    return $failed
}
check_tidy() { mkdir -p build/lint && halves tidy_some "${sources[@]}"; }

status=0
step() {
    case " ${LINT_SKIP:-} " in *" $1 "*) echo "lint: $1 left out" && return ;; esac
    local began=$SECONDS
    if "$2"; then
        echo "lint: $1 fine ($((SECONDS - began)) s)"
    else
        echo "lint: $1 FAILED ($((SECONDS - began)) s)"
        status=1
    fi
}
step house house
step format layout
step headers check_headers
step tidy check_tidy
perl tests/lint/numbers.pl || status=1
[ $status = 0 ] && echo "lint: all fine" || echo "lint: failed"
exit $status
