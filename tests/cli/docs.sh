#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# docs: the pages that are made from the program's tables: that those in harness/doc/ are current, that the man page and
# the help tell every verb and option, and that completion works in bash.
set -u
. tests/lib/tap.bash

.ci/committed "$dir" && cp -R --parents harness/doc "$dir" || exit 1
for page in $(sed -n 's/^DOCS := //p' Makefile); do
    (cd "$dir" && RAINGAUGE_DATADIR=$root "$bin" doc "${page%%:*}" >"$out" 2>"$err" && cmp -s "$out" "harness/doc/${page##*:}")
    ok $? "harness/doc/${page##*:} is what 'raingauge doc ${page%%:*}' prints (make docs writes it)"
done
# Gates of search time void no kernels.
for gate in search_state state; do
    mkdir -p "$dir/$gate/results/run"
    perl -pe "s/\"valid\":true/\"valid\":false/; s/(\"noise\":\[\{[^}]*?\"$gate\":\")passed/\$1failed/" results/table3/direction/report.json >"$dir/$gate/results/run/report.json"
    (cd "$dir/$gate" && "$bin" doc results >"$out" 2>"$err")
    case $gate in
    state) grep -q '| INVALID |$' "$out" && ! grep -q '^- Found' "$out" ;;
    *) grep -q '| valid for kernels |$' "$out" && grep -q '^- Found: ' "$out" ;;
    esac
    ok $? "what is told of a run whose $gate failed"
done
rg() { "$bin" "$@" >"$out" 2>"$err" </dev/null; }
gives 2 "doc without a page is refused" doc
says "which page?"
gives 2 "doc of an unknown page is refused with the nearest one" doc mann
says "did you mean 'man'?"

verbs=$("$bin" help | sed -n 's/^  \([a-z]\{1,\}\)\( .*\)\{0,1\}$/\1/p')
absent=
for verb in $verbs; do
    sed -n "/^.SS \"$verb\"/,/^.S[SH] /p" harness/doc/raingauge.1 >"$out"
    [ -s "$out" ] || absent="$absent $verb"
    for option in $("$bin" help "$verb" | sed -n '/^Options\|^What and where/,/^Output/s/^  \(--[a-z-]*\).*/\1/p'); do
        [[ $option =~ ^--(experiments|plugin)$ ]] || grep -qF "\\fB${option//-/\\-}\\fR" "$out" || absent="$absent $verb:$option"
    done
done
[ -n "$verbs" ] && [ -z "$absent" ]
ok $? "the man page has every verb and option${absent:+, but not$absent}"
if command -v man >/dev/null && man --warnings -l harness/doc/raingauge.1 >"$out" 2>"$err"; then
    [ ! -s "$err" ] && grep -q "raingauge plan EXPERIMENT" "$out"
    ok $? "man shows the man page without a warning"
else
    skip "man shows the man page without a warning" "man is not installed"
fi
wide=$(for verb in $verbs; do "$bin" help "$verb"; done | awk 'length > 100')
[ -z "$wide" ]
ok $? "no line of the help has more than 100 columns"

# complete WORD...: what bash offers for the last word.
cat >"$dir/complete" <<'END'
. harness/doc/raingauge.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_raingauge 2>&1
printf '%s ' "${COMPREPLY[@]}"
END
offers() { # name, what is offered, WORD...
    local name=$1 want=$2 got
    shift 2
    got=$(bash "$dir/complete" "$bin" "$@")
    [ "$got" = "$want " ]
    ok $? "completion offers $name (${got% })"
}
offers "the verb that begins so" reanalyse rea
offers "verbs after an option with its value" reanalyse --experiments somewhere rea
offers "experiments to plan" table3 plan tab
offers "the option that begins so" --tier plan table3 --t
offers "the choices of an option" "smoke short judge full" plan table3 --tier ""
offers "what can be listed" "models" list mod
offers "networks with a kernel to show" "resnet18:0" show resnet18
offers "papers to claims" "droplet pruner" claims ""
offers "files to replay" README.md replay READM
finish
