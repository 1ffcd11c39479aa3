#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# remote: campaigns that another machine measures: this one, through an sshd of the test's own. They leave the records that
# a local run leaves, through broken connections and kill -9, and every way to fail has its reason.
set -u
. tests/lib/tap.bash
. tests/lib/sshd.bash
on=ssh:near,config=$dir/config,folder=$dir/cache,bundle=$dir/bundle

cat >"$dir/far.yaml" <<END
experiment: far
title: measured elsewhere
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
rg() { # folder, more
    local to=$1
    shift
    "$bin" run "$dir/far.yaml" --results "$dir/$to" "$@" >"$out" 2>"$err"
}
same() { # folder, name: its records are those of the local run
    local table differ=0
    for table in cell task round trial duel_launch; do
        sqlite3 -readonly "$dir/here/records.db" "SELECT * FROM $table" >"$dir/here.$table"
        sqlite3 -readonly "$dir/$1/records.db" "SELECT * FROM $table" >"$dir/there.$table"
        [ -s "$dir/here.$table" ] && cmp "$dir/here.$table" "$dir/there.$table" || differ=1
    done
    ok $differ "$2: the same records as a local run"
}

gives 0 "a campaign is measured here" here
gives 0 "a campaign is measured over ssh" there --on "$on"
says "copying the program to 'ssh:near'"
same there "over ssh"
environment=$(sqlite3 -readonly "$dir/there/records.db" "SELECT environment FROM campaign")
case $environment in *'"on":"ssh:near"'*) ok 0 "the name of the host is recorded" ;; *) ok 1 "the name of the host is recorded" ;; esac
case $environment in *'"host":{'*'"cpu":"'*) ok 0 "the host's environment is recorded" ;; *) ok 1 "the host's environment is recorded" ;; esac

# ---- the connection breaks, the program is killed ----
count() { sqlite3 -readonly "$dir/$1/records.db" "SELECT count(*) FROM trial" 2>/dev/null || echo 0; }
children() { ps -o pid= --ppid "$1" | tr -d ' '; }
"$bin" run "$dir/far.yaml" --results "$dir/cut" --on "$on" >"$out" 2>"$err" &
run=$!
for _ in 1 2; do
    before=$(count cut)
    for _ in $(seq 600); do
        rows=$(count cut)
        [ "$rows" -gt $((before + 3)) ] && break
        kill -0 $run 2>/dev/null || break
        sleep 0.02
    done
    for child in $(children "$daemon"); do
        for grandchild in $(children "$child"); do kill -9 "$grandchild" 2>/dev/null; done
        kill -9 "$child" 2>/dev/null
    done
done
wait $run
ok $? "a campaign whose connection is cut comes to its end"
grep -q "connection lost" "$err" && grep -q "'ssh:near' is connected again" "$err"
ok $? "the connection was cut, and made again"
! grep -q "copying the program" "$err"
ok $? "the program is not copied again"
same cut "with the connection cut"

(exec "$bin" run "$dir/far.yaml" --results "$dir/killed" --on "$on" --quiet 2>>"$dir/killed.err") &
run=$!
for _ in $(seq 600); do
    rows=$(count killed)
    [ "$rows" -gt 5 ] && break
    sleep 0.02
done
kill -9 $run
wait $run 2>/dev/null
gives 0 "a campaign that was killed goes on" killed --on "$on" --resume
same killed "killed and resumed"

# ---- what was copied is checked ----
for f in "$dir"/cache/*/run; do echo "# changed" >>"$f"; done
gives 0 "a damaged copy is found" damaged --on "$on" --set seeds=1
says "copying the program to 'ssh:near'"
cp -r "$dir/bundle" "$dir/other"
build=$(readelf -n "$bin" 2>/dev/null | sed -n 's/.*Build ID: //p' | head -1)
BUILD=$build perl -0777 -pi -e 'my $id = pack "H*", $ENV{BUILD}; s/\Q$id\E/"x" x length $id/ge if length $id' "$dir/other/bin/raingauge"
sums "$dir/other"
if [ -n "$build" ]; then
    gives 2 "a bundle of another build is refused" none --on "ssh:near,config=$dir/config,bundle=$dir/other"
    says "holds another build of raingauge than this"
else
    skip "a bundle of another build is refused" "readelf tells no build ID"
fi
gives 2 "a folder that is no bundle is refused" none --on "ssh:near,config=$dir/config,bundle=$dir"
says "is no bundle"

# ---- hosts that cannot be had ----
gives 7 "an unknown host is refused" none --on "ssh:no.such.host.invalid,config=$dir/config,bundle=$dir/bundle"
says "Could not resolve hostname"
gives 7 "a wrong key is refused" none --on "ssh:stranger,config=$dir/config,bundle=$dir/bundle"
says "Permission denied"
gives 2 "a value that names no way is refused" none --on near
says "must begin with ssh:"
gives 2 "a host that ssh would take for an option is refused" none --on "ssh:-oProxyCommand=true"
says "names no host"
gives 2 "an unknown setting is refused" none --on "ssh:near,folders=x"
says "did you mean 'folder'"
gives 2 "a folder that cannot be made is refused" none --on "ssh:near,config=$dir/config,bundle=$dir/bundle,folder=$dir/key/x"
says "could not be copied to 'ssh:near'"
says "Not a directory"
mkdir "$dir/full"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k none "$dir/full" 2>/dev/null; then
    gives 2 "a full disk is a reason" none --on "ssh:near,config=$dir/config,bundle=$dir/bundle,folder=$dir/full"
    says "could not be copied to 'ssh:near'"
    says " KiB are free there)"
    umount "$dir/full"
else
    skip "a full disk is a reason" "no small disk can be mounted here"
fi
mkdir "$dir/empty"
PATH=$dir/empty "$bin" run "$dir/far.yaml" --results "$dir/none2" --on "$on" >"$out" 2>"$err"
[ $? = 7 ]
ok $? "a machine without ssh is told so"
says "there is no program 'ssh' here"

mkdir "$dir/failing"
printf '#!/bin/sh\nexit 3\n' >"$dir/failing/tar"
chmod +x "$dir/failing/tar"
PATH=$dir/failing:$PATH "$bin" run "$dir/far.yaml" --results "$dir/none3" --on "ssh:near,config=$dir/config,bundle=$dir/bundle,folder=$dir/half" >"$out" 2>"$err"
[ $? = 2 ]
ok $? "a copy that tar ends too early is refused"
says "'tar' ended with status 3"

# ---- answers that no raingauge gives: a made-up ssh answers in the place of `serve` ----
mkdir "$dir/made"
cat >"$dir/made/ssh" <<END
#!/bin/bash
case "\$*" in *" serve "*) exec perl "$dir/made/answer.pl" "\$(cat "$dir/made/case")" ;; esac
exec $(command -v ssh) "\$@"
END
chmod +x "$dir/made/ssh"
identity=$(perl -e 'print $ARGV[0]' "$("$bin" --version | sed -n 's/^\(raingauge [^ ]* ([^)]*)\).*/\1/p')")
cat >"$dir/made/answer.pl" <<'END'
use strict;
binmode STDOUT;
binmode STDIN;
$| = 1;
sub frame { my ($kind, $number, $body) = @_; return pack('Q<Q<q<', length $body, $number, $kind) . $body }
sub text { return pack('q<', 1 + length $_[0]) . "$_[0]\0" }
my $mark = "\nraingauge measures 1\n";
my $hello = $mark . frame(0, 0, text($ENV{IDENTITY}));
my %answer = (
    noise => "Welcome to this machine!\n" x 10000,
    wild => $mark . ("\xff" x 64),
    version => $mark . frame(0, 0, text('raingauge 0.0.9 (old), build 00')),
    cut => $mark . frame(0, 0, pack('q<', 1 << 40)),
    unasked => $hello . frame(1, 77, ''),
    limits => $hello . frame(1, 1, pack('q<', 4)),
    huge => $hello . pack('Q<Q<q<', 1 << 60, 1, 1),
    other => $hello . frame(9, 1, ''),
    failed => $hello . frame(11, 1, pack('q<', 2) . text('target on strike')),
);
print $answer{ $ARGV[0] };
sleep 5;
END
export IDENTITY="$identity, build $build"
made() { # case, exit code, what the error says
    echo "$1" >"$dir/made/case"
    PATH=$dir/made:$PATH "$bin" run "$dir/far.yaml" --results "$dir/none.$1" --on "$on" >"$out" 2>"$err"
    local got=$?
    [ $got = "$2" ]
    ok $? "an answer with $1 ends the run: exit $2 (was $got)"
    says "$3"
}
made noise 3 "its answer is none of raingauge: 'Welcome to this machine!"
made wild 3 "its answer is none of raingauge"
made cut 3 "its answer is none of raingauge"
made version 2 "runs raingauge 0.0.9 (old), build 00, this is raingauge"
if [ -n "$build" ]; then
    made unasked 3 "a message that nobody asked for"
    made limits 2 "a message with limits that is none"
    made huge 3 "a message that nobody asked for"
    made other 3 "another message than was asked for"
    made failed 2 "target on strike"
else
    skip "answers after the greeting are checked" "readelf tells no build ID"
fi

# ---- one campaign at a time; what a campaign left behind is ended ----
serve() { # campaign, pipe
    mkfifo "$dir/$2"
    "$bin" serve --lock "$dir/lock" --campaign "$1" <"$dir/$2" >"$dir/$2.out" 2>"$dir/$2.err" &
    pids="$pids $!"
}
serve mine first
first=$!
exec 7>"$dir/first"
for _ in $(seq 100); do grep -q "raingauge measures" "$dir/first.out" && break; sleep 0.05; done
serve mine second
second=$!
exec 8>"$dir/second"
for _ in $(seq 200); do grep -q "raingauge measures" "$dir/second.out" && break; sleep 0.05; done
wait $first 2>/dev/null
[ $? = 143 ]
ok $? "what a campaign left behind is ended"
serve theirs third
third=$!
exec 9>"$dir/third"
wait $third
ok $(($? == 2 ? 0 : 1)) "a second campaign is refused"
cp "$dir/third.err" "$err"
says "another campaign is being measured on this machine"
exec 8>&-
wait $second
ok $? "the program ends when its connection does"
exec 7>&- 9>&-

# ---- the host is gone for good ----
"$bin" run "$dir/far.yaml" --results "$dir/gone" --on "$on,give_up_min=0.03" >"$out" 2>"$err" &
run=$!
for _ in $(seq 600); do
    rows=$(count gone)
    [ "$rows" -gt 5 ] && break
    sleep 0.02
done
daemons=$(children "$daemon")
kill "$daemon"
for child in $daemons; do
    for grandchild in $(children "$child"); do kill -9 "$grandchild" 2>/dev/null; done
    kill -9 "$child" 2>/dev/null
done
wait $run
[ $? = 130 ]
ok $? "a run that lost its host for good is stopped"
says "go on with: raingauge run $dir/far.yaml --results $dir/gone --on"
listen
for _ in 1 2 3 4 5 6 7 8 9 10; do
    ssh -F "$dir/config" near true 2>/dev/null && break
    sleep 0.3
done
gives 0 "a stopped run ends well when the host is back" gone --on "$on" --resume
same gone "with the host gone for a while"

# ---- real kernels ----
sed -e 's/^experiment: far/experiment: real/; s/^target: fake/target: cpu/; s/trials_per_kernel: 24/trials_per_kernel: 8/; s/^regime: tvmc/regime: quick/' \
    -e '/dpansor/d' "$dir/far.yaml" >"$dir/real.yaml"
if "$bin" doctor 2>/dev/null | grep -q '^  cpu  *works'; then
    "$bin" run "$dir/real.yaml" --results "$dir/real" --on "$on" >"$out" 2>"$err"
    ok $? "real kernels are measured over ssh"
    [ "$(sqlite3 -readonly "$dir/real/records.db" "SELECT count(*) > 0 FROM trial WHERE outcome = 'ok'")" = 1 ]
    ok $? "some of them worked"
    "$bin" run "$dir/real.yaml" --results "$dir/real" --resume >"$out" 2>"$err"
    [ $? = 7 ]
    ok $? "a remote campaign is not resumed here"
    says "they were measured with --on ssh:near, not here"
    rm -r "$dir/real"
else
    skip "real kernels are measured over ssh" "target cpu is absent"
fi
"$bin" doctor --on "$on" >"$out" 2>"$err"
ok $? "doctor of the host works"
prints "  fake           works"
finish
