#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# package: the tarballs of `make ae-package` and `make ae-results`, from a small repository made here: the same bytes
# twice, sums that hold, no owner, no name or path of this machine, ARTIFACT.md in the cTuning order with every claim,
# repacking without git.
set -u
. tests/lib/tap.bash

sum() { sha256sum <"$1" | cut -d' ' -f1; }
package() { .ci/package "$1" "$bin" "$2" 9.9 >"$out" 2>"$err"; }
commit() { git add -A && git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm "$1" --date=2026-01-02T03:04:05Z; }

mkdir "$dir/repo" && cd "$dir/repo" || exit 1
cp -r "$root/.ci" "$root/experiments" . && mkdir -p plots results/table3/short
perl -0pi -e 's/networks: *\[[^\]]*\]/networks: [alexnet]/g' experiments/{controls,exploiters,metaschedule}.yaml # less to plan
echo "ours" >results/README.md && echo "1.5" >results/table3/short/summary.tsv
echo "see results/table3/short/" >README.md
echo "results/**/*.db*" >.gitignore
export GIT_COMMITTER_DATE=2026-01-02T03:04:05Z
git init -q . && commit "one" 2>/dev/null
ok $? "a small repository is made"

# ---- the artifact ----
package artifact "$dir/a"
ok $? "ae-package packs a committed tree"
sleep 1.1
umask 077
touch experiments/table3.yaml
package artifact "$dir/b"
umask 022
tar=raingauge-9.9-ae.tar.gz
[ -s "$dir/a/$tar" ] && [ "$(sum "$dir/a/$tar")" = "$(sum "$dir/b/$tar")" ]
ok $? "ae-package gives the same bytes a second later and under another umask"
tar --numeric-owner -tvzf "$dir/a/$tar" | awk '$2 != "0/0" { exit 1 }'
ok $? "the package names no owner"
tar -xzf "$dir/a/$tar" -C "$dir"
cd "$dir/raingauge-9.9-ae" || exit 1
sha256sum --quiet -c MANIFEST.sha256 2>"$err"
ok $? "the sums of the package hold"
[ "$(wc -l <MANIFEST.sha256)" = "$(find . -type f ! -name MANIFEST.sha256 | wc -l)" ]
ok $? "the package has a sum of every file"
cmp -s expected/table3/short/summary.tsv "$dir/repo/results/table3/short/summary.tsv"
ok $? "our results are in expected/ of the package"
[ "$(find results -type f)" = results/README.md ] && grep -q "^1\.\." expected/claims-droplet.txt && [ "$(cat README.md)" = "see expected/table3/short/" ]
ok $? "the verdicts are in expected/, and results/ is left to the reader"
[ "$(sed -n 1p REVISION)" = "$(git -C "$dir/repo" describe --always)" ]
ok $? "REVISION of the package is that of git"
grep '^## ' ARTIFACT.md | sed 's/ (.*//; s/^## //' | paste -sd, >"$dir/got"
echo "Abstract,Kick the tyres,Check-list,Description,Installation,Experiment workflow,Evaluation and expected results,Customization,Notes,Methodology" |
    cmp -s - "$dir/got"
ok $? "ARTIFACT.md has the cTuning order"
head -n 10 ARTIFACT.md | grep -q '`make check`' && head -n 10 ARTIFACT.md | grep -q '`make smoke`'
ok $? "the first ten lines of ARTIFACT.md say how a reviewer starts"
absent=
for id in $(sed -n 's/^ *- {*id: *\([^,]*\).*/\1/p' experiments/papers/droplet.yaml); do
    grep -qE "^(\| $id \||- $id \()" ARTIFACT.md || absent="$absent $id"
done
[ -z "$absent" ]
ok $? "ARTIFACT.md has every claim${absent:+, but not$absent}"
grep -qE '^\| C1\.ryzen7 \|.*\| 1\.198 \| 10 % \| `make reproduce-table3 TIER=full` \| [0-9.]+ [a-z]+ \| [0-9.]+ [MG]B \|$' ARTIFACT.md
ok $? "ARTIFACT.md has value, tolerance, command, time and disk of a claim"
grep -qF "$(sum experiments/papers/droplet.yaml)" ARTIFACT.md
ok $? "ARTIFACT.md has the hash of the claims"
for id in C1.a100 C1.rtx3080 C1.a64fx; do
    line=$(grep -F "| $id |" ARTIFACT.md)
    [[ $line == *"| needs hardware that is not here | - | - |" ]]
    ok $? "ARTIFACT.md has no command for $id, which is about other hardware"
done
smoke=$("$bin" plan table3 --tier smoke --pace 1 --results nothing-is-here --json | perl -MJSON::PP -MPOSIX=ceil -e '
    local $/; my $s = decode_json(<STDIN>)->{most_s}; printf $s < 90 ? "%d s" : "%d min", $s < 90 ? 10 * ceil($s / 10) : ceil($s / 60)')
grep -q "make smoke .*: at most $smoke\$" ARTIFACT.md
ok $? "ARTIFACT.md takes the time of make smoke from plan ($smoke)"
[ -z "$(awk 'length > 100 && !/^\|/ && !/^- \*\*/ && !/^- [A-Z]/' ARTIFACT.md)" ]
ok $? "ARTIFACT.md has no line of text over 100 columns"
grep -rqF -e "$dir" -e "$root" .
[ $? = 1 ]
ok $? "the package names no path of this machine"
package artifact "$dir/c"
[ "$(sum "$dir/c/$tar")" = "$(sum "$dir/a/$tar")" ]
ok $? "packed again from the package, without git, it has the same bytes"

# ---- what must not be packed ----
cd "$dir/repo" || exit 1
mkdir search && echo "int mine;" >search/mine.c
package artifact "$dir/d"
[ $? = 2 ] && [ ! -e "$dir/d/$tar" ] && grep -q "commit these sources first, .*: search/mine.c" "$err"
ok $? "ae-package refuses a source that is not committed, and names it"
rm -r search && echo "to do" >notes.txt
package artifact "$dir/d"
[ $? = 0 ] && grep -q "left out, as they are not committed: notes.txt" "$err" && ! tar -tzf "$dir/d/$tar" | grep -q notes.txt
ok $? "ae-package leaves out another file that is not committed, and says so"
rm -r notes.txt "$dir/d"
echo "made in $PWD/results" >results/table3/short/report.txt && commit "two" 2>/dev/null
package artifact "$dir/d"
[ $? != 0 ] && [ ! -e "$dir/d/$tar" ] && grep -q "report.txt" "$err"
ok $? "results that name a path of this machine are refused, with the file"

# ---- a reviewer's results ----
rm results/table3/short/report.txt
package results "$dir/e"
[ $? = 2 ] && grep -q "holds no records" "$err"
ok $? "ae-results before any run is refused with the reason"
mkdir -p results/odd && : >results/odd/records.db
package results "$dir/e"
[ $? = 2 ] && grep -q "'results/odd' cannot be read" "$err"
ok $? "ae-results with records that are none is refused, and names them"
rm -r results/odd
"$bin" run table3 --tier smoke --set target=fake --set kernels=1 --set ansor.model=random --quiet 2>"$err" &&
    "$bin" report table3 --tier smoke --set target=fake --set kernels=1 --set ansor.model=random --write >/dev/null 2>"$err"
ok $? "a run on target fake is reported"
package results "$dir/e" && sleep 1.1 && package results "$dir/f"
ok $? "ae-results packs the results folder"
tar=raingauge-results.tar.gz
[ -s "$dir/e/$tar" ] && [ "$(sum "$dir/e/$tar")" = "$(sum "$dir/f/$tar")" ]
ok $? "ae-results gives the same bytes twice"
tar -xzf "$dir/e/$tar" -C "$dir" && cd "$dir/raingauge-results" && sha256sum --quiet -c MANIFEST.sha256 2>"$err"
ok $? "the sums of the results hold"
for f in records.db report.txt report.json summary.tsv host.json; do
    [ -s results/table3/smoke/$f ]
    ok $? "the results hold $f"
done
grep -q '^results/table3/smoke: target fake, [0-9]* of [0-9]* searches done, [1-9][0-9]* trials .*, reported$' SUMMARY.txt
ok $? "a line of the results says what was run, and on which target"
perl -MJSON::PP -e 'local $/; decode_json(<STDIN>)->{machine}' <doctor.json && [ -s claims-droplet.json ]
ok $? "the results hold the machine and the verdicts"
"$bin" status results/table3/smoke --json 2>"$err" | grep -q '"cells_done": *[1-9]'
ok $? "the records of the results can be read"
cd "$dir/repo" && perl -i -pe 's/"hash": *"[0-9a-f]/"hash":"z/' results/table3/smoke/report.json
package results "$dir/g"
[ $? = 2 ] && [ ! -e "$dir/g/$tar" ] && grep -q "another experiment than the records" "$err"
ok $? "a report of another experiment than its records is refused"

finish
