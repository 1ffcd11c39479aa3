#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# debian: what packages say agrees with what is in the tree: the version, the packages that building and
# running take, the files of debian/. `make deb` builds the package (ten minutes of one core, not here).
set -u
. tests/lib/tap.bash

[ "$("$bin" --version | cut -d' ' -f2)" = "$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)" ]
ok $? "the version of the package is what raingauge --version prints"
known=" $(sed -n '/^packages="/,/"$/p' .ci/deps | tr -d '"\n' | sed 's/^packages=//') "
absent=
for package in $(sed -n '/^Build-Depends:/,/^$/p' debian/control | sed 's/^Build-Depends://; s/([^)]*)//g' | tr -d ,); do
    case $package in debhelper-compat) ;; *) [[ $known == *" $package "* ]] || absent="$absent $package" ;; esac
done
[ -z "$absent" ]
ok $? "what the package builds with is what .ci/deps installs${absent:+, but not$absent}"
[ "$(grep -hoE 'deps build-essential debhelper' Makefile Containerfile | wc -l)" = 2 ]
ok $? "make deb and the container install what dpkg-buildpackage asks for beside that"
for library in 19 16; do
    grep -q "^Depends:.* libllvm$library\b" debian/control
    ok $? "the package depends on LLVM $library, which is loaded when it is needed"
done
for tool in dpkg-parsechangelog dh; do
    command -v $tool >/dev/null || { skip "dpkg and debhelper read debian/" "no $tool here" && finish; }
done
dpkg-parsechangelog >"$out" 2>"$err" && [ ! -s "$err" ]
ok $? "dpkg reads the changelog without a warning"
mkdir "$dir/tree" && cp -R debian "$dir/tree" && cd "$dir/tree" && dh binary --no-act >"$out" 2>"$err"
ok $? "debhelper reads debian/"
cd "$root" && DESTDIR=$dir/root make -n clean BUILD=build/debian >"$out" 2>"$err" && [ "$(cat "$out")" = "rm -rf build/debian" ]
ok $? "cleaning for the package spares build/"
finish
