#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# selftest: a small tree that breaks no rule, and one breach at a time planted in it: house.pl must tell that one and
# no other. numbers.pl must count what is there.
without_binary=1
. tests/lib/tap.bash

spdx='SPDX-License-Identifier: Apache-2.0'
tree=$dir/tree

# put FILE LINE...: a file of the tree with these lines; a C file and a script begin with the licence
put() {
    local file=$tree/$1
    shift
    mkdir -p "${file%/*}"
    case $file in
    *.c | *.h) printf '/* %s */\n' "$spdx" >"$file" ;;
    *.md) : >"$file" ;;
    *) printf '# %s\n' "$spdx" >"$file" ;;
    esac
    printf '%s\n' "$@" >>"$file"
}
function_of() { # LINES: a function whose body has so many lines
    printf 'void long_one(void)\n{\n'
    for ((i = 0; i < $1; i++)); do echo ';'; done
    echo '}'
}
plant() { # a tree that breaks no rule
    rm -rf "$tree"
    put HACKING.md '# Hacking' '' '## Words' '' '| word | meaning |' '|---|---|' '| arena, big map | memory |' ''
    put harness/base/README.md '# base' '' 'Read `arena.h` first; see [words](../../HACKING.md#words).'
    put harness/base/arena.h '/* an arena, a big_map; see HACKING.md, "Words" */' 'struct arena {' '    int n;' '};'
    put harness/base/arena.c '#include "harness/base/arena.h"' 'int arena_size(struct arena *a)' '{' \
        '    return a->n;' '}'
    put harness/stats/README.md '# stats'
    put harness/stats/mean.h '#include "harness/base/arena.h"' 'enum mean { MEAN };'
    put harness/stats/mean.c '#include "harness/stats/mean.h"' 'static struct slot {' '    int n;' '} slots;'
    put search/README.md '# search'
    put search/knob_grid.c 'const struct searcher searcher_knob_grid = {' '    .name = "knob-grid",' '};'
    put tests/unit/base/arena.c '#include "harness/base/arena.h"' 'static int n;' 'int main(void)' '{' \
        '    ok(n == 0, "an arena has no size");' '    is_int(n, 0, "an empty arena holds nothing");' '}'
}
# caught NAME WHERE WHAT [MORE]: after `plant` and a breach, house.pl tells `WHERE: WHAT` and nothing else, and MORE
# if given
caught() {
    (cd "$tree" && perl "$root/tests/lint/house.pl") >"$out" 2>"$err"
    local status=$?
    [ $status = 1 ] && [ ! -s "$err" ] && [ "$(sed '/^$/,$d' "$out" | grep -vc '^ ')" = 1 ] &&
        grep -qF -e "$2: $3" "$out" && grep -qF -e "${4:-$2}" "$out"
    ok $? "$1"
    plant
}

plant
(cd "$tree" && perl "$root/tests/lint/house.pl") >"$out" 2>"$err"
[ $? = 0 ] && [ ! -s "$out" ] && [ ! -s "$err" ]
ok $? "a tree without a breach passes silently"

# Lengths, folders, cycles, edges.
put harness/base/arena.c "$(yes ';' | head -600)"
caught "a file of more than 600 lines is caught" harness/base/arena.c:601 "601 lines"
put harness/base/arena.c "$(function_of 81)"
caught "a function of more than 80 lines is caught" harness/base/arena.c:3 "long_one has 81 lines"
put harness/base/arena.c 'void many(int a, int b, int c, int d, void (*e)(int, int),' \
    '          int f, int g, int h)' '{' ';' '}'
caught "a function of more than 7 parameters is caught" harness/base/arena.c:4 "many has 8 parameters"
put harness/base/arena.c 'void some(int a, int b, int c, int d, void (*e)(int, int), int f, int g)' '{' ';' '}'
(cd "$tree" && perl "$root/tests/lint/house.pl") >"$out" 2>"$err"
ok $? "the parameters of a parameter do not count"
plant
put harness/base/arena.c "$(function_of 80)"
(cd "$tree" && perl "$root/tests/lint/house.pl") >"$out" 2>"$err"
ok $? "a function of 80 lines is let pass"
plant
for i in {1..25}; do put tests/unit/base/t$i.c 'static int n;'; done
caught "a folder of more than 25 modules is caught" tests/unit/base/ "26 modules"
put harness/base/map.h '#include "harness/base/arena.h"'
put harness/base/arena.c '#include "harness/base/map.h"'
caught "a cycle by an include in a .c file is caught with its arrows" harness/base/arena "2 modules in a cycle" \
    "harness/base/arena -> harness/base/map (harness/base/arena.c:2)"
put harness/base/map.h 'int arena_size(' '    struct arena *a);'
put harness/base/map.c '#include "harness/base/map.h"'
sed -i '1a #include "harness/base/map.h"' "$tree/harness/base/arena.c"
caught "the declaration of another module's function counts as an arrow" harness/base/arena "2 modules in a cycle" \
    "harness/base/map -> harness/base/arena (harness/base/map.h:2)"
put harness/base/map.h 'int map_size(void);'
put harness/base/slot.h 'int slot_of(void);'
put harness/base/slot.c '#include "harness/base/map.h"'
put harness/base/arena.c '#include "harness/base/slot.h"' 'int map_size(void)' '{' ';' '}'
caught "a header without a .c is one module with what defines its functions" harness/base/map \
    "2 modules in a cycle" "harness/base/slot -> harness/base/map (harness/base/slot.c:2)"
put search/near/README.md '# near' && put search/far/README.md '# far'
put search/near/one.h '#include "search/far/two.h"'
put search/near/two.h
put search/far/one.h '#include "search/near/two.h"'
put search/far/two.h
caught "a cycle of the folders of one room is caught" search/far "2 folders in a cycle" \
    "search/near -> search/far (search/near/one.h:2)"
put harness/base/arena.c '#include "harness/stats/mean.h"'
put harness/stats/mean.h 'enum mean { MEAN };'
caught "an include against the order of the rooms is caught" harness/base/arena.c:2 \
    "harness/base may not include harness/stats"
put harness/stats/mean.c '#include "mean.h"'
caught "an include that is not written from the root is caught" harness/stats/mean.c:2 'include "mean.h" is not'
put harness/stats/rank.c 'static int n;'
caught "a module of the harness without a header is caught" harness/stats/rank.c "has no header"
rm "$tree/search/README.md"
caught "a folder without a README is caught" search/ "has no README.md"

# Names.
put harness/stats/mean.c 'struct arena {' '    int n;' '};'
caught "a tag of a header that another file defines is caught" harness/stats/mean.c:2 \
    "struct arena: harness/base/arena.h:3"
put harness/stats/mean.c 'enum arena { NONE };'
caught "a tag counts for structs, unions and enums alike" harness/stats/mean.c:2 "enum arena: harness/base/arena.h:3"
put harness/stats/mean.c 'int arena_size(int n)' '{' '    return n;' '}'
caught "a function that two files export is caught" harness/stats/mean.c:3 "arena_size is defined at"
mv "$tree/search/knob_grid.c" "$tree/search/grid.c"
caught "a plug-in in a file of another name is caught" search/grid.c:2 \
    "searcher 'knob-grid' belongs in a file knob_grid.c"
put harness/stats/mean.h 'typedef struct mean mean;'
caught "a typedef of a struct is caught" harness/stats/mean.h:2 "a struct is not hidden"

# Sources of chance and time, the head of a file.
put harness/stats/mean.c 'int n(void)' '{' '    return rand();' '}'
caught "randomness from elsewhere is caught" harness/stats/mean.c:4 "randomness comes from base/rng"
put harness/stats/mean.c 'int n(void)' '{' '    return time(0);' '}'
caught "time from elsewhere is caught" harness/stats/mean.c:4 "time comes from base/clock"
echo 'static int n;' >"$tree/harness/stats/mean.c"
caught "a file without a licence line is caught" harness/stats/mean.c:1 "no SPDX"
put harness/stats/mean.c 'static int n; '
caught "white space at the end of a line is caught" harness/stats/mean.c:2 "white space"
put harness/stats/mean.c "static const char *s = \"/ro""ot/x\";"
caught "a path of one machine is caught" harness/stats/mean.c:2 "names a path of one machine"

# Citations.
put harness/stats/mean.c '/* as in gone.md, section 3 */'
caught "a comment that cites a page which is not there is caught" harness/stats/mean.c:2 \
    "gone.md: there is no such file"
put harness/stats/mean.c '/* One line,' ' * and harness/base/gone.c in another. */'
caught "a dead citation in a later line of a comment is caught there" harness/stats/mean.c:3 \
    "harness/base/gone.c: there"
put harness/stats/mean.c 'static const char *s = "see gone.yaml";'
caught "a message that names a file which is not there is caught" harness/stats/mean.c:2 "gone.yaml: there is no"
put harness/stats/README.md '# stats' '' 'See `gone_*.c`.'
caught "a pattern that no file fits is caught" harness/stats/README.md:3 "gone_*.c: no file is named so"
put .ci/run 'true' '# This is' '# gone.sh of old.'
caught "a comment of a script that names a file which is not there is caught" .ci/run:4 "gone.sh: there is no"
put .ci/run 'true # as gone.sh'
caught "a comment behind a command is a comment" .ci/run:2 "gone.sh: there is no"
put .ci/run 'echo "run: see gone.sh"'
caught "a message of a script that names a file which is not there is caught" .ci/run:2 "gone.sh: there is no"
mkdir -p "$tree/harness/plug" && cp "$tree/harness/stats/README.md" "$tree/harness/plug/"
put harness/stats/rank.h && put harness/plug/rank.h && put harness/base/arena.c '/* rank.h says how */'
caught "a name that two files bear is caught" harness/base/arena.c:2 "rank.h: may be any of"
put harness/stats/mean.c '/* HACKING.md, "Gone", says why */'
caught "a cited heading that is not there is caught" harness/stats/mean.c:2 'HACKING.md has no section Gone'
put harness/stats/mean.c '/* HACKING.md 3.2 says why */'
caught "a cited number of a section that is not there is caught" harness/stats/mean.c:2 'HACKING.md has no section 3.2'
put harness/stats/README.md '# stats' '' '[rules](../../HACKING.md#rules)'
caught "a link to a heading that is not there is caught" harness/stats/README.md:3 \
    "a link to ../../HACKING.md#rules: there is no such heading"
put harness/stats/README.md '# stats' '' '[rules](../gone)'
caught "a link to a folder that is not there is caught" harness/stats/README.md:3 "a link to ../gone: there is no"
put harness/stats/README.md '# stats' '' '- `mean`: the mean. `gone`: the median.' '- `mean.c`: its code.'
caught "an entry in a list of modules that is not below the folder is caught" harness/stats/README.md:3 \
    "\`gone\` is nothing below this folder"
put harness/stats/README.md '# stats' '' 'Means; `harness/base/gone` holds the rest.'
caught "a path in backticks that is not there is caught" harness/stats/README.md:3 "\`harness/base/gone\`: there is no"
put harness/stats/README.md '# stats' '' 'Here `mean_of` takes the mean.' ''
put harness/stats/mean.c 'static int mean_of(int n)' '{' '    return n;' '}'
caught "a README that names a function which a file keeps for itself is caught" harness/stats/README.md:3 \
    "\`mean_of\`: there is no such name"
put harness/stats/mean.c '/* As `gone_of` does. */'
caught "a name in backticks of a comment that is not there is caught" harness/stats/mean.c:2 "\`gone_of\`: there is"
put harness/stats/README.md '# stats' '' '- `mean`, `knob-grid`: `arena_size`, `../base/arena.c` and TVM (`state_place`).' ''
put harness/stats/mean.c '/* `mean_of`, or `stats/mean` */' 'static int mean_of(int n)' '{' '    return n;' '}'
(cd "$tree" && perl "$root/tests/lint/house.pl") >"$out" 2>"$err"
ok $? "files, words of code and names of another project are let pass in backticks"
plant
put harness/stats/mean.c '/* TVM does so. See gone.h. */'
caught "a dead citation after a sentence on another project is caught" harness/stats/mean.c:2 \
    "gone.h: there is no such file"
put harness/stats/mean.c '/* TVM (feature.h) does so. As arena.c, mine.yaml and harness/<room>/README.md. */' \
    'static const char *s = "%s.yaml";'
(cd "$tree" && perl "$root/tests/lint/house.pl") >"$out" 2>"$err"
ok $? "files of other projects, examples, patterns and paths made at run time are let pass"
plant

# Prose and words.
wide=$(printf 'word %.0s' {1..21})
put harness/stats/README.md '# stats' '' "$wide"
caught "a line of prose over 100 columns is caught" harness/stats/README.md:3 "a line of 105 columns"
put harness/stats/README.md '# stats' '' "| $wide |" '' '```' "$wide" '```' '' "    $wide" '' \
    "- [a](https://$(printf 'x%.0s' {1..99}))"
(cd "$tree" && perl "$root/tests/lint/house.pl") >"$out" 2>"$err"
ok $? "tables, code and lines that are one link may be wider"
plant
put HACKING.md '# Hacking' '' '## Words' '' '| word | meaning |' '|---|---|' '| arena, zebra | memory |'
caught "a word of the glossary that the code does not use is caught" HACKING.md:7 "'zebra' stands nowhere in the code"
put harness/stats/mean.c '/* The programs are timed again in a shoot-' ' * out. Another shootout. */'
caught "a word that is gone is caught in a comment, over two lines, too" harness/stats/mean.c:2 "'shoot-out' (2 times)"
put harness/stats/mean.c 'static int first_finalists;'
caught "a word that is gone is caught in a name, as many, too" harness/stats/mean.c:2 "'finalist': say retimed program"
put harness/stats/README.md '# stats' '' 'The A/A' 'floor is 3 %.'
caught "two words that are gone are caught in a page" harness/stats/README.md:3 "'A/A-floor': say noise floor"
mkdir -p "$tree/harness/tune"
put harness/tune/README.md '# tune'
put harness/tune/mean_run.h 'int winner_count;'
caught "an English word is caught in a name" harness/tune/mean_run.h:2 "'winner': say retimed program"
put harness/base/arena.c 'static const char *member = "winner_ms";'
put harness/tune/README.md '# tune'
mv "$tree/harness/base/arena.c" "$tree/harness/tune/mean_run.c"
put harness/base/arena.c 'static int n;'
put harness/tune/mean_run.h 'extern int n;'
caught "an English word is caught in a string that is a name" harness/tune/mean_run.c:2 "'winner': say retimed program"
put harness/stats/walk.h 'extern int n;'
caught "a file with the name of another term is caught" harness/stats/walk.h "a file walk: say interp_nest"
put harness/stats/mean.h 'struct form {' '    int n;' '};'
caught "a struct of a header with the name of another term is caught" harness/stats/mean.h:2 "struct form: say"
put harness/stats/mean.c '/* the winner of the final form; formerly a shoot-out */'
(cd "$tree" && perl "$root/tests/lint/house.pl") >"$out" 2>"$err"
ok $? "English words in prose, and old words where the text tells of the past, are let pass"
plant

# Names of tests.
put tests/unit/base/arena.c 'int main(void)' '{' '    if (is_int(f(1, ","), 0,' '               "its size"))' \
    '        ok(true, "%s: right", name);' '}'
caught "a test name of two words is caught" tests/unit/base/arena.c:4 "the test name 'its size' has fewer than three"
put tests/cli/arena.sh '[ $n = 1 ] && ok $? "an arena has one block"' 'gives 2 "plan works" plan' 'json "$what" "1 == 1"'
caught "a test name of two words is caught in a script" tests/cli/arena.sh:3 "the test name 'plan works' has fewer"

put tests/cli/arena.sh 'ok "$([ "$(wc -l <"$out")" = 1 ]; echo $?)" \' '    "and says so in a line"'
caught "a test name that goes on from another is caught" tests/cli/arena.sh:3 "the test name 'and says so in a line' goes"

# The breaches of one room, and the numbers.
put harness/stats/mean.c 'static int n; '
put harness/base/arena.c 'static int n; '
(cd "$tree" && perl "$root/tests/lint/house.pl" harness/base) >"$out" 2>"$err"
[ $? = 1 ] && grep -q '^harness/base/arena.c:2:' "$out" && ! grep -q mean.c "$out"
ok $? "with a path as argument only the breaches below it are told"
plant
put harness/base/map.h '#include "harness/base/arena.h"'
put harness/base/arena.c '#include "harness/base/map.h"' "$(function_of 7)" '/* gone.md */'
perl tests/lint/numbers.pl "$tree" >"$out" 2>"$err"
[ $? = 0 ] && [ ! -s "$err" ] &&
    grep -q 'functions  *1; lines: median 7, p90 7, max 7 (long_one, harness/base/arena.c)' "$out" &&
    grep -q 'modules a folder  *harness/base 2, ' "$out" && grep -q 'module cycles  *1 (of 2 modules)' "$out" &&
    grep -q 'dead citations  *1$' "$out" && grep -q 'longest prose  *[0-9]* columns (harness/base/README.md:3)' "$out"
ok $? "the numbers count functions, modules, cycles, citations and columns"
grep -q 'test names  *2; 0 say nothing alone in a log$' "$out"
ok $? "the numbers count the names of tests"
finish
