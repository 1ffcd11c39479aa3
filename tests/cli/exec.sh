#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# exec: searcher and model exec from the command line: the examples of harness/doc/examples, programs of a few lines of
# sh, and programs that break every rule: their cell ends with a reason that names the program, the line and the cure,
# the other cells are whole, and a resumed run goes on.
set -u
. tests/lib/tap.bash
cd "$dir" || exit 1
mkdir -p experiments/networks experiments/machines
cp "$root"/experiments/machines/*.yaml experiments/machines/
cp -R "$root/plots" "$root/harness/doc/examples" .
cat >experiments/networks/pair.yaml <<'EOF'
name: pair
title: two kernels
source: made up for this test
kernels: 2
calls: 2
list:
  - {count: 1, op: dense, ci: 64, co: 32, relu: 1}
  - {count: 1, op: conv2d, ci: 8, hi: 8, wi: 8, co: 8, kh: 3, kw: 3, ph: 1, pw: 1}
EOF
rest='trials_per_kernel: 16, batch: 8, scheduler: round_robin'
# experiment NAME ARM...: a race on target fake, random first.
experiment() {
    local name=$1
    shift
    cat >experiments/"$name".yaml <<EOF
experiment: $name
title: a race of programs
report: race
target: fake
networks: [pair]
seeds: 1
layout: 2
arms:
  - {name: random, searcher: random, $rest}
EOF
    for arm; do echo "  - {$arm, $rest}"; done >>experiments/"$name".yaml
}
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }
# What a run measured of an arm, in order.
rows() { "$bin" query "$1" "SELECT kernel, round, ordinal, outcome, mean_s FROM trials WHERE arm = '$2'" --format csv; }
count() { "$bin" query "$1" "SELECT count(*) FROM trials WHERE arm = '$2'" --format csv | tail -1 | tr -d '\r'; }

page=$root/harness/doc/exec.md
# The first block of a kind of code on the page.
block() { awk -v kind="$1" '$0 == "```" kind {n++; on = n == 1; next} /^```/ {on = 0} on' "$page"; }
block sh >good.sh
experiment good 'name: sh, searcher: exec, settings: {command: "sh good.sh"}'
gives 0 "the searcher in sh of the page searches" run good --results r/good
gives 0 "a run of searcher exec is reported" report good --results r/good
prints "sh "
rg run good --results r/again
rows r/good sh >one && rows r/again sh >two && cmp -s one two && [ "$(wc -l <one)" = 33 ]
ok $? "the same seed gives the same 32 records"

# The page's transcript is what is said: lines that begin by blanks go on, and the list of features is cut there.
cat >experiments/networks/one.yaml <<'EOF'
name: one
title: one kernel
source: made up for this test
kernels: 1
calls: 1
list:
  - {count: 1, op: dense, ci: 64, co: 32, relu: 1}
EOF
experiment heard 'name: sh, searcher: exec, settings: {command: "sh hear.sh"}'
sed -i 's/networks: .*/networks: [one]/; s/trials_per_kernel: 16, batch: 8/trials_per_kernel: 4, batch: 2/' experiments/heard.yaml
echo 'tee to | sh good.sh | tee from' >hear.sh
RAINGAUGE_CONFINE=off rg run heard --results r/heard
paste -d '\n' <(sed 's/^/> /' to) <(sed 's/^/< /' from) | sed 's/"features":\["float_mad",.*/"features":["float_mad",...]}/' | head -8 >"$out"
block text | perl -0pe 's/\n    //g' >page && [ -s page ] && cmp -s page "$out"
ok $? "the transcript of the page is what the two say"

# One that ends itself in its second round until a file is there: what it measured stays, and it goes on as if it had
# not been stopped.
rule='case $line in *\x27"measured":0,\x27*) ;; *\x27"ask"\x27*) [ -e mended ] || exit 7 ;; esac'
sed "s/^while read -r line; do/&\n$rule/" good.sh >ends.sh
experiment ends 'name: sh, searcher: exec, settings: {command: "sh ends.sh"}'
gives 3 "a program that ends in its second round ends its cell" run ends --results r/ends
says "'sh' ended with status 7"
says "1 of 2 cells ended before their time"
[ "$(count r/ends random)" = 32 ] && [ "$(count r/ends sh)" -gt 0 ] && [ "$(count r/ends sh)" -lt 32 ]
ok $? "the other cell is whole, and what its own had measured is there"
touch mended
gives 0 "a run whose program is mended goes on" run ends --resume --results r/ends
rows r/ends sh >one && rg run ends --results r/whole && rows r/whole sh >two && cmp -s one two
ok $? "a cell that went on has the records of one that was not stopped"

# /dev/null is opened as a shell does it, to be made and cut; files are neither made, cut nor written.
sed '1i for i in 1 2; do echo x >/dev/null || exit 8; done; echo x >made; echo x >kept; echo x >>kept; perl -e "open F, q(+<), q(kept) and print F 1"' \
    good.sh >devices.sh
echo kept >kept
experiment devices 'name: sh, searcher: exec, settings: {command: "sh devices.sh"}'
gives 0 "a program may write to /dev/null" run devices --results r/devices
[ ! -e made ] && [ "$(cat kept)" = kept ]
ok $? "a program makes, cuts and writes no file"

# ---- programs that break the rules: one cell each ----
arms=() reasons=()
hello='read -r hello; echo "{\"raingauge\":1}"; read -r ask'
# bad NAME REASON SCRIPT
bad() {
    printf '%s\n' "$3" >"$1.sh"
    arms+=("name: $1, searcher: exec, settings: {command: \"sh $1.sh\", timeout: ${4:-20}}")
    reasons+=("$1|$2")
}
bad crash "was ended by signal 11 (SIGSEGV)" "$hello; kill -SEGV \$\$"
bad raise "its last words: NameError: name 'x' is not defined" "$hello; echo \"NameError: name 'x' is not defined\" >&2; exit 1"
bad hang "it wrote no line for 0.5 s and was ended: set 'timeout' higher" "$hello; sleep 1000" 0.5
bad deaf "it wrote no line for 0.5 s" 'sleep 1000' 0.5
bad stops "it ended (status 0) while the search goes on" "$hello; exit 0"
bad shut "it closed its input or its output" "$hello; exec >&-; sleep 1000"
bad garbage 'line 2 of its output: column 1: ' "$hello; echo 'hello, world'; read -r x"
bad cut "line 2 of its output: column " "$hello; echo '{\"draw\":'; read -r x"
bad escape 'not valid JSON: "?[31m?"' "$hello; printf '\\033[31m\\377\\n'; read -r x"
bad array 'no JSON object: "[1]"' "$hello; echo '[1]'; read -r x"
bad empty 'line 2 of its output: column 1: ' "$hello; echo; read -r x"
bad flood "write one line and wait for the next" "$hello; exec yes '{\"draw\":1}'"
bad long "it is longer than 16 MiB" "$hello; tr '\\0' x </dev/zero"
bad version "line 1 of its output: it speaks another version: answer the first line by {\"raingauge\":1}" \
    'read -r hello; echo "{\"raingauge\":2}"; read -r x'
bad silent "it does not say which version it speaks" 'read -r hello; echo "{}"; read -r x'
bad state "there is no state 99: this turn has 0 so far, from 0 on" "$hello; echo '{\"steps\":[99]}'; read -r x"
bad minus "there is no state -1" "$hello; echo '{\"mutate\":[-1]}'; read -r x"
bad text "a state is a whole number" "$hello; echo '{\"mutate\":[\"1\"]}'; read -r x"
bad request "it is no request (draw, mutate, cross, apply, steps, features, scores)" "$hello; echo '{\"fly\":1}'; read -r x"
bad number "'draw' must be a number of states, 0 to 65536" "$hello; echo '{\"draw\":1e9}'; read -r x"
bad many "states, 8 were asked for" \
    "$hello; echo '{\"draw\":40}'; read -r s; echo \"{\\\"submit\\\":\${s#*:}\"; read -r x"
bad pairs "'cross' must be a list of pairs" "$hello; echo '{\"cross\":[[]]}'; read -r x"
bad steps "'apply' must be a list of {" "$hello; echo '{\"apply\":[7]}'; read -r x"
bad scores "'scores' needs a cost model: give the arm a 'model'" "$hello; echo '{\"scores\":[]}'; read -r x"
bad mutation "did you mean" "$hello; echo '{\"mutate\":[],\"by\":\"tile siz\"}'; read -r x"
arms+=('name: absent, searcher: exec, settings: {command: "no-such-program mine"}')
reasons+=("absent|its last words: cannot start 'no-such-program': No such file or directory")
arms+=('name: last, searcher: exec, settings: {command: "sh good.sh"}')
experiment bad "${arms[@]}"
gives 3 "a run with ${#reasons[@]} programs that break the rules ends" run bad --results r/bad
says "${#reasons[@]} of $((${#reasons[@]} + 2)) cells ended before their time"
cp "$err" warnings
! grep -q "$(printf '\033\\[31m')" warnings && perl -ne 'utf8::decode($_) or exit 1' warnings
ok $? "what a program wrote is shown without control characters"
for r in "${reasons[@]}"; do
    grep -F ", ${r%%|*}, seed 1: " warnings | grep -qF -e "${r#*|}"
    ok $? "program ${r%%|*}: ${r#*|}"
done
[ "$(count r/bad random)" = 32 ] && [ "$(count r/bad last)" = 32 ]
ok $? "the cells before and after them are whole"
[ -z "$(ps -e -o args= | grep -F 'sleep 1000' | grep -v grep)" ]
ok $? "none of the programs runs any more"

# ---- models ----
arms=() reasons=()
model='name: NAME, searcher: ansor, settings: {evolutionary_search_population: 64}, model: exec, model_settings: {command: "sh NAME.sh"}'
bad_model() { # NAME REASON SCRIPT
    printf '%s\n' "$3" >"$1.sh"
    arms+=("${model//NAME/$1}")
    reasons+=("$1|$2")
}
bad_model few "'score' is answered by {\"scores\":[...]}, " "$hello; echo '{\"scores\":[1]}'; read -r x"
bad_model none "'score' is answered by {\"scores\":[...]}, " "$hello; echo '{\"done\":true}'; read -r x"
bad_model words "score 0 is neither a number nor null" \
    "$hello"'; n=$(printf %s "$ask" | sed "s/,\"task\".*//" | grep -o "\]\]" | wc -l); s=\"a\"; while [ $((n -= 1)) -gt 0 ]; do s=$s,0; done; echo "{\"scores\":[$s]}"; read -r x'
arms+=('name: last, searcher: random')
experiment models "${arms[@]}"
gives 3 "a run with ${#reasons[@]} models that break the rules ends" run models --results r/models
cp "$err" warnings
for r in "${reasons[@]}"; do
    grep -F ", ${r%%|*}, seed 1: " warnings | grep -qF -e "${r#*|}"
    ok $? "model ${r%%|*}: ${r#*|}"
done
[ "$(count r/models random)" = 32 ] && [ "$(count r/models last)" = 32 ]
ok $? "the cells without these models are whole"

# ---- the examples in Python ----
if python3 -c '' 2>/dev/null; then
    examples() { # NAME: the two searchers and the model, alone and together
        experiment "$1" 'name: genetic, searcher: exec, settings: {command: "python3 examples/genetic.py"}' \
            'name: annealing, searcher: exec, settings: {command: "python3 examples/annealing.py"}, model: exec, model_settings: {command: "python3 examples/linear.py"}' \
            'name: alone, searcher: exec, settings: {command: "python3 examples/annealing.py"}' \
            'name: linear, searcher: ansor, settings: {evolutionary_search_population: 64}, model: exec, model_settings: {command: "python3 examples/linear.py"}'
    }
    examples python
    gives 0 "the examples in Python search and score" run python --results r/python
    rg run python --results r/python2
    for arm in genetic annealing alone linear; do
        [ "$(count r/python $arm)" = 32 ] && rows r/python $arm >one && rows r/python2 $arm >two && cmp -s one two
        ok $? "example $arm measures 32 programs, and the same with the same seed"
    done
    # Killed without warning, wherever it was, it goes on to the same records.
    "$bin" run python --results r/killed >/dev/null 2>&1 </dev/null &
    for _ in $(seq 600); do
        [ "$(count r/killed genetic 2>/dev/null)" -gt 8 ] 2>/dev/null && break
        sleep 0.02
    done
    kill -9 $! && wait $! 2>/dev/null
    rg run python --resume --results r/killed
    for arm in genetic annealing alone linear; do
        rows r/killed $arm >one && rows r/python $arm >two && cmp -s one two
        ok $? "example $arm: a killed run, resumed, has the records of one that was not"
    done
    printf 'import raingauge\nclass Mine(raingauge.Searcher):\n    def ask(self, n, rng):\n        return self.drow(n)\nraingauge.run(Mine)\n' >examples/typo.py
    experiment typo 'name: typo, searcher: exec, settings: {command: "python3 examples/typo.py"}'
    gives 3 "a mistake in Python ends the cell" run typo --results r/typo
    says "its last words: AttributeError: 'Mine' object has no attribute 'drow'"
    printf 'import socket\nsocket.socket()\n' >examples/calls.py
    experiment calls 'name: calls, searcher: exec, settings: {command: "python3 examples/calls.py"}'
    gives 3 "a program that opens a socket ends its cell" run calls --results r/calls
    says "its last words: PermissionError"
    printf 'x = "x" * 10**9\n' >examples/hog.py
    experiment hog 'name: hog, searcher: exec, settings: {command: "python3 examples/hog.py", memory_mib: 256}'
    gives 3 "a program that takes more memory than it may ends its cell" run hog --results r/hog
    says "its last words: MemoryError"
else
    skip "the examples in Python search and score" "no python3"
fi

# ---- a shared object ----
if cc=$(command -v "${CC:-cc}" || command -v gcc) && block c >mine.c && "$cc" -O1 -shared -fPIC -I"$root" mine.c -o mine.so >"$out" 2>"$err"; then
    experiment shared 'name: mine, searcher: mine'
    gives 0 "a shared object with a searcher is loaded" run shared --plugin mine.so --results r/shared
    [ "$(count r/shared mine)" = 32 ]
    ok $? "the searcher of the shared object measures 32 programs"
    gives 2 "without the shared object the searcher is unknown" plan shared
    says "experiments/shared.yaml:"
    gives 2 "two shared objects may not bring the same name" list searchers --plugin mine.so --plugin ./mine.so
    says "brings searcher 'mine', which is there: name it otherwise"
    sed 's/{PLUGIN_ABI,/{{2},/' mine.c >old.c && "$cc" -shared -fPIC -I"$root" old.c -o old.so
    gives 2 "a shared object of another version is refused" list searchers --plugin old.so
    says "'old.so' is of another version: the version of the interface is 2 there and 1 here: compile it again"
    echo 'int other;' >other.c && "$cc" -shared -fPIC other.c -o other.so
    gives 2 "a shared object that is no plug-in is refused" list searchers --plugin other.so
    says "--plugin: 'other.so' exports no raingauge_plugin (harness/plug/plugin.h)"
    gives 2 "a file that is no shared object is refused" list searchers --plugin mine.c
    gives 2 "a missing file is refused" list searchers --plugin missing.so
    says "missing.so"
    echo '/* changed */ int changed;' >>mine.c && "$cc" -O1 -shared -fPIC -I"$root" mine.c -o mine.so
    gives 2 "records of another shared object are not gone on with" run shared --plugin mine.so --resume --results r/shared
else
    skip "a shared object with a searcher is loaded" "no C compiler, or it cannot compile with these headers"
fi

# ---- time: a program that sleeps a second whenever it is asked ----
if "$bin" --version | grep -qF +llvm; then
    sed "s/^    '{\"ask\"'\*)/&\n        sleep 1/" good.sh >sleeps.sh
    experiment sleeps 'name: sh, searcher: exec, settings: {command: "sh sleeps.sh"}'
    sed -i 's/target: .*/target: cpu\nregime: {number: 1, repeat: 1, min_repeat_ms: 0}/; s/networks: .*/networks: [one]/
        s/trials_per_kernel: 16, batch: 8/trials_per_kernel: 4, batch: 2/' experiments/sleeps.yaml
    gives 0 "a program that sleeps searches on target cpu" run sleeps --results r/sleeps
    "$bin" query r/sleeps "SELECT search_s >= (SELECT count(*) FROM rounds WHERE arm = 'sh') AND trials = 4 FROM arms WHERE arm = 'sh'" --format csv >"$out"
    [ "$(tail -1 "$out" | tr -d '\r')" = 1 ]
    ok $? "the seconds that a program takes are in the search's clock"
else
    skip "a program that sleeps searches on target cpu" "no LLVM"
fi

# ---- what it may not do ----
{
    echo 'echo taken >taken 2>/dev/null; [ -e taken ] && echo "it wrote a file" >&2'
    cat good.sh
} >writes.sh
experiment writes 'name: sh, searcher: exec, settings: {command: "sh writes.sh"}'
gives 0 "a program that tries to write a file searches on" run writes --results r/writes
[ ! -e taken ]
ok $? "a program writes no file"

# ---- what starts from a cell that ended ----
experiment waits 'name: raise, searcher: exec, settings: {command: "sh raise.sh"}' 'name: drop, explore: raise, exploit: droplet, k: [4]'
sed -i 's/report: race/report: contest/; s/drop, explore: \(.*\), batch: 8, scheduler: round_robin/drop, explore: \1/' experiments/waits.yaml
gives 3 "an exploiter of a cell that ended waits" run waits --results r/waits
says "drop-4, seed 1 is not begun: it takes up a cell that ended"

# ---- settings ----
experiment none 'name: sh, searcher: exec'
gives 2 "searcher exec without a command is refused before the run" plan none
says "experiments/none.yaml:10:"
says "settings of 'exec': 'command' is missing: the program and its words"
experiment good 'name: sh, searcher: exec, settings: {command: "sh good.sh"}'
echo '# changed' >>good.sh
gives 2 "records of another program are not gone on with" run good --resume --results r/good
says "choose another folder with --results"
finish
