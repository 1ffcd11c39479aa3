#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# nightly_formats: what a night gives other tools: JUnit XML (counts against its own cases, xmllint), metrics (the grammar of
# Prometheus' text format 0.0.4) and annotations of GitHub Actions; of a night that cannot be measured, too.
set -u
. tests/lib/tap.bash
. tests/lib/nightly.bash
# well NAME FAILURES ERRORS: night.xml is whole, its counts are those of its cases
well() {
    failures=$2 errors=$3 perl -0777 -ne 'my %n = (tests => scalar(() = /<testcase/g), failures => scalar(() = /<failure/g), errors => scalar(() = /<error/g),
            skipped => scalar(() = /<skipped/g));
        my ($suite) = /<testsuite (.*?)>/; my %a = $suite =~ /(\w+)="(.*?)"/g;
        exit !($n{failures} == $ENV{failures} && $n{errors} == $ENV{errors} && 4 == grep { $a{$_} == $n{$_} } keys %n)' night.xml
    ok $? "$1: its JUnit XML counts $2 failures and $3 errors"
    if command -v xmllint >/dev/null; then
        xmllint --noout night.xml
        ok $? "$1: its JUnit XML is well-formed"
    else
        skip "$1: its JUnit XML is well-formed" "xmllint is not installed"
    fi
}
# exposed NAME: night.prom is as the exposition format 0.0.4 has it: HELP, TYPE, then the samples of that metric
exposed() {
    perl -ne 'if (/^# HELP ([a-z_]+) \S/) { $m = $1; die if $seen{$m}++ } elsif (/^# TYPE ([a-z_]+) gauge$/) { die if $1 ne $m }
        else { /^([a-z_]+)\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\})|(?=\})))+\} -?[0-9.e+-]+$/ && $1 eq $m or die }' night.prom
    ok $? "$1: its metrics are in Prometheus' text format"
}
night 0 "the first night is given to other tools" one night=1 --junit night.xml --prometheus night.prom
well "the first night" 0 0
exposed "the first night"
formats=(--junit night.xml --prometheus night.prom --annotate)
night 1 "a regression is given to other tools" slow night=5 "${formats[@]}"
well "a regression" 1 0
exposed "a regression"
grep -qE '^::error file=exp/nightly.yaml,line=1,title=raingauge nightly host%3A confirmed::program .*in the rerun 1\.1' out
ok $? "a regression is an error of GitHub Actions, at the experiment"
[ "$(grep -c '^raingauge_nightly_series_regressed.* 1$' night.prom)" = 1 ] && grep -q '^raingauge_nightly_exit_status{machine="host"} 1$' night.prom
ok $? "a regression is a metric, of one series and of the night"
night 6 "a slower machine is given to other tools" two night=8,slow=0.1 "${formats[@]}" --json
well "a slower machine" 0 1
grep -q "^::warning .*machine changed::program" err
ok $? "with --json annotations are on the second stream"
json "with --json the output stays one JSON text, with each series' seconds" '$d->{exit} == 6 && !grep { !($_->{seconds} > 0) } @{$d->{series}}'
printf '#!/bin/sh\nexit 9\n' >'a<b,c
d' && chmod +x 'a<b,c
d'
night 2 "a night that cannot be measured is given to other tools" 'a<b,c
d' night=9 "${formats[@]}"
well "a night that cannot be measured" 0 1
exposed "a night that cannot be measured"
grep -q '^raingauge_nightly_exit_status{machine="host"} 2$' night.prom && ! grep -q series night.prom
ok $? "of a night that cannot be measured only its status is a metric"
[ "$(grep -c '^::' out)" = 1 ] && grep -q '^::error .*a<b,c%0Ad' out
ok $? "a line break in an annotation is escaped"
for file in nowhere/x exp; do
    gives 2 "a file '$file' that cannot be written is refused" nightly --junit "$file"
    says "--junit '$file': "
done
[ "$(find . -maxdepth 1 -name '.night*' | wc -l)" = 0 ]
ok $? "no half file is left behind"
finish
