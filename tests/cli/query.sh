#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# query: questions to the records of a small campaign on target fake. The answers of the views are compared with those
# that sqlite3 gives of the tables below them; what would write, attach or set is refused with its place.
set -u
. tests/lib/tap.bash
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }
command -v sqlite3 >/dev/null || skip_all "no sqlite3"
db=$dir/r/records.db

rg run table3 --tier smoke --set target=fake --set networks=alexnet --results "$dir/r"
[ -s "$db" ]
ok $? "a campaign on target fake has records"

same() { # name, columns and view, SQL on the tables
    "$bin" query "$dir/r" "$2" --format csv 2>"$err" | tail -n +2 | tr -d '\r' >"$dir/ours"
    sqlite3 -readonly -csv "$db" "$3" | tr -d '\r' >"$out"
    [ -s "$out" ] && cmp -s "$dir/ours" "$out"
    ok $? "$1: as sqlite3 has it from the tables"
}
same "trials of each arm" "SELECT arm, count(*), sum(run_s) > 0 FROM trials GROUP BY arm" \
    "SELECT arm, count(*), sum(run_s) > 0 FROM trial JOIN cell USING(cell) GROUP BY arm"
same "programs of each kernel" "SELECT network, arm, kernel, trials, length(name) FROM kernels WHERE trials > 0 ORDER BY cell, kernel" \
    "SELECT network, arm, t.task, (SELECT count(*) FROM trial x WHERE x.cell = c.cell AND x.task = t.task) n, length(t.name)
     FROM cell c JOIN task t USING(cell) WHERE n > 0 ORDER BY c.cell, t.task"
same "best trials" "SELECT hash FROM kernels JOIN trials ON trial = best_trial ORDER BY trial" \
    "SELECT hash FROM trial r WHERE id = (SELECT id FROM trial x WHERE x.cell = r.cell AND x.task = r.task AND
     x.mean_s IS NOT NULL ORDER BY mean_s, id LIMIT 1) ORDER BY id"
same "where arms begin" "SELECT arm, explorer, k FROM arms" \
    "SELECT arm, (SELECT arm FROM cell e WHERE e.cell = c.explore_cell), k FROM cell c"
same "rounds" "SELECT count(*), sum(asked) FROM rounds" "SELECT count(*), sum(asked) FROM round"
same "re-timings" "SELECT duel, launch, place, outcome FROM retimings ORDER BY 1, 2, 3" \
    "SELECT duel, launch, place, outcome FROM duel_launch ORDER BY 1, 2, 3"
same "sqlite3 sees the views" "SELECT count(*) FROM trials" "SELECT count(*) FROM trials"

gives 0 "an answer as a table" query "$dir/r" "SELECT arm AS \"a b\", k FROM arms LIMIT 1"
head -n 1 "$out" | grep -q '^a b  *k$'
ok $? "a table begins with the names of its columns"
gives 0 "an answer without rows" query "$dir/r" "SELECT arm FROM arms WHERE 0"
gives 0 "an answer as JSON" query "$dir/r" "SELECT name, NULL AS z, 1.5 AS x FROM kernels LIMIT 2" --json
perl -MJSON::PP -e 'local $/; my $d = decode_json(<STDIN>);
    exit !(@$d == 2 && $d->[1]{x} == 1.5 && exists $d->[0]{z} && !defined $d->[0]{z} && length $d->[0]{name})' <"$out"
ok $? "JSON has a row an object, NULL as null, numbers as numbers"
gives 0 "a text with quotes" query "$dir/r" "SELECT 'a,\"b' AS x" --format csv
printf 'x\r\n"a,""b"\r\n' | cmp -s - "$out"
ok $? "CSV quotes as RFC 4180 says"
gives 0 "a question without SQL" query "$dir/r"
prints "retimings: a row is"

sum=$(sqlite3 -readonly "$db" "SELECT count(*), total(cost_s), total(id) FROM trial")
while IFS='|' read -r sql message; do
    gives 2 "refused: $sql" query "$dir/r" "$sql"
    says "$message"
done <<'END'
DELETE FROM trial|records are only read here
UPDATE trial SET cost_s = 0|records are only read here
INSERT INTO trials(trial) VALUES(1)|records are only read here
DROP VIEW trials|records are only read here
CREATE TEMP TABLE x(y)|records are only read here
ATTACH 'x' AS y|records are only read here
PRAGMA user_version = 3|records are only read here
PRAGMA journal_mode = DELETE|records are only read here
SELECT load_extension('x')|not authorized to use function: load_extension
VACUUM INTO 'x'|records are only read here
BEGIN|records are only read here
SELECT nope FROM trials|SQL:1:8: no such column: nope
SELECT 1 FRM trials|SQL:1:14: near "trials": syntax error
SELECT * FROM trails|no such table: trails
SELECT 1; DELETE FROM trial|nothing may follow it
;|there is none
SELECT hex(zeroblob(50000000))|too big
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c|add LIMIT
END
[ "$sum" = "$(sqlite3 -readonly "$db" "SELECT count(*), total(cost_s), total(id) FROM trial")" ]
ok $? "nothing recorded was changed"
gives 2 "a folder without records" query "$dir" "SELECT 1"
says "no records at"
finish
