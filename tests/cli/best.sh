#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# best: programs of a small campaign: the table against the records, record lines by `replay`, and ten programs taken out
# as C and as objects, linked into the example program, which checks each against its reference, compiled apart.
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }
command -v sqlite3 >/dev/null || skip_all "no sqlite3"
command -v cc >/dev/null || skip_all "no C compiler"
example=$root/harness/doc/examples/best/programs.c
flags="-std=gnu17 -O1 -march=native -ffp-contract=fast -Wall -Wextra -Werror"

rg run race --tier smoke --results "$dir/r" --set kernels=10 --set seeds=1 --set threads=2 --set duels.max_launches=0 \
    --set random.trials_per_kernel=2 --set ansor.trials_per_kernel=2 --set ansor.batch=2 --set regime.number=1 --set regime.repeat=1
[ -s "$dir/r/records.db" ] || skip_all "no campaign on target cpu: $(tail -n 1 "$err")"

gives 0 "a table of programs" best "$dir/r"
prints "of roof"
gives 0 "the same as JSON" best "$dir/r" --json
json "ten kernels, each with a program" '@$d == 10 && !grep { !$_->{trial} || !length $_->{steps} } @$d'
perl -MJSON::PP -e 'local $/; printf "%s|%d|%.9g\n", @$_{qw(network kernel tuned_s)} for @{decode_json(<STDIN>)}' <"$out" >"$dir/ours"
perl -MJSON::PP -e 'local $/; print join(",", map { $_->{trial} } @{decode_json(<STDIN>)})' <"$out" >"$dir/trials"
sqlite3 -readonly "$dir/r/records.db" "SELECT network, task, printf('%.9g', mean_s) FROM trial JOIN cell USING(cell)
    WHERE id IN ($(cat "$dir/trials")) ORDER BY task" >"$out"
cmp -s "$dir/ours" "$out"
ok $? "a program has the time that its record has"
gives 0 "one kernel of one network" best "$dir/r" --network resnet18 --kernel 1 --json
json "is that kernel" '@$d == 1 && $d->[0]{kernel} == 1'

"$bin" best "$dir/r" --format tvm >"$dir/lines.json" 2>"$err"
ok $? "programs as record lines of TVM"
gives 0 "replay reads them, and each is right" replay "$dir/lines.json" --verify-only
prints "10 records, 10 applied, 10 right, 0 failed"

gives 0 "ten programs as C" best "$dir/r" --format c --output "$dir/c"
cc -O1 -I"$dir/c" -c -x c - -o "$dir/unused.o" <<<'#include <programs.h>' 2>"$err"
ok $? "the headers stand alone"
mkdir "$dir/references"
for f in "$dir"/c/*_reference.c; do cc $flags -O3 -c "$f" -o "$dir/references/$(basename "$f" .c).o" 2>"$err" || break; done
[ "$(ls "$dir/references" | wc -l)" = 10 ]
ok $? "ten references compile without a warning"
link_and_run() { # compiler what sources...
    local compiler=$1 what=$2
    shift 2
    $compiler $flags -fopenmp -I"$dir/c" "$example" "$@" "$dir"/references/*.o -lm -o "$dir/programs" 2>"$err"
    ok $? "$what are linked without a warning"
    "$dir/programs" >"$out" 2>"$err" && [ "$(grep -c ^resnet18 "$out")" = 10 ]
    ok $? "$what compute what their references compute"
}
rm "$dir"/c/*_reference.c
link_and_run cc "ten programs by cc" "$dir"/c/*.c
# Of some processors clang 19 calls the features invalid that it takes for native itself.
native="-Wno-unknown-warning-option -Wno-invalid-feature-combination"
clang=$(command -v clang-19 || command -v clang) || clang=
if [ -n "$clang" ] && echo 'int main(void){return 0;}' | "$clang" -fopenmp -xc - -o "$dir/a.out" 2>/dev/null; then
    link_and_run "$clang $native" "ten programs by clang" "$dir"/c/*.c
elif [ -n "$clang" ]; then
    flags="$flags -Wno-unknown-pragmas"
    link_and_run "$clang $native -Wno-unused-command-line-argument -fno-openmp" "ten programs by clang" "$dir"/c/*.c
else
    skip "ten programs by clang" "no clang"
fi
gives 0 "ten programs as objects" best "$dir/r" --format object --output "$dir/o"
cat >"$dir/run_tasks.c" <<'END'
#include <stdint.h>
int calls;
void raingauge_run_tasks(void (*task)(int32_t, int32_t, void *), void *env, int32_t n);
void raingauge_run_tasks(void (*task)(int32_t, int32_t, void *), void *env, int32_t n)
{
    calls++;
#pragma omp parallel for
    for (int32_t i = 0; i < n; i++)
        task(i, n, env);
}
END
link_and_run cc "ten objects with a way to run tasks" "$dir"/o/*.o "$dir/run_tasks.c"
nm "$dir"/o/*.o 2>/dev/null | grep ' U ' | grep -vE ' U _?(mem(set|cpy|move)|(exp|log|sqrt|tanh|erf|rint|fma|fmax|fmin)f?|_GLOBAL_OFFSET_TABLE_)$' >"$out"
[ ! -s "$out" ]
ok $? "objects need the C library only"
gives 0 "a program as LLVM IR" best "$dir/r" --kernel 1 --format llvm --output "$dir/ll" --json
json "is told of as JSON, too" '@$d == 1 && $d->[0]{kernel} == 1'
if [ -n "$clang" ] && "$clang" --version | grep -qE 'version (1[6-9]|2)'; then
    "$clang" -w -O1 -march=native -c "$dir/ll/resnet18_1.ll" -o "$dir/ll/resnet18_1.o" 2>"$err"
    ok $? "clang takes the IR"
else
    skip "clang takes the IR" "no clang of LLVM 16 or later"
fi

cross=${AARCH64_CC:-aarch64-linux-gnu-gcc}
if command -v qemu-aarch64 >/dev/null && echo 'int main(void){return 0;}' | $cross -static -xc - -o "$dir/a.out" 2>/dev/null &&
    "$bin" list targets 2>/dev/null | grep -q a64fx; then
    for form in object c; do
        gives 0 "a program for another machine, as $form" best "$dir/r" --kernel 1 --target a64fx --format $form --output "$dir/a-$form"
        $cross -O1 -mcpu=a64fx -ffp-contract=fast -static -I"$dir/a-$form" "$example" "$dir/a-$form"/*_1.[co] "$dir/a-$form"/*_reference.c -lm -o "$dir/programs" 2>"$err"
        qemu-aarch64 -cpu a64fx "$dir/programs" >"$out" 2>"$err"
        ok $? "the program for another machine computes what its reference computes, under qemu ($form)"
    done
else
    skip "a program for another machine" "no compiler for AArch64, or no qemu-aarch64"
fi

gives 2 "no such network" best "$dir/r" --network nonet
says "unknown network 'nonet': there are resnet18"
gives 2 "no such kernel" best "$dir/r" --kernel 77
gives 2 "a folder without records" best "$dir/nowhere"
gives 2 "no such form" best "$dir/r" --format pdf
rg run table3 --tier smoke --set target=fake --set networks=alexnet --results "$dir/fake"
gives 0 "programs of a virtual target are listed" best "$dir/fake"
gives 2 "programs of a virtual target cannot be taken out" best "$dir/fake" --format c --output "$dir/none"
says "target fake makes no code for other programs"
finish
