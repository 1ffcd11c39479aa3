#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cross FOLDER: the whole of raingauge built for AArch64 and tried under qemu (`make cross`). Debian's libraries for arm64
# are unpacked into FOLDER/root, beside the system and without root's rights; that needs the network once. What then runs
# is the real program: it finds its processor, compiles kernels for it, runs and checks them, and searches. $RAINGAUGE is
# the program for this machine, $CC_AARCH64 the compiler with what goes before it. Nothing is timed.
set -u
. tests/lib/tap.bash
mkdir -p "$1" && folder=$(cd "$1" && pwd) || exit 2
root_of=$folder/root unit=$folder/build/release/tests/unit
for tool in apt-get dpkg aarch64-linux-gnu-gcc qemu-aarch64 pkg-config sqlite3; do
    command -v $tool >/dev/null || skip_all "no program '$tool' (Debian: apt, gcc-aarch64-linux-gnu, qemu-user)"
done

# ---- Debian's libraries for arm64 ----
packages="libc6-dev libsqlite3-dev libyaml-dev libcjson-dev libmd-dev libprotobuf-c-dev libxgboost-dev libpapi-dev opencl-headers
    libgomp1 libllvm19 libllvm16 llvm-19-dev"
fetch() {
    local apt=$folder/apt deb
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$root_of" && : >"$apt/status"
    cat >"$apt/conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Debug::NoLocking "true";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
END
    APT_CONFIG=$apt/conf apt-get update && APT_CONFIG=$apt/conf apt-get -y -d install $packages || return
    for deb in "$apt"/cache/archives/*.deb; do
        case ${deb##*/} in
        lib*-dev_* | lib[a-z]* | linux-libc-dev_* | llvm-19-dev_* | opencl-* | zlib1g_*) dpkg -x "$deb" "$root_of" || return ;;
        esac
    done
    rm -rf "$apt" && touch "$root_of/whole"
}
[ -e "$root_of/whole" ] || fetch >"$folder/fetch.log" 2>&1 ||
    skip_all "Debian's packages for arm64 could not be had: $(tail -n 1 "$folder/fetch.log")"

# ---- the program, and tests of its rooms ----
cat >"$folder/llvm-config" <<END
#!/bin/sh
case \$1 in
--version) echo 19.1 ;;
--includedir) echo $root_of/usr/lib/llvm-19/include ;;
--libfiles) echo $root_of/usr/lib/llvm-19/lib/libLLVM.so.1 ;;
esac
END
chmod +x "$folder/llvm-config"
tests="base/arena base/digest base/file base/json base/map base/rng base/text stats/summary stats/survival stats/t_test
    program/half record/store targets/processor targets/tvm_llvm targets/tvm_facts models/xgb"
build() {
    local libraries=$root_of/usr/lib/aarch64-linux-gnu
    env -u MAKEFLAGS -u MAKELEVEL PKG_CONFIG_SYSROOT_DIR="$root_of" \
        PKG_CONFIG_LIBDIR="$libraries/pkgconfig:$root_of/usr/share/pkgconfig" \
        make -j"$(nproc)" BUILD="$folder/build" MODE=release LLVM_CONFIG="$folder/llvm-config" \
        CC="${CC_AARCH64:-aarch64-linux-gnu-gcc} --sysroot=$root_of" "$@"
}
build "$folder/build/raingauge" $(printf "$unit/%s " $tests) >"$folder/build.log" 2>&1
ok $? "raingauge and tests of its rooms are linked for AArch64"
[ -x "$folder/build/raingauge" ] || { tail -n 5 "$folder/build.log" >&2; finish; }
aarch64-linux-gnu-gcc -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -fPIC -shared tests/aarch64/spawn.c -o "$folder/spawn.so" 2>"$err"
ok $? "what starts the emulator anew is linked"

# ---- under the emulator ----
export RAINGAUGE_EMULATOR="$(command -v qemu-aarch64) -cpu a64fx -L $root_of -E LD_PRELOAD=$folder/spawn.so"
export RAINGAUGE_DATADIR=$root
emulated() { $RAINGAUGE_EMULATOR "$@"; }
rg() { emulated "$folder/build/raingauge" "$@" >"$out" 2>"$err" </dev/null; }
slow="--regime quick,build_timeout_s=600,run_timeout_s=600 --threads 2 --json"
for test in $tests; do
    emulated "$unit/$test" >"$out" 2>"$err" && grep -q '^ok' "$out" && ! grep -q '^not ok' "$out"
    ok $? "test $test passes on AArch64"
done
rg doctor --json
json "the program says that it is on AArch64, and target cpu works" \
    '$d->{machine}{arch} eq "aarch64" && (grep { $_->{name} eq "cpu" && $_->{works} } @{$d->{devices}})'
sed -n '5p;7p;16p' tests/cli/replay/own.jsonl >"$dir/three.jsonl"
for codegen in fast tvm; do
    gives 0 "it compiles kernels for its own processor by codegen=$codegen and checks them" \
        replay "$dir/three.jsonl" --target "cpu,mcpu=a64fx,codegen=$codegen" --verify-only $slow
    json "three of codegen=$codegen are right" '$d->{right} == 3'
done
printf '[["RE",2,[0,2,1]],["AN",2,2,2]]' >"$dir/steps"
gives 0 "it shows what it makes of a kernel" show "matmul n=64 m=16 k=64" --steps "$dir/steps" --target cpu,mcpu=a64fx --dump asm
prints "ptrue"

# ---- a search gives the records that it gives here ----
cat >"$dir/far.yaml" <<END
experiment: far
title: the same search on two architectures
paper: droplet
report: table3
machine: host
target: fake
networks: [alexnet]
kernels: 1
seeds: 1
regime: tvmc
duels: {max_launches: 5}
arms:
  - {name: ansor, searcher: ansor, model: random, scheduler: gradient, batch: 4, trials_per_kernel: 24}
  - {name: dpansor, explore: ansor, exploit: droplet, k: [4], trials_per_kernel: 8}
END
gives 0 "it runs a campaign" run "$dir/far.yaml" --results "$dir/aarch64"
"$bin" run "$dir/far.yaml" --results "$dir/here" >"$out" 2>"$err"
ok $? "the program for this machine runs it, too"
for table in cell task round trial duel_launch; do
    for of in aarch64 here; do sqlite3 -readonly "$dir/$of/records.db" "SELECT * FROM $table" >"$dir/$of.$table"; done
    [ -s "$dir/here.$table" ] && cmp -s "$dir/aarch64.$table" "$dir/here.$table"
    ok $? "both have the same rows in table $table"
done
finish
