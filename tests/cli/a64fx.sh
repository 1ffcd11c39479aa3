#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# a64fx: kernels for the A64FX as a user meets them: doctor says whether they can be checked here, `replay --verify-only`
# checks them, and whatever would time them is refused. Of the authors' x86 schedules of twelve networks a sample is made
# into code of 512 bits and checked: RAINGAUGE_RECORDS=100 takes a hundred (default 10).
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" --experiments "$root/experiments" >"$out" 2>"$err" </dev/null; }
"$bin" list targets --experiments experiments | grep -q "^a64fx" || skip_all "target a64fx is not in this binary"
sed -n '5p;7p;16p' tests/cli/replay/own.jsonl >"$dir/three.jsonl"

rg doctor --json
json "doctor says of target a64fx whether it works, and why" 'my ($x) = grep { $_->{name} eq "a64fx" } @{$d->{devices}}; $x && length $x->{reason}'
gives 2 "replay does not time an emulated kernel" replay "$dir/three.jsonl" --target a64fx
says "a time would say nothing"
gives 2 "plan does not plan to time emulated kernels" plan table3 --tier smoke --set target=a64fx
says "a time would say nothing"
gives 2 "to verify only and not to verify is refused" replay "$dir/three.jsonl" --verify-only --regime quick,verify=false
PATH=$dir rg show "matmul n=4 m=4 k=4" --target a64fx --dump asm
grep -qE "no qemu-aarch64 in PATH|built without a compiler for AArch64" "$err"
ok $? "without qemu the reason is told"

rg doctor --json
reason=$(perl -MJSON::PP -e 'local $/; my ($x) = grep { $_->{name} eq "a64fx" } @{decode_json(<STDIN>)->{devices}}; print $x->{works} ? "" : $x->{reason}' <"$out")
if [ -n "$reason" ]; then
    skip "kernels are checked under the emulator" "$reason"
else
    slow="--regime quick,build_timeout_s=300,run_timeout_s=300 --threads 2 --json"
    gives 0 "records are checked under the emulator" replay "$dir/three.jsonl" --target a64fx --verify-only $slow
    json "three are right, and none has a time" '$d->{right} == 3 && $d->{verify_only} && !@{$d->{times}} && !defined $d->{recorded_over_ours}'
    gives 0 "the code of codegen=tvm is checked, too" replay "$dir/three.jsonl" --target a64fx,codegen=tvm --verify-only $slow
    json "three of codegen=tvm are right" '$d->{right} == 3'
    printf '[["RE",2,[0,2,1]],["AN",2,2,2]]' >"$dir/steps"
    gives 0 "assembly for the A64FX is shown" show "matmul n=64 m=16 k=64" --steps "$dir/steps" --target a64fx --dump asm
    prints "ptrue"
    kernels=${RAINGAUGE_SHARED:-../shared}/data/kernels
    count=${RAINGAUGE_RECORDS:-10}
    if [ -d "$kernels" ]; then
        # Every kernel once, from the least work on; what is above half of that would take the emulator hours.
        perl -MJSON::PP -e '
            my ($count, @all, %seen) = shift;
            while (<>) {
                my $r = decode_json($_);
                next if $seen{"$r->{kind} $r->{desc}"}++;
                my %d = map { split /=/ } split / /, $r->{desc};
                my $work = 1;
                $work *= $d{$_} // 1 for qw(n c ci co ho wo kh kw);
                push @all, [$work, $_];
            }
            @all = sort { $a->[0] <=> $b->[0] || $a->[1] cmp $b->[1] } @all;
            print $all[$_ * @all / 2 / $count][1] for 0 .. $count - 1' "$count" "$kernels"/*.steps.jsonl >"$dir/x86.jsonl"
        gives 0 "the authors' schedules for x86 are checked in code of 512 bits" replay "$dir/x86.jsonl" --target a64fx --verify-only $slow
        json "$count of $count of the authors' schedules are right" "\$d->{records} == $count && \$d->{right} == $count"
    else
        skip "the authors' schedules for x86 are checked in code of 512 bits" "no data/kernels below RAINGAUGE_SHARED"
    fi
fi
gives 0 "other targets verify only, too" replay "$dir/three.jsonl" --verify-only --regime quick
prints "not timed"
finish
