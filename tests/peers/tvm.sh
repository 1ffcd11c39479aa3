#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tvm: runs tvmpeer.py under the newest apache-tvm release of PyPI that ships the auto_scheduler (v0.8 to v0.19; removed
# before v0.20) and installs for a Python found here. When none does it says so, with what was on offer, and skips.
# Arguments are tvmpeer.py's (--help). TVM_PYTHON=PYTHON takes a TVM that is there already, one built from source say.
# `--only raingauge` needs none. Installed releases are kept in $XDG_CACHE_HOME/raingauge/tvm, nothing goes elsewhere.
set -u
here=$(dirname "$0")
export RAINGAUGE=${RAINGAUGE:-build/release/raingauge}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/raingauge/tvm
# numpy 1.24 lost names that TVM before 0.14 uses, xgboost 1.6 the callbacks of TVM before 0.12 (apache/tvm #14036).
needs=(scipy psutil cloudpickle decorator attrs tornado typing_extensions)
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
reasons=""

skip() {
    echo "TAP version 13"
    echo "1..0 # SKIP $1"
    exit 0
}
because() { reasons="$reasons${reasons:+; }$1"; }
# A TVM can be used when it imports, has the search, and can compile.
works() {
    "$1" -c 'import xgboost, tvm, tvm.auto_scheduler
assert tvm.target.codegen.llvm_version_major(), "built without LLVM"' >"$log" 2>&1
}
last() { tail -n 1 "$log" | cut -c 1-160; }
# What pip had to say: its list of versions when none was fitting, else its last error.
pip_reason() {
    local offered
    offered=$(sed -n 's/.*(from versions: \(.*\)).*/\1/p' "$log" | head -1)
    if grep -qE 'Temporary failure|NewConnectionError|ConnectTimeout|ProxyError|ReadTimeout' "$log"; then
        echo "the package index cannot be reached"
    elif [ "$offered" = none ]; then
        echo "no apache-tvm of any version is on offer, or no index answers"
    elif [ -n "$offered" ]; then
        echo "on offer are only ${offered// /}"
    else
        grep -m 1 '^ERROR' "$log" | cut -c 1-160
    fi
}

# Installs the newest release below each one that does not import. $1: a Python, $2: the folder of its environment.
install() {
    local below=0.20.dev0 version
    "$1" -m venv "$2" >"$log" 2>&1 || { because "$(basename "$1"): no venv: $(last)"; return 1; }
    while :; do
        "$2/bin/python" -m pip install --no-deps "apache-tvm>=0.8.dev0,<$below" >"$log" 2>&1 ||
            { because "$(basename "$1"): $(pip_reason)"; return 1; }
        version=$("$2/bin/python" -m pip show apache-tvm | sed -n 's/^Version: //p')
        case $version in
        0.[89].* | 0.1[01].*) pins=('numpy<1.24' 'xgboost<1.6') ;;
        0.1[23].*) pins=('numpy<1.24' 'xgboost<2') ;;
        *) pins=('numpy<2' 'xgboost<2') ;;
        esac
        if ! "$2/bin/python" -m pip install "${needs[@]}" "${pins[@]}" >"$log" 2>&1; then
            because "$(basename "$1"): what apache-tvm $version needs does not install: $(pip_reason)"
        elif works "$2/bin/python"; then
            return 0
        else
            because "$(basename "$1"): apache-tvm $version does not import: $(last)"
        fi
        below=$version
    done
}

# The first Python that gets a release: newer Pythons first, since newer releases are built for newer Pythons.
find_python() {
    local name python env
    for name in python3.14 python3.13 python3.12 python3.11 python3.10 python3.9 python3.8 python3.7; do
        python=$(command -v "$name") || continue
        "$python" -c '' 2>/dev/null || continue # a shim of pyenv for a version that is not chosen
        env=$cache/$name
        if [ -x "$env/bin/python" ] && works "$env/bin/python"; then
            found=$env/bin/python
            return 0
        fi
        rm -rf "$env"
        if install "$python" "$env"; then
            found=$env/bin/python
            return 0
        fi
        rm -rf "$env"
    done
    return 1
}

[ -x "$RAINGAUGE" ] || skip "no binary at $RAINGAUGE"
found=${TVM_PYTHON:-}
case " $* " in *" --only raingauge "* | *" --help "* | *" -h "*) found=python3 ;; esac
if [ -n "${TVM_PYTHON:-}" ]; then
    works "$found" || skip "the Python of TVM_PYTHON has no TVM that works: $(last)"
elif [ -z "$found" ]; then
    find_python ||
        skip "no apache-tvm with the auto_scheduler (v0.8 to v0.19) installs: ${reasons:-no Python 3.7 or newer here}"
fi
"$found" "$here/tvmpeer.py" "$@"
