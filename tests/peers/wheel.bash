# SPDX-License-Identifier: Apache-2.0
# wheel: a Python with TVM 0.16, read with `.` by tvm.sh and landscape.sh: as PyPI's wheel hhb-tvm 3.2.3 holds it (x86-64
# Linux), in $XDG_CACHE_HOME/raingauge/tvm; nothing goes elsewhere. The wheel is for Python 3.10; unpacked, and with
# TVM_FFI=ctypes, it works in newer ones. TVM_PYTHON=PYTHON takes a TVM that is there already. When none can be had it
# says why and skips. Sets $RAINGAUGE and $found, the Python.
export RAINGAUGE=${RAINGAUGE:-build/release/raingauge} TVM_NUM_THREADS=1
export PYTHONPATH=$PWD/tests/peers${PYTHONPATH:+:$PYTHONPATH} # of TVM's build workers
cache=${XDG_CACHE_HOME:-$HOME/.cache}/raingauge/tvm
needs=('numpy<1.24' decorator attrs psutil scipy cloudpickle tornado typing_extensions 'xgboost<1.7' ml_dtypes tqdm synr
    tflite 'onnx<1.15' 'protobuf<4' flatbuffers)
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

skip() {
    echo "TAP version 13"
    echo "1..0 # SKIP $1"
    exit 0
}
last() { tail -n 1 "$log" | cut -c 1-160; }
works() {
    "$1" -c 'import xgboost, tvm, tvm.auto_scheduler
assert tvm.target.codegen.llvm_version_major(), "built without LLVM"' >"$log" 2>&1
}

# A virtual environment in $cache/v with what TVM needs, and the unpacked wheel in $cache/site.
install() {
    local python name
    for name in python3.10 "$(pyenv prefix 3.10 2>/dev/null)/bin/python" python3.11 python3; do
        python=$(command -v "$name") && "$python" -c '' 2>/dev/null && break # not a shim of pyenv without its version
        python=
    done
    [ "$python" ] || skip "no Python 3"
    [ "$(uname -m)" = x86_64 ] || skip "the wheel hhb-tvm is for x86-64 only; TVM_PYTHON names another TVM"
    rm -rf "$cache"
    mkdir -p "$cache/site" || skip "no folder $cache"
    "$python" -m venv "$cache/v" >"$log" 2>&1 || skip "$python makes no virtual environment: $(last)"
    "$cache/v/bin/python" -m pip download -q --no-deps --only-binary=:all: --python-version 3.10 --implementation cp \
        --abi cp310 --platform manylinux1_x86_64 -d "$cache" hhb-tvm==3.2.3 >"$log" 2>&1 ||
        skip "the wheel hhb-tvm 3.2.3 cannot be had: $(last)"
    "$cache/v/bin/python" -m zipfile -e "$cache"/hhb_tvm-*.whl "$cache/site" >"$log" 2>&1 ||
        skip "the wheel cannot be unpacked: $(last)"
    rm -f "$cache"/hhb_tvm-*.whl
    "$cache/v/bin/python" -m pip install -q "${needs[@]}" >"$log" 2>&1 || skip "what TVM needs does not install: $(last)"
}

[ -x "$RAINGAUGE" ] || skip "no binary at $RAINGAUGE"
found=${TVM_PYTHON:-}
if [ -z "$found" ]; then
    export PYTHONPATH=$cache/site:$PYTHONPATH
    found=$cache/v/bin/python
    [ -x "$found" ] || install
    case $("$found" --version) in "Python 3.10."*) ;; *) export TVM_FFI=ctypes ;; esac
    works "$found" || install
fi
works "$found" || skip "$found has no TVM that works: $(last)"
