#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# results_folder: every verb that reads records takes a results folder, or the records in it. A small campaign on target
# fake; sqlite3 says what is in it.
set -u
. tests/lib/tap.bash
rg() { timeout 300 "$bin" "$@" >"$out" 2>"$err" </dev/null; }
command -v sqlite3 >/dev/null || skip_all "no sqlite3"
sets=(--set target=fake --set networks=alexnet)
r=$dir/r
rg run table3 --tier smoke "${sets[@]}" --results "$r"
trials=$(sqlite3 -readonly "$r/records.db" "SELECT count(*) FROM trial")
valid=$(sqlite3 -readonly "$r/records.db" "SELECT count(*) FROM trial WHERE outcome = 'ok'")
[ "${trials:-0}" -gt 0 ]
ok $? "a campaign on target fake has records"

# ---- a folder instead of a file of records ----
for path in "$r" "$r/records.db"; do
    gives 0 "replay takes ${path#"$dir"/}" replay "$path" --dry --json
    json "records of a run are all that sqlite3 counts, and apply" "\$d->{records} == $trials && \$d->{applied} == $trials && !\$d->{guessed}"
done
sqlite3 -readonly "$r/records.db" "SELECT id || ' ' || hash FROM trial ORDER BY id" >"$dir/hashes"
[ "$(sort -u -k2 "$dir/hashes" | wc -l)" -gt 2 ]
ok $? "programs of a run differ"
rg replay "$r" --dump state
perl -MJSON::PP -ne '$d = decode_json($_); print "$d->{id} ", $n{$d->{state}} //= ++$i, "\n"' "$out" >"$dir/states"
join "$dir/hashes" "$dir/states" | awk '{ if (($2 in state && state[$2] != $3)) bad = 1; state[$2] = $3 } END { exit bad || NR != '"$trials"' }'
ok $? "records of one hash replay to one state"
gives 0 "train takes a folder" train xgb --data "$r" --json --output "$dir/model"
json "a model is trained on the valid records of a run" "\$d->{records} == $valid && \$d->{untimed} == $trials - $valid && !\$d->{refused}"
gives 2 "a folder without records is refused" replay "$dir" --dry
says "no records in '$dir'"

# ---- a folder instead of an experiment ----
gives 0 "the report of an experiment and its folder" report table3 --tier smoke "${sets[@]}" --results "$r" --json
cp "$out" "$dir/named"
for path in "$r" "$r/"; do
    gives 0 "the report of a folder" report "$path" "${sets[@]}" --json
    cmp -s "$out" "$dir/named"
    ok $? "the report of a folder is that of its experiment"
done
gives 2 "a folder of records that were made with another --set is refused" report "$r"
says "--set they were made with"
gives 2 "a folder and --results are refused" report "$r" --results "$r"
says "leave out --results"
gives 2 "a folder that holds no results is refused" report "$dir"
says "neither records.db nor report.json"
gives 4 "claims of a folder are judged by it alone" claims "$r" "${sets[@]}" --json
json "claims of a folder are those that its experiment tests" '@{$d->{runs}} == 1 && !grep { $_->{experiment} ne "table3" } @{$d->{claims}}'
mkdir "$dir/r2" && "$bin" report "$r" "${sets[@]}" --json >"$dir/r2/report.json"
gives 2 "a folder without its records is not compared" compare "$r" "$dir/r2"
says "they were not kept"

# ---- packed records: what sqlite3 has of the rows, and the same report to the byte ----
gives 0 "records are packed" archive "$r" --json
json "the answer says their number and digest" "\$d->{trials} == $trials && !\$d->{reduced} && \$d->{bytes} == -s '$r/records.db.xz' && \$d->{sha256} eq (split ' ', \`sha256sum '$r/records.db.xz'\`)[0]"
cp "$r/records.db.xz" "$dir/first" && gives 0 "records are packed again" archive "$r"
cmp -s "$dir/first" "$r/records.db.xz"
ok $? "the same records give the same file"
whole=$(stat -c %s "$r/records.db.xz")
rg archive "$r" --limit 0.001
says "even without schedules"
for form in whole reduced; do
    if [ $form = reduced ]; then
        gives 0 "records are packed without schedules" archive "$r" --limit "$(perl -e "print(($whole - 1) / 2 ** 20)")"
    fi
    mkdir "$dir/$form" && cp "$r/records.db.xz" "$dir/$form/"
    gives 0 "a report from packed records ($form)" report "$dir/$form" "${sets[@]}" --json
    cmp -s "$out" "$dir/named"
    ok $? "the report from packed records is the same to the byte ($form)"
    gives 0 "the packed run and its original are compared ($form)" compare "$r" "$dir/$form" --json
    xz -dc "$dir/$form/records.db.xz" >"$dir/unpacked"
    kept="SELECT count(*) FROM trial WHERE steps <> ''"
    gives 0 "a question to packed records ($form)" query "$dir/$form" "SELECT count(*) AS n FROM trials" --format csv
    gives 0 "the schedules that are kept are replayed ($form)" replay "$dir/$form" --dry --json
    json "records that are replayed are those in the file ($form)" "\$d->{records} == $(sqlite3 "$dir/unpacked" "$kept") && \$d->{records} == \$d->{applied}"
done
gives 2 "packed records are not packed" archive "$dir/whole"
says "no records.db"
gives 0 "a run begins anew where only packed records are" run table3 --tier smoke "${sets[@]}" --results "$dir/whole" --quiet

# ---- a machine in use: another program holds the lock ----
perl -MFcntl -e 'open(my $f, "+>", $ARGV[0]) or die; my $all = pack("ss x![q] qqi", F_WRLCK, 0, 0, 4096, 0);
    fcntl($f, F_SETLK, $all) or die;
    open(my $g, ">", "$ARGV[0].held"); sleep 600' "$dir/lock" >/dev/null 2>&1 &
holder=$!
until [ -e "$dir/lock.held" ]; do sleep 0.1; done
export RAINGAUGE_LOCK=$dir/lock
gives 7 "a campaign beside another is refused" run table3 --tier smoke --set target=cpu --set networks=alexnet --results "$dir/r3"
says "by process $holder, and two would disturb each other"
gives 0 "a virtual target disturbs nobody" run table3 --tier smoke "${sets[@]}" --results "$dir/r4" --quiet
kill -9 "$holder"
finish
