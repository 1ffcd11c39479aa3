#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# install: `make install` compiles nothing whatever the prefix, the installed binary finds its data beside itself, the tree
# may be moved, and uninstall leaves nothing; then what the binary says where it finds no experiments.
set -u
. tests/lib/tap.bash

# The build that holds the binary: .../build/MODE/raingauge. Variables of an outer make come along, its jobs do not.
mode=$(basename "$(dirname "$bin")") build=$(dirname "$(dirname "$bin")")
build=${build#"$root"/}
case ${MAKEFLAGS:-} in *" -- "*) variables=" -- ${MAKEFLAGS#* -- }" ;; *) variables= ;; esac
build() { env MAKEFLAGS="$variables" MODE="$mode" make --no-print-directory BUILD="$build" "$@" >"$out" 2>"$err"; }
rg() { "$dir/$prefix/bin/raingauge" "$@" >"$out" 2>"$err" </dev/null; }
prefix=one

if [ -e "$build/$mode/flags" ]; then
    build install PREFIX="$dir/one"
    ok $? "make install with a prefix of its own succeeds"
    ! grep -qE '^(cc|link) ' "$out"
    ok $? "make install compiles nothing"
    [ -s "$dir/one/share/man/man1/raingauge.1" ] && [ -s "$dir/one/share/bash-completion/completions/raingauge" ]
    ok $? "make install puts the man page and the completion in place"
    pages=$dir/one/share/doc/raingauge absent=
    for page in $(sed -n 's/^|[^|]*| `\(harness[^`]*\)` |$/\1/p' "$pages/README.md"); do
        [ -s "$pages/$page" ] || absent="$absent $page"
    done
    [ -s "$pages/harness/doc/reading.md" ] && [ -z "$absent" ]
    ok $? "make install puts the pages that README.md sends to beside it${absent:+, but not$absent}"
    unit=$dir/one/share/systemd/user/raingauge-nightly
    [ -s "$unit.timer" ] && grep -qxF "ExecStart=$dir/one/bin/raingauge nightly \$OPTIONS" "$unit.service" && ! grep -q "git pull" "$unit.service"
    ok $? "make install puts the timer and a unit that starts the installed binary in place"
    if command -v systemd-analyze >/dev/null; then
        XDG_RUNTIME_DIR=$dir systemd-analyze verify --user "$unit.service" "$unit.timer" >"$out" 2>"$err"
        ok $? "systemd takes the unit and the timer"
    else
        skip "systemd takes the unit and the timer" "systemd-analyze is not installed"
    fi
    mkdir "$dir/empty" && cd "$dir/empty" || exit 1
    gives 0 "the installed binary plans from an empty folder" plan table3 --set target=fake
    mv "$dir/one" "$dir/two" && prefix=two
    gives 0 "the installed tree may be moved" list experiments --names
    prints "table3"
    cd "$root" && build uninstall PREFIX="$dir/two" && [ -z "$(find "$dir/two" -type f)" ]
    ok $? "make uninstall leaves no file"
else
    skip "make install compiles nothing" "$bin is not in a build folder"
fi

# ---- a binary without its data ----
mkdir -p "$dir/alone/bin" "$dir/nothing" && cp "$bin" "$dir/alone/bin/raingauge" && cd "$dir/nothing" || exit 1
prefix=alone
for verb in "plan table3" "report table3" "list experiments" "show resnet18:0" "nightly" "claims droplet"; do
    gives 2 "without experiments '$verb' is refused" $verb
    says "tried 'experiments', '$dir/alone/share/raingauge/experiments'; name one by --experiments DIR"
done
gives 0 "without experiments doctor still works" doctor
prints "targets:"
prints "no folder of experiments: tried 'experiments'"
gives 0 "without experiments doctor --json still works" doctor --json
json "doctor --json says that no experiments were found" \
    '@{$d->{experiments}} == 1 && !$d->{experiments}[0]{works} && $d->{experiments}[0]{reason} =~ /no folder of experiments/'
gives 0 "without experiments searchers can be listed" list searchers
gives 2 "a folder of experiments that is not there is refused" list experiments --experiments nowhere
says "--experiments 'nowhere': there is no such folder"
RAINGAUGE_DATADIR=$root gives 0 "RAINGAUGE_DATADIR names the folder with experiments" plan table3 --set target=fake
mkdir experiments && cp "$root/experiments/table3.yaml" experiments/own.yaml
RAINGAUGE_DATADIR=$root gives 0 "experiments in the current folder come first" list experiments --names
[ "$(cat "$out")" = own ]
ok $? "experiments in the current folder hide the others"
finish
