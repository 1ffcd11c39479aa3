#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nightly_bisect: a slow binary planted among the binaries of seven nights and among commits of a checkout made here, whose
# make writes a script around the real binary: whether it is found, in how many launches, and what cannot be judged is not
# guessed.
set -u
. tests/lib/tap.bash
. tests/lib/nightly.bash

gives 2 "bisecting before there is a night is refused" nightly --bisect 1 2
says "run \`raingauge nightly\` first"
for i in 1 2 3 4 5 6 7; do
    [ $i -ge 5 ] && slow=slow=0.12 || slow=fail=0
    binary b$i $slow
    RAINGAUGE_FAKE=night=$i rg nightly --binary "$dir/b$i"
done
gives 0 "the first slow binary of seven nights is found" nightly --bisect 1 7
prints "first slow one: night 5, $(sha256sum b5 | cut -c1-12)"
prints "last fast one:  night 4, $(sha256sum b4 | cut -c1-12)"
says "7 binaries from night 1"
says "16 launches of the two ends, then 3 rounds of 24: 88 launches at most"
says "bisect: about "
[ "$(grep -c "^bisect: night" err)" -le 3 ]
ok $? "seven nights take three rounds at most"
gives 0 "the same command goes on with what is measured" nightly --bisect 1 7
! grep -q "bisect: about" err
ok $? "nothing is launched a second time"
mv "$state/binaries/$(sha256sum b4 | cut -c1-16)" gone
gives 4 "a binary that is gone is not taken for a fast one" nightly --bisect 1 7
prints "not judged:     night 4, $(sha256sum b4 | cut -c1-12)"
prints "its binary is no longer kept"
printf '#!/bin/sh\n[ "$1" = nightly ] && exit 9\nexec "%s" "$@"\n' "$bin" >"$state/binaries/$(sha256sum b3 | cut -c1-16)/raingauge"
gives 4 "a binary that fails is passed over, and not guessed" nightly --bisect 2 7
grep -q "^not judged:     night 3.*ended with status 9" out
ok $? "the binary that fails is named with its reason"
gives 4 "two equally fast nights have nothing to bisect" nightly --bisect 1 2
says "nothing to bisect in"
gives 2 "nights in the wrong order are refused" nightly --bisect 7 1
says "night 7 is not before night 1"
gives 2 "a night that is not there and no commit either is refused" nightly --bisect 1 99
says "neither two nights nor a commit and a later one"
gives 2 "a series that is not there is refused" nightly --bisect 1 7 --series "program 99"
says "unknown series 'program 99'"
gives 2 "one end alone is refused" nightly --bisect 1
says "takes two"
gives 2 "a second machine is refused" nightly host other

# ---- commits ----
if command -v git >/dev/null; then
    git init -q tree && cd tree || exit 1
    git config user.email nobody@example.org && git config user.name nobody
    cp -r ../exp experiments
    make_commit() { # what make does, message
        printf 'all:\n\t%s\n' "$1" >Makefile
        git add -A && git commit -qm "$2" && git rev-parse HEAD
    }
    wrap() { echo "mkdir -p build && printf '%s\\n' '\\#!/bin/sh' 'RAINGAUGE_FAKE=\$\${RAINGAUGE_FAKE:+\$\$RAINGAUGE_FAKE,}slow=$1 exec $bin \"\$\$@\"' >build/raingauge && chmod +x build/raingauge # $2"; }
    good=$(make_commit "$(wrap 0 1)" one)
    make_commit "$(wrap 0 2)" two >/dev/null
    make_commit false broken >/dev/null
    fast=$(make_commit "$(wrap 0 3)" three)
    slow=$(make_commit "$(wrap 0.12 4)" four)
    bad=$(make_commit "$(wrap 0.12 5)" five)
    rg() { "$bin" "$@" --experiments "$dir/exp" >"$out" 2>"$err" </dev/null; }
    gives 0 "the first slow commit is found" nightly --bisect "$good" "$bad"
    prints "last fast one:  commit ${fast:0:12}"
    prints "first slow one: commit ${slow:0:12}"
    [ -z "$(git status --short)" ] && [ "$(git worktree list | wc -l)" = 1 ]
    ok $? "the checkout is as it was, without further worktrees"
    make_commit false "broken again" >/dev/null
    gives 2 "an end that does not build is an error" nightly --bisect "$good" HEAD
    cd ..
else
    skip "the first slow commit is found" "git is not installed"
fi
finish
