#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gpu_check: `make gpu-check`, and `gpu-check` of a bundle. On a machine with a GPU, in less than eight minutes: what
# doctor says, programs of every operator and sketch against the reference, times of events against CUPTI's, searches by
# Ansor and by Ansor with Droplet of four kernels, programs for tensor cores, the first kernels by NVIDIA's libraries.
# Each step has a time budget; what it leaves undone is recorded as such. The record is report.txt and report.json in
# results/gpu-check/TARGET.
#
# GPU_TARGET=cuda|opencl|doubles (cuda). opencl is PoCL here, a CPU in a GPU's place: fewer programs, and no time of it
# is shown. doubles is target cuda on doubles of NVIDIA's libraries (tests/doubles, in the folder GPU_DOUBLES): all
# steps run, small, and their times are INVALID.
# GPU_CHECK_OUT: another folder for the record. GPU_CHECK_STEPS="events searches": only these steps. GPU_CHECK_S: seconds
# for all (465, and 1800 on doubles): a step gets its budget or what is left of them.
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
out=${GPU_CHECK_OUT:-results/gpu-check/$target}
small="--set target_settings.max_threads=16 --set target_settings.shared_bytes=2048 --set target_settings.warp=4"
on_doubles=false
case $target in
cuda) tier=full settings='' per_sketch=2 is_gpu=true ;;
opencl) tier=smoke settings=$small per_sketch=1 is_gpu=false ;;
doubles)
    doubles=${GPU_DOUBLES:-build/release/doubles}
    [ -e "$doubles/libcuda.so.1" ] || { echo "gpu-check: there are no doubles in '$doubles': \`make gpu-check\` makes them" >&2; exit 2; }
    LD_LIBRARY_PATH=$doubles:$doubles/nvrtc:$doubles/math${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
    target=cuda tier=smoke settings=$small per_sketch=1 is_gpu=false on_doubles=true
    ;;
*) echo "gpu-check: GPU_TARGET is '$target', must be cuda, opencl or doubles" >&2; exit 2 ;;
esac
mkdir -p "$out" || exit 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
trap 'interrupted' INT TERM
began=$(date +%s) last=$(($(date +%s) + ${GPU_CHECK_S:-$([ $on_doubles = true ] && echo 3600 || echo 465)}))
name='' child='' told=''
status=0
text=$dir/report.txt
: >"$text" && : >"$dir/steps"

say() { printf '%s\n' "$@" | tee -a "$text"; } # each word is a line
worse() { case $status$1 in 0* | 41) status=$1 ;; esac; } # 1 weighs more than 4
# step NAME BUDGET: begins a step, which `limited` then keeps to its budget; false: it is left out
step() {
    name=$1 budget=$2 since=$(date +%s)
    [ $on_doubles = false ] || budget=$((12 * budget)) # a CPU that others use, too
    [ $((last - since)) -ge "$budget" ] || budget=$((last > since ? last - since : 1))
    say "" "== $name (at most $budget s)"
    case " ${GPU_CHECK_STEPS:-$name} " in *" $name "*) return 0 ;; esac
    stepped part "left out by GPU_CHECK_STEPS"
    return 1
}
waited() { # in the background, so that a signal need not wait for it
    "$@" &
    child=$!
    wait $child
}
limited() { waited timeout -s INT -k 15 "$budget" "$@"; } # a campaign stops after the trial in flight
ended_after() { waited timeout -s KILL "$@"; }
# stepped OUTCOME ABOUT [JSON]: ends it; OUTCOME: right, wrong, part, absent
stepped() {
    spent=$(($(date +%s) - since))
    say "   $1 after $spent s: $2"
    [ ! -s "$dir/steps" ] || printf ',' >>"$dir/steps"
    about=$(printf '%s' "$2" | tr -d '\\' | tr '\n\t"' "  '")
    printf '{"name":"%s","budget_s":%d,"seconds":%d,"outcome":"%s","about":"%s"%s}' "$name" "$budget" "$spent" "$1" \
        "$about" "${3:+,$3}" >>"$dir/steps"
    case $1 in wrong) worse 1 ;; part | absent) worse 4 ;; esac
    name=
}
# A JSON value of a file: null if it was cut short.
whole() { case $(tail -c 2 "$1" 2>/dev/null | tr -d '\n') in *"}") cat "$1" ;; *) printf null ;; esac; }
interrupted() {
    trap '' INT TERM
    # shellcheck disable=SC2086 # one process or two
    [ -z "$child" ] || kill $child 2>/dev/null
    [ -z "$name" ] || stepped part "stopped by a signal"
    worse 4
    written
}
written() {
    took=$(($(date +%s) - began))
    say "" "gpu-check of target $target$told took $took s: exit $status"
    printf '{"target":"%s","is_gpu":%s,"on_doubles":%s,"seconds":%d,"status":%d,"program":"%s","doctor":%s,"steps":[%s]}\n' "$target" \
        $is_gpu $on_doubles $took $status "$("$bin" --version | tr '"' "'")" "$(whole "$dir/doctor.json")" "$(cat "$dir/steps")" \
        >"$out/report.json"
    cp "$text" "$out/report.txt"
    say "record: $out/report.txt, $out/report.json ($(($(wc -c <"$out/report.json") / 1024)) KiB)"
    exit $status
}

[ $on_doubles = false ] || told=' on doubles'
say "gpu-check of target $target$told $("$bin" --version)"
if [ $on_doubles = true ]; then
    say "DOUBLES: no GPU is here. Doubles of NVIDIA's libraries run the programs on the CPU, so that every step is tried." \
        "INVALID for timing: no time below is a GPU's."
elif [ $is_gpu = false ]; then
    say "Target opencl is taken for PoCL, a CPU in a GPU's place: programs are checked, no time of it is shown."
fi
cat <<END | tee -a "$text"
plan, less than 8 minutes:
  doctor      40 s  what is here, and why the rest is not
  programs   120 s  every operator and sketch family against the reference, $per_sketch a sketch
  events      60 s  times of events against CUPTI's records (cuda)
  searches   200 s  four kernels: Ansor, and Ansor-k + Droplet
  tensor      90 s  four products of float16 matrices by MetaSchedule, on tensor cores and off (cuda)
  libraries   60 s  the same kernels by cuBLAS and cuDNN (cuda)
END
# A GPU whose device file nobody has open is set up anew, in seconds, whenever a process begins to use it. So it is held
# open to the end, as NVIDIA's persistence daemon does; no setting of the GPU is changed.
if [ $is_gpu = true ]; then
    for file in /dev/nvidia[0-9]*; do
        if [ -c "$file" ] && (: <"$file") 2>/dev/null; then
            exec 9<"$file"
            break
        fi
    done
fi

# ---- doctor ----
GPU_CHECK_STEPS=${GPU_CHECK_STEPS:+doctor $GPU_CHECK_STEPS} # it is always done: the others need what it says
step doctor 40
budget=$((budget / 2))
limited "$bin" doctor --experiments "$experiments" >"$dir/doctor.txt" 2>&1
limited "$bin" doctor --experiments "$experiments" --json >"$dir/doctor.json" 2>/dev/null
sed 's/^/   /' "$dir/doctor.txt" | tee -a "$text"
line=$(grep "^  $target  " "$dir/doctor.txt" | head -n 1)
case $line in
*" works"*) stepped right "target $target works" ;;
*)
    stepped absent "$(printf '%s' "${line:-  target $target: doctor did not answer in time}" | sed 's/^ *//; s/  */ /g')"
    written
    ;;
esac

# ---- programs ----
check_programs() {
    right=0 wrong=0 ended=yes
    for device in small larger; do # side by side: most of the time goes into compiling
        log=$dir/programs.$device
        RAINGAUGE_GPU_TARGET=$target RAINGAUGE_GPU_DEVICE=$device RAINGAUGE_PROPERTY=$per_sketch \
            timeout -s KILL "$budget" "$programs" >"$log" 2>"$log.err" &
        if [ $device = small ]; then child=$!; else child="$child $!"; fi
    done
    pids=$child
    for device in small larger; do
        log=$dir/programs.$device
        wait "${pids%% *}"
        code=$? pids=${pids#* }
        [ $code = 0 ] || [ $code = 1 ] || ended=no
        grep -q '^1\.\.0' "$log" && ended=no
        some=$(sed -n 's/^ok .* - \([0-9][0-9]*\) programs of .*/\1/p' "$log" | awk '{ n += $1 } END { print n + 0 }')
        right=$((right + some)) wrong=$((wrong + $(grep -c '^not ok' "$log")))
        say "   device $device: $some programs right, exit $code"
        grep '^not ok\|SKIP' "$log" | head -n 8 | sed 's/^/   /' | tee -a "$text"
        [ $wrong = 0 ] || head -n 20 "$log.err" | cut -c1-300 | sed 's/^/   /' | tee -a "$text"
    done
    about="$right programs give what the graph computes, $wrong checks failed"
    counts="\"right\":$right,\"failed\":$wrong"
    if [ $wrong -gt 0 ]; then
        stepped wrong "$about" "$counts"
    elif [ $ended = no ] || [ "$right" = 0 ]; then
        stepped part "$about, in the time there was" "$counts"
    else
        stepped right "$about" "$counts"
    fi
}
if step programs 120; then check_programs; fi

# ---- searches of an experiment ----
searched() { # experiment, folder: is it there to the end? Its trials by outcome are said, the report is in $dir/FOLDER.*
    # shellcheck disable=SC2086 # words to be split
    limited "$bin" run "$1" --experiments "$experiments" --tier $tier --results "$dir/$2" --quiet \
        --set target="$3" $settings >"$dir/$2.out" 2>&1
    code=$?
    for form in json text; do
        # shellcheck disable=SC2086
        ended_after $([ $on_doubles = true ] && echo 120 || echo 10) "$bin" report "$1" --experiments "$experiments" --tier $tier --results "$dir/$2" --set target="$3" \
            $settings --format $form >"$dir/$2.$form" 2>"$dir/$2.why"
    done
    "$bin" status "$dir/$2" >"$dir/$2.status" 2>/dev/null
    return $code
}
# told_more FOLDER: what `searched` heard, where it did not go well
told_more() {
    for file in "$dir/$1.status" "$dir/$1.out" "$dir/$1.why"; do
        [ ! -s "$file" ] || tail -n 12 "$file" | cut -c1-300 | sed 's/^/   /' | tee -a "$text"
    done
}
# kernel_times FOLDER: "NAME EXPLORER EXPLOITER" of each kernel, in ms
kernel_times() {
    sed 's/{/\n{/g' "$dir/$1.json" 2>/dev/null | sed -n \
        's/.*"kernel":"\([^"]*\)".*"explorer_kernel_ms":\([0-9.e+-]*\).*"kernel_ms":\([0-9.e+-]*\).*/\1 \2 \3/p'
}

# ---- events against CUPTI ----
# counter NAME: {...} of that counter in the report of the events
counter() { sed 's/{/\n{/g' "$dir/events.json" | grep "\"counter\":\"$1\"" | head -n 1; }
check_events() {
    # The clock of the doubles: 100 microseconds a launch.
    [ $on_doubles = false ] || export CUDA_DOUBLE="${CUDA_DOUBLE:-clock=simulated}"
    searched gpu_events events cuda
    code=$?
    unset CUDA_DOUBLE
    row=$(counter gpu_events_confirmed)
    reason=$(printf '%s' "${row:-$(counter cupti)}" | sed -n 's/.*"reason":"\([^"]*\)".*/\1/p')
    case $row in *'"present":true'*) ;; *) told_more events ;; esac
    # What else was counted, or why it was not: of clocks, kernels and hardware counters.
    json=$(sed 's/{/\n{/g' "$dir/events.json" | sed -n 's/^\({[^{}]*"counter":"gpu[^{}]*}\).*/\1/p' | tr '\n' ',' | sed 's/,$//')
    json="\"counters\":[$json]"
    sed 's/{/\n{/g' "$dir/events.json" | sed -n \
        's/.*"counter":"\([^"]*\)","present":false.*"reason":"\([^"]*\)".*/   \1 absent: \2/p' | tee -a "$text"
    case $row$reason in
    *'"present":true'*) stepped right "events and CUPTI agree within 2 %" "$json" ;;
    *'events say '*) stepped wrong "$reason" "$json" ;;
    *) stepped absent "${reason:-no counted run, status $code: $(tail -qn 1 "$dir/events.out" "$dir/events.why")}" "$json" ;;
    esac
}
if step events 60; then
    if [ "$target" = cuda ]; then check_events; else stepped right "nothing to compare: only target cuda times by events"; fi
fi

# ---- searches ----
check_searches() {
    searched gpu_check searches "$target"
    code=$?
    sed 's/^/   /' "$dir/searches.status" | tee -a "$text"
    trials=$("$bin" status "$dir/searches" --json 2>/dev/null | sed -n 's/.*"trials": *\([0-9][0-9]*\).*/\1/p' | head -n 1)
    json="\"trials\":${trials:-0}"
    if [ "$target" = cuda ] && [ -s "$dir/searches.json" ]; then
        sed 's/^/   /' "$dir/searches.text" | tee -a "$text"
        [ "$(wc -c <"$dir/searches.json")" -gt 600000 ] || json="$json,\"report\":$(whole "$dir/searches.json")"
    fi
    case $code in
    0) stepped right "${trials:-0} trials" "$json" ;;
    124 | 130 | 137) stepped part "${trials:-0} trials in the time there was" "$json" ;;
    *)
        told_more searches
        stepped part "the searches ended with status $code: $(tail -n 1 "$dir/searches.out")" "$json"
        ;;
    esac
}
if step searches 200; then check_searches; fi

# ---- tensor cores ----
settings='' # those of the small devices have too short a warp for tensor cores, and are none of the libraries'
block='AN"*, [0-9]*, [0-9]*, 11\]' # for tensor cores, a loop with annotation 11; doubles multiply it as a warp does
say_tensor() { # the quickest program of each kind, kernel by kernel
    say "   kernel            on tensor cores   without them"
    awk -F, '$1 == "ok" { k = $2; at = FILENAME ~ /\.on$/; names[k]; if (!((k, at) in best) || $3 < best[k, at]) best[k, at] = $3 }
        function ms(k, at) { return (k, at) in best ? sprintf("%10.4f ms", 1000 * best[k, at]) : sprintf("%13s", "-") }
        END { for (k in names) printf "   %-16s   %s  %s\n", k, ms(k, 1), ms(k, 0) }' "$dir/tensor.on" "$dir/tensor.off" | tee -a "$text"
}
check_tensor() {
    searched gpu_tensor tensor cuda
    code=$?
    "$bin" query "$dir/tensor" --format csv "SELECT outcome, name, mean_s, steps FROM trials" >"$dir/tensor.csv" 2>"$dir/tensor.why"
    grep "$block" "$dir/tensor.csv" >"$dir/tensor.on"
    grep -v "$block" "$dir/tensor.csv" >"$dir/tensor.off" # its head, too, which counts as no outcome
    on=$(grep -c '^ok,' "$dir/tensor.on") off=$(grep -c '^ok,' "$dir/tensor.off")
    bad=$(grep -c '^wrong answer,\|^crashed,' "$dir/tensor.csv")
    [ $is_gpu = false ] || say_tensor
    json="\"right\":$on,\"without\":$off,\"failed\":$bad"
    about="$on programs for tensor cores give the right result, and $off without them; $bad are wrong or crash"
    if [ "$bad" -gt 0 ]; then
        stepped wrong "$about" "$json"
    elif [ $code = 0 ] && [ "$on" -gt 0 ]; then
        stepped right "$about" "$json"
    else
        told_more tensor
        stepped part "$about; the searches ended with status $code" "$json"
    fi
}
if step tensor 90; then
    if [ "$target" = cuda ]; then check_tensor; else stepped right "nothing to check: only target cuda uses tensor cores"; fi
fi

# ---- libraries ----
# Each kernel's times side by side: as the searches found it, and the better of the library's two readings.
say_libraries() {
    kernel_times searches >"$dir/ours" && kernel_times libraries >"$dir/theirs"
    say "   kernel                  Ansor    + Droplet      library   library / best of ours"
    awk 'FILENAME ~ /theirs$/ { library[$1] = $2 < $3 ? $2 : $3; names[++n] = $1; next } { ansor[$1] = $2; droplet[$1] = $3 }
        function ms(v) { return v == "" ? sprintf("%13s", "-") : sprintf("%10.4f ms", v) }
        END { for (i = 1; i <= n; i++) {
            k = names[i]; best = droplet[k] != "" && droplet[k] < ansor[k] ? droplet[k] : ansor[k]
            share = best ? sprintf("%.2f", library[k] / best) : "-"
            printf "   %-16s %s%s%s   %s\n", k, ms(ansor[k]), ms(droplet[k]), ms(library[k]), share } }' "$dir/theirs" "$dir/ours" | tee -a "$text"
}
check_libraries() {
    searched gpu_libraries libraries cuda-libraries
    code=$?
    kernels=$(kernel_times libraries | wc -l)
    [ $code = 0 ] && [ "$kernels" = 4 ] || told_more libraries
    say_libraries
    json=
    [ ! -s "$dir/libraries.json" ] || json="\"report\":$(whole "$dir/libraries.json")"
    if [ $code = 0 ] && [ "$kernels" = 4 ]; then
        stepped right "times of 4 kernels are above" "$json"
    else
        stepped part "$kernels of 4 kernels, status $code: $(tail -qn 1 "$dir/libraries.out" "$dir/libraries.why")" "$json"
    fi
}
if step libraries 60; then
    line=$(grep "^  cuda-libraries " "$dir/doctor.txt" | head -n 1)
    if [ "$target" != cuda ]; then
        stepped right "nothing to compare: they are NVIDIA's"
    elif [ -z "$line" ]; then
        stepped absent "this program cannot call cuBLAS and cuDNN"
    elif ! printf '%s' "$line" | grep -q ' works'; then
        stepped absent "$(printf '%s' "$line" | sed 's/^ *//; s/  */ /g')"
    else
        check_libraries
    fi
fi
written
