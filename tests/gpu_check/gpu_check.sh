#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gpu_check: `make gpu-check`, and `gpu-check` of a bundle. On a machine with a GPU, in less than eight minutes: what
# doctor says, programs of every operator and sketch against the reference, times of events against CUPTI's, searches by
# Ansor and by Ansor with Droplet of four kernels, the same kernels by NVIDIA's libraries. Each step has a time budget;
# what it leaves undone is recorded as such. The record is results/gpu-check/TARGET/report.txt and report.json.
#
# GPU_TARGET=cuda|opencl (cuda). opencl is PoCL here, a CPU in a GPU's place: fewer programs, and no time of it is shown.
# GPU_CHECK_OUT: another folder for the record.
# Needs a POSIX shell with awk, sed, grep and timeout; no compiler, no network.
# Exit status: 0 all that could be checked is right; 1 a program is wrong, or times do not agree; 2 the program is
# missing; 4 no GPU, or not all was checked.
set -u
here=$(cd "$(dirname "$0")" && pwd)
target=${GPU_TARGET:-cuda}
if [ -x "$here/bin/raingauge" ]; then # in a bundle
    LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    bin=$here/bin/raingauge programs=$here/bin/gpu-programs experiments=$here/gpu_check/experiments
else
    bin=${RAINGAUGE:-build/raingauge} programs=${GPU_PROGRAMS:-build/release/tests/unit/targets/opencl}
    experiments=$here/experiments
fi
for file in "$bin" "$programs"; do
    [ -x "$file" ] || { echo "gpu-check: there is no program '$file': \`make gpu-check\` builds it" >&2; exit 2; }
done
case $target in
cuda) tier=full settings= per_sketch=2 is_gpu=true ;;
opencl)
    tier=smoke per_sketch=1 is_gpu=false
    settings="--set target_settings.max_threads=16 --set target_settings.shared_bytes=2048 --set target_settings.warp=4"
    ;;
*) echo "gpu-check: GPU_TARGET is '$target', must be cuda or opencl" >&2; exit 2 ;;
esac
out=${GPU_CHECK_OUT:-results/gpu-check/$target}
mkdir -p "$out" || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
began=$(date +%s)
status=0
text=$dir/report.txt
: >"$text" && : >"$dir/steps"

say() { printf '%s\n' "$@" | tee -a "$text"; } # each word is a line
worse() { case $status$1 in 0* | 41) status=$1 ;; esac; } # 1 weighs more than 4
# step NAME BUDGET: begins a step, which `limited` then keeps to its budget
step() {
    name=$1 budget=$2 since=$(date +%s)
    say "" "== $name (at most $budget s)"
}
limited() { timeout -s INT -k 15 "$budget" "$@"; } # a campaign stops after the trial in flight
ended_after() { timeout -s KILL "$@"; }
# stepped OUTCOME ABOUT [JSON]: ends it; OUTCOME: right, wrong, part, absent
stepped() {
    spent=$(($(date +%s) - since))
    say "   $1 after $spent s: $2"
    [ ! -s "$dir/steps" ] || printf ',' >>"$dir/steps"
    about=$(printf '%s' "$2" | tr -d '\\' | tr '\n\t"' "  '")
    printf '{"name":"%s","budget_s":%d,"seconds":%d,"outcome":"%s","about":"%s"%s}' "$name" "$budget" "$spent" "$1" \
        "$about" "${3:+,$3}" >>"$dir/steps"
    case $1 in wrong) worse 1 ;; part | absent) worse 4 ;; esac
}
written() {
    took=$(($(date +%s) - began))
    say "" "gpu-check of target $target took $took s: exit $status"
    printf '{"target":"%s","is_gpu":%s,"seconds":%d,"status":%d,"program":"%s","doctor":%s,"steps":[%s]}\n' "$target" \
        $is_gpu $took $status "$("$bin" --version | tr '"' "'")" "$(cat "$dir/doctor.json")" "$(cat "$dir/steps")" \
        >"$out/report.json"
    cp "$text" "$out/report.txt"
    say "record: $out/report.txt, $out/report.json ($(($(wc -c <"$out/report.json") / 1024)) KiB)"
    exit $status
}

say "gpu-check of target $target, $("$bin" --version)"
if [ $is_gpu = false ]; then
    say "Target opencl is taken for PoCL, a CPU in a GPU's place: programs are checked, no time of it is shown."
fi
cat <<END | tee -a "$text"
plan, less than 8 minutes:
  doctor      20 s  what is here, and why the rest is not
  programs   120 s  every operator and sketch family against the reference, $per_sketch a sketch
  events      50 s  times of events against CUPTI's records (cuda)
  searches   210 s  four kernels: Ansor, and Ansor-k + Droplet
  libraries   30 s  the same kernels by cuBLAS and cuDNN (cuda)
END

# ---- doctor ----
step doctor 20
limited "$bin" doctor --experiments "$experiments" >"$dir/doctor.txt" 2>&1
limited "$bin" doctor --experiments "$experiments" --json >"$dir/doctor.json" 2>/dev/null
[ -s "$dir/doctor.json" ] || echo null >"$dir/doctor.json"
sed 's/^/   /' "$dir/doctor.txt" | tee -a "$text"
line=$(grep "^  $target  " "$dir/doctor.txt" | head -n 1)
case $line in
*" works"*) stepped right "target $target works" ;;
*)
    stepped absent "$(printf '%s' "${line:-  target $target: doctor did not answer}" | sed 's/^ *//; s/  */ /g')"
    written
    ;;
esac

# ---- programs ----
right=0 wrong=0 ended=yes
step programs 120
budget=60
for device in small larger; do
    log=$dir/programs.$device
    RAINGAUGE_GPU_TARGET=$target RAINGAUGE_GPU_DEVICE=$device RAINGAUGE_PROPERTY=$per_sketch ended_after "$budget" "$programs" \
        >"$log" 2>"$log.err"
    code=$?
    [ $code = 0 ] || [ $code = 1 ] || ended=no
    grep -q '^1\.\.0' "$log" && ended=no
    some=$(sed -n 's/^ok .* - \([0-9][0-9]*\) programs of .*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
    right=$((right + some)) wrong=$((wrong + $(grep -c '^not ok' "$log")))
    say "   device $device: $some programs right, exit $code"
    grep '^not ok\|SKIP' "$log" | head -n 8 | sed 's/^/   /' | tee -a "$text"
    [ $wrong = 0 ] || head -n 20 "$log.err" | cut -c1-300 | sed 's/^/   /' | tee -a "$text"
done
budget=120
about="$right programs give what the graph computes, $wrong checks failed"
counts="\"right\":$right,\"failed\":$wrong"
if [ $wrong -gt 0 ]; then
    stepped wrong "$about" "$counts"
elif [ $ended = no ] || [ "$right" = 0 ]; then
    stepped part "$about, in the time there was" "$counts"
else
    stepped right "$about" "$counts"
fi

# ---- events against CUPTI ----
searched() { # experiment, folder: is it there to the end? Its trials by outcome are said, the report is in $dir/FOLDER.*
    # shellcheck disable=SC2086 # words to be split
    limited "$bin" run "$1" --experiments "$experiments" --tier $tier --results "$dir/$2" --quiet \
        --set target="$3" $settings >"$dir/$2.out" 2>&1
    code=$?
    # shellcheck disable=SC2086
    "$bin" report "$1" --experiments "$experiments" --tier $tier --results "$dir/$2" --set target="$3" $settings --json \
        >"$dir/$2.json" 2>/dev/null
    # shellcheck disable=SC2086
    "$bin" report "$1" --experiments "$experiments" --tier $tier --results "$dir/$2" --set target="$3" $settings \
        >"$dir/$2.txt" 2>/dev/null
    "$bin" status "$dir/$2" >"$dir/$2.status" 2>/dev/null
    return $code
}
# counter NAME: {...} of that counter in the report of the events
counter() { sed 's/{/\n{/g' "$dir/events.json" | grep "\"counter\":\"$1\"" | head -n 1; }
step events 50
if [ "$target" != cuda ]; then
    stepped right "nothing to compare: only target cuda times by events"
else
    searched gpu_events events cuda
    code=$?
    row=$(counter gpu_events_confirmed)
    reason=$(printf '%s' "${row:-$(counter cupti)}" | sed -n 's/.*"reason":"\([^"]*\)".*/\1/p')
    case $row$reason in
    *'"present":true'*) stepped right "events and CUPTI agree within 2 %" ;;
    *'events say '*) stepped wrong "$reason" ;;
    *) stepped absent "${reason:-no counted run, status $code: $(tail -n 1 "$dir/events.out")}" ;;
    esac
fi

# ---- searches ----
step searches 210
searched gpu_check searches "$target"
code=$?
sed 's/^/   /' "$dir/searches.status" | tee -a "$text"
trials=$("$bin" status "$dir/searches" --json 2>/dev/null | sed -n 's/.*"trials": *\([0-9][0-9]*\).*/\1/p' | head -n 1)
json="\"trials\":${trials:-0}"
if [ $is_gpu = true ] && [ -s "$dir/searches.json" ]; then
    sed 's/^/   /' "$dir/searches.txt" | tee -a "$text"
    [ "$(wc -c <"$dir/searches.json")" -gt 600000 ] || json="$json,\"report\":$(cat "$dir/searches.json")"
fi
case $code in
0) stepped right "${trials:-0} trials" "$json" ;;
124 | 130 | 137) stepped part "${trials:-0} trials in the time there was" "$json" ;;
*) stepped part "the searches ended with status $code: $(tail -n 1 "$dir/searches.out")" "$json" ;;
esac

# ---- libraries ----
step libraries 30
line=$(grep "^  cuda-libraries " "$dir/doctor.txt" | head -n 1)
if [ "$target" != cuda ]; then
    stepped right "nothing to compare: they are NVIDIA's"
elif [ -z "$line" ]; then
    stepped absent "this program cannot call cuBLAS and cuDNN"
elif ! printf '%s' "$line" | grep -q ' works'; then
    stepped absent "$(printf '%s' "$line" | sed 's/^ *//; s/  */ /g')"
else
    searched gpu_libraries libraries cuda-libraries
    code=$?
    sed 's/^/   /' "$dir/libraries.txt" | tee -a "$text"
    json=
    [ ! -s "$dir/libraries.json" ] || json="\"report\":$(cat "$dir/libraries.json")"
    if [ $code = 0 ]; then
        stepped right "times are above" "$json"
    else
        stepped part "ended with status $code: $(tail -n 1 "$dir/libraries.out")" "$json"
    fi
fi
written
