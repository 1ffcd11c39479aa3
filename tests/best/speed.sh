#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# speed RESULTS [OPTION...]: the best programs of a campaign as C, compiled by gcc and by clang, beside the object of the
# very code that was measured, in turns, in one process (turns.c). Options are those of `raingauge best`.
set -eu
binary=${RAINGAUGE:-build/raingauge}
flags="-O3 -march=native -ffp-contract=fast -fopenmp -fPIC -shared"
[ $# -gt 0 ] || { echo "speed: which results folder? make programs RESULTS=results/table3/short" >&2; exit 2; }
results=$1
shift
dir=$(mktemp -d "${TMPDIR:-/tmp}/raingauge-programs-XXXXXX")
trap 'rm -rf "$dir"' EXIT
for form in c object; do
    "$binary" best "$results" "$@" --quiet --format $form --output "$dir/$form"
done
# Their references are not called: the compiler leaves them out, unoptimised.
cc -O0 -fPIC -c -x c "$(dirname "$0")/table.c" -I"$dir/object" -o "$dir/table.o"
mkdir "$dir/references"
for f in "$dir"/object/*_reference.c; do cc -O0 -fPIC -c "$f" -o "$dir/references/$(basename "$f" .c).o"; done
cc -shared -o "$dir/object.so" "$dir/table.o" "$dir"/object/*.o "$dir"/references/*.o -lm
libraries=$dir/object.so
for compiler in ${COMPILERS:-gcc clang}; do
    command -v "$compiler" >/dev/null || { echo "speed: no $compiler here" >&2; continue; }
    rm -f "$dir"/c/*_reference.c
    case $compiler in clang*) more= ;; *) more="-fschedule-insns -fsched-pressure" ;; esac
    $compiler $flags $more -I"$dir/c" "$(dirname "$0")/table.c" "$dir"/c/*.c "$dir"/references/*.o -o "$dir/$compiler.so" -lm
    libraries="$libraries $dir/$compiler.so"
done
cc -O2 -I"$dir/object" "$(dirname "$0")/turns.c" -o "$dir/turns" -ldl -lm
"$dir/turns" $libraries
