# SPDX-License-Identifier: Apache-2.0
# tap: what the shell tests share, read with `.`: the binary to test, a folder of its own, TAP lines. A test ends with
# `finish`. It skips where the binary is missing, unless it says without_binary=1 first.
#   $bin    raingauge, absolute ($RAINGAUGE or the release build)     $root  the checkout, where the test starts
#   $dir    an empty folder, gone afterwards          $doubles  of NVIDIA's libraries, if they are built
#   $out    what the last command printed, $err on its second stream; a point that fails shows them
bin=${RAINGAUGE:-build/release/raingauge}
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
root=$PWD
doubles=${bin%/*}/doubles
[ -e "$doubles/libcuda.so.1" ] || doubles=$root/build/${MODE:-release}/doubles
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export RAINGAUGE_LOCK=${RAINGAUGE_LOCK:-off}
out=$dir/out err=$dir/err
n=0 failed=0

skip_all() { # reason
    echo "1..0 # SKIP $1"
    exit 0
}
ok() { # status name
    n=$((n + 1))
    if [ "$1" = 0 ]; then
        echo "ok $n - $2"
    else
        echo "not ok $n - $2"
        sed 's/^/# out: /' "$out" 2>/dev/null | cut -c1-2000 | head -8 >&2
        sed 's/^/# err: /' "$err" 2>/dev/null | cut -c1-2000 | head -5 >&2
        failed=1
    fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
says() { grep -qF -e "$1" "$err"; ok $? "the error says: ${1//#/\\#}"; }
prints() { grep -qF -e "$1" "$out"; ok $? "the output says: ${1//#/\\#}"; }
# gives CODE NAME ARGUMENT...: what `rg ARGUMENT...` exits with; each test has its own rg, which runs $bin into $out
# and $err.
gives() {
    local want=$1 name=$2 got
    shift 2
    rg "$@"
    got=$?
    [ $got = "$want" ]
    ok $? "$name: exit $want (was $got)"
}
# json NAME EXPRESSION: $out is one JSON text, held in $d, and the expression is true of it.
json() {
    perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>); exit(eval($ARGV[0]) ? 0 : 1)' "$2" <"$out"
    ok $? "$1"
}
finish() {
    echo "1..$n"
    exit $failed
}

echo "TAP version 13"
[ -n "${without_binary:-}" ] || [ -x "$bin" ] || skip_all "no binary at $bin"
