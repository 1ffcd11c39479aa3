#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# conditions: arms with a layout, threads and regime of their own. Target fake has neither layout nor threads, so a program is as
# fast under both; target cpu has, and its search is of two trials.
set -u
. tests/lib/tap.bash
experiments=$root/experiments
cd "$dir" || exit 1

yaml() { # target, line that allows it, what the arm adds
    cat <<END
experiment: own
report: contest
machine: host
target: $1
networks: [squeezenet]
kernels: 2
$2
regime: {preset: quick}
duels: {max_launches: 5, null_least: 1}
retime_regime: {number: 1, repeat: 3, min_repeat_ms: 1}
arms:
  - {name: first, searcher: random, batch: 2, trials_per_kernel: 4}
  - {name: again, explore: first, exploit: remeasure, k: [4], trials_per_kernel: 1}
  - {name: packed, explore: first, exploit: remeasure, k: [4], trials_per_kernel: 1$3}
END
}
rg() { "$bin" "$@" --experiments "$experiments" >out 2>err </dev/null; }
query() { sqlite3 "$1/records.db" "$2"; }
is() { # got want name
    [ "$1" = "$2" ]
    ok $? "$3 ($1, wanted $2)"
}

own=", layout: 1, threads: 1, regime: droplet"
yaml fake "seeds: 1" "$own" >own.yaml
gives 2 "arms of unlike conditions are refused without the word" plan own.yaml
says "own.yaml:14:117: arm 'packed' is not built and timed as arm 'first' is (layout=1, threads=1, regime number=3 "
says "'unlike: true' in the file"
yaml fake "seeds: 1" ", layout: 2, regime: {number: 1}" >own.yaml
gives 0 "an arm that says what the experiment says is alike" plan own.yaml
yaml cpu "unlike: true" ", target_settings: {mcpu: x86-64, mcup: 1}" >own.yaml
gives 2 "a wrong setting of an arm's target is refused" plan own.yaml
says "own.yaml:14:103: settings of 'cpu': unknown setting 'mcup'"
yaml fake "unlike: true" "$own" >own.yaml
gives 0 "with the word they are planned" plan own.yaml --json
hash=$(perl -MJSON::PP -e 'local $/; print decode_json(<STDIN>)->{hash}' <out)
yaml fake "unlike: true" "" >own.yaml
gives 0 "the same experiment without them is planned" plan own.yaml --json
json "conditions are part of the hash" "\$d->{hash} ne '$hash'"

yaml fake "unlike: true" "$own" >own.yaml
gives 0 "a run with them works" run own.yaml --results r --quiet
is "$(query r "SELECT count(*) FROM trial JOIN cell ON cell.cell = trial.cell WHERE conditions <> ''")" 2 \
    "the records say under which conditions a trial was measured"
is "$(query r "SELECT max(n) FROM (SELECT count(DISTINCT place) AS n FROM duel_program JOIN duel USING(duel) WHERE NOT null_pair GROUP BY duel)")" 2 \
    "one schedule under two conditions is two programs, and under one it is one"
gives 0 "a report of unlike arms works" report own.yaml --results r --json
json "each ratio of unlike arms says in what they differ" \
    'my @t = map { @{$d->{tables}{$_}} } qw(means networks duels);
     my @u = grep { ($_->{unlike} // "") =~ /layout=1, threads=1, regime number=3/ } @t;
     @u >= 4 && !grep { $_->{arm} ne "packed-4" && ($_->{over} // "") ne "packed-4" } @u'
json "a ratio of like arms says nothing" '!grep { $_->{arm} eq "again-4" && $_->{over} eq "first" && defined $_->{unlike} } @{$d->{tables}{means}}'
json "the fake target is as fast under both" \
    'my ($p) = grep { $_->{arm} eq "packed-4" && $_->{over} eq "first" && !$_->{network} } @{$d->{tables}{duels}}; abs($p->{faster} - 1) < 0.2'
gives 0 "the report as text works" report own.yaml --results r
prints "layout=1, threads=1"
yaml fake "unlike: true
answer_networks: [squeezenet]
answer_arms: [packed]
answer_over: again" "$own" >own.yaml
gives 0 "a declared answer is no other experiment" report own.yaml --results r --json
json "one seed has no interval over seeds, so what was declared is open" \
    '$d->{summary}{found} =~ /^Open: over 1 network packed-4 against again-4 \S+ \(no interval over seeds\).*Declared before the run: /s'
json "the table of what was declared says in what its two arms differ" 'my ($x) = @{$d->{tables}{declared}}; @{$d->{tables}{declared}} == 1 && $x->{unlike} =~ /^layout=1/'

yaml fake "unlike: true" "" | sed 's/contest/table3/; s/name: packed\(.*\)exploit: remeasure/name: descent\1exploit: knob-random, layout: 1/' >own.yaml
gives 0 "a descent under other conditions than its seeds is run beside the seeds measured again" run own.yaml --results t --quiet
gives 0 "a report of control arms works" report own.yaml --results t --json
json "the table of seeds measured again says in what the arms differ" \
    'my @t = @{$d->{tables}{remeasured_seeds}}; @t && !grep { ($_->{unlike} // "") !~ /layout=1/ } @t'

"$bin" list targets 2>/dev/null | grep -q '^ *cpu' || { skip "no target cpu"; finish; exit; }
yaml cpu "unlike: true" ", layout: 1, threads: 1, target_settings: {mcpu: x86-64}" >own.yaml
gives 0 "programs of two layouts and processors meet in duels on target cpu" run own.yaml --results c --quiet
is "$(query c "SELECT count(*) FROM duel_launch WHERE outcome <> 'ok'")" 0 "every process of the duels gives a time"
is "$(query c "SELECT count(DISTINCT outcome) FROM trial JOIN cell ON cell.cell = trial.cell WHERE conditions <> ''")" 1 \
    "the arm's own trials are measured"
finish
