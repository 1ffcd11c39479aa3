# SPDX-License-Identifier: Apache-2.0
# Completion of raingauge(1) for bash. Written by `raingauge doc completion`; do not edit it.
_raingauge_list() { # kind [ending]: names, of the binary that is being completed
    "${COMP_WORDS[0]}" list "$1" --names 2>/dev/null | while read -r name; do echo "$name${2-}"; done
}
_raingauge_verbs() {
    echo "doctor list show plan run status report query claims best replay collect train import export ranking reanalyse nightly compare merge archive landscape bench serve help doc"
}
_raingauge_valued() { # option: does a value follow it?
    case $1 in
    --experiments | --plugin | --on | --steps | --dump | --target | --layout | --tier | --results | --set | --shards | --budget | --pace | --object-cache | --faults | --shard | --constraint | --time | --gate | --one-processor | --format | --released | --network | --kernel | --output | --task | --regime | --threads | --count | --searcher | --model | --seed | --machine | --from-records | --without | --data | --settings | --hold-out | --against | --name | --batch | --arm | --split | --learn | --adapt | --pretraining | --share | --seeds | --k | --accept | --page | --bisect | --series | --state | --binary | --launch | --junit | --prometheus | --again-old | --again-new | --limit | --only | --trials | --runs | --minutes | --mirrors | --lock | --campaign) return 0 ;;
    *) return 1 ;;
    esac
}
_raingauge_options() { # verb
    case $1 in
    doctor) echo "--on --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    list) echo "--names --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    show) echo "--steps --dump --target --layout --quiet --verbose --no-color --experiments --plugin --help" ;;
    plan) echo "--tier --results --set --on --shards --budget --pace --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    run) echo "--tier --results --set --resume --retime --search-again --strict --wait --object-cache --faults --shard --on --shards --constraint --time --dry-run --gate --one-processor --quiet --verbose --no-color --experiments --plugin --help" ;;
    status) echo "--json --quiet --verbose --no-color --experiments --plugin --help" ;;
    report) echo "--tier --results --set --format --write --machines --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    query) echo "--format --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    claims) echo "--tier --set --released --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    best) echo "--network --kernel --format --output --target --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    replay) echo "--dry --verify-only --task --regime --threads --target --layout --dump --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    collect) echo "--output --resume --count --searcher --model --seed --target --machine --regime --threads --layout --from-records --without --quiet --verbose --no-color --experiments --plugin --help" ;;
    train) echo "--data --task --settings --hold-out --against --output --seed --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    import) echo "--name --batch --layout --machine --task --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    export) echo "--format --arm --network --quiet --verbose --no-color --experiments --plugin --help" ;;
    ranking) echo "--split --learn --adapt --pretraining --settings --share --seeds --format --model --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    reanalyse) echo "--k --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    nightly) echo "--accept --history --page --bisect --series --state --binary --budget --launch --junit --prometheus --annotate --tier --set --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    compare) echo "--again-old --again-new --state --all --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    merge) echo "--results --partial --unlike --quiet --verbose --no-color --experiments --plugin --help" ;;
    archive) echo "--limit --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    landscape) echo "--set --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    bench) echo "--only --trials --runs --minutes --mirrors --kernel --target --json --quiet --verbose --no-color --experiments --plugin --help" ;;
    serve) echo "--lock --campaign --quiet --verbose --no-color --experiments --plugin --help" ;;
    help) echo "--quiet --verbose --no-color --experiments --plugin --help" ;;
    doc) echo "--quiet --verbose --no-color --experiments --plugin --help" ;;
    *) echo "--help --version --experiments" ;;
    esac
}
_raingauge_values() { # verb, or verb:option: what may follow
    case $1 in
    doctor:--on) echo "ssh:HOST" ;;
    list) echo "networks machines searchers models targets collectors operators regimes experiments papers" ;;
    show) echo "$(_raingauge_list networks :0)" ;;
    show:--steps) echo "FILES" ;;
    show:--layout) echo "none insert rewritten" ;;
    plan) echo "$(_raingauge_list experiments)" ;;
    plan:--tier) echo "smoke short judge full" ;;
    plan:--results) echo "FILES" ;;
    plan:--on) echo "ssh:HOST" ;;
    run) echo "$(_raingauge_list experiments)" ;;
    run:--tier) echo "smoke short judge full" ;;
    run:--results) echo "FILES" ;;
    run:--on) echo "ssh:HOST" ;;
    run:--one-processor) echo "FILES" ;;
    status) echo "FILES" ;;
    report) echo "$(_raingauge_list experiments)" ;;
    report:--tier) echo "smoke short judge full" ;;
    report:--results) echo "FILES" ;;
    report:--format) echo "text tsv json html" ;;
    query) echo "FILES" ;;
    query:--format) echo "table csv" ;;
    claims) echo "$(_raingauge_list papers) FILES" ;;
    claims:--released) echo "FILES" ;;
    best) echo "FILES" ;;
    best:--format) echo "table tvm c llvm object" ;;
    best:--output) echo "FILES" ;;
    replay) echo "FILES FILES" ;;
    replay:--layout) echo "none insert rewritten record" ;;
    replay:--dump) echo "none state features" ;;
    collect:--output) echo "FILES" ;;
    collect:--layout) echo "none insert rewritten" ;;
    collect:--from-records) echo "FILES" ;;
    train:--data) echo "FILES FILES" ;;
    train:--output) echo "FILES" ;;
    import:--layout) echo "nchw nhwc blocked" ;;
    import:--machine) echo "$(_raingauge_list machines)" ;;
    export) echo "FILES" ;;
    export:--format) echo "tvm csv json parquet" ;;
    ranking) echo "FILES FILES" ;;
    ranking:--split) echo "programs kernels" ;;
    ranking:--learn) echo "FILES" ;;
    ranking:--format) echo "text tsv json" ;;
    reanalyse) echo "FILES" ;;
    nightly) echo "$(_raingauge_list machines)" ;;
    nightly:--page) echo "FILES" ;;
    nightly:--state) echo "FILES" ;;
    nightly:--binary) echo "FILES" ;;
    nightly:--launch) echo "FILES" ;;
    nightly:--junit) echo "FILES" ;;
    nightly:--prometheus) echo "FILES" ;;
    nightly:--tier) echo "smoke short judge full" ;;
    compare) echo "FILES" ;;
    compare:--again-old) echo "FILES" ;;
    compare:--again-new) echo "FILES" ;;
    compare:--state) echo "FILES" ;;
    merge:--results) echo "FILES" ;;
    archive) echo "FILES" ;;
    landscape) echo "FILES FILES" ;;
    bench:--target) echo "cpu" ;;
    serve:--lock) echo "FILES" ;;
    help) echo "$(_raingauge_verbs)" ;;
    doc) echo "man completion json keys results findings" ;;
    *:--experiments) echo "FILES" ;;
    *:--plugin) echo "FILES" ;;
    esac
}
_raingauge() {
    local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb= words i
    for ((i = 1; i < COMP_CWORD; i++)); do
        if _raingauge_valued "${COMP_WORDS[i]}"; then
            i=$((i + 1))
        elif [[ ${COMP_WORDS[i]} != -* ]]; then
            verb=${COMP_WORDS[i]}
            break
        fi
    done
    if _raingauge_valued "$before"; then
        words=$(_raingauge_values "$verb:$before")
    elif [[ $cur == -* ]]; then
        words=$(_raingauge_options "$verb")
    elif [[ -z $verb ]]; then
        words=$(_raingauge_verbs)
    else
        words=$(_raingauge_values "$verb")
    fi
    mapfile -t COMPREPLY < <(compgen -W "${words//FILES/}" -- "$cur")
    if [[ ${#COMPREPLY[@]} = 0 && " $words " == *" FILES "* ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _raingauge raingauge
