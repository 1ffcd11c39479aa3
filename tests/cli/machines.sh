#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# machines: which machine doctor says that a computer is. Its GPUs are those of a made-up driver: two small libraries with
# the functions of NVML and of the CUDA driver that doctor calls.
set -u
. tests/lib/tap.bash
cd "$dir" || exit 1
cc=$(command -v cc || command -v gcc) || skip_all "no C compiler for a made-up driver"
cp -r "$root/experiments" experiments && rm -f experiments/*.yaml

cat >nvml.c <<'END'
#include <stdlib.h>
#include <string.h>
static const char *of(const char *name, const char *otherwise) { return getenv(name) ? getenv(name) : otherwise; }
int nvmlInit_v2(void) { return atoi(of("MADE_INIT", "0")); }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code) { return code == 9 ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char *to, unsigned n) { strncpy(to, "550.1", n); return 0; }
int nvmlDeviceGetCount_v2(unsigned *n) { *n = (unsigned)atoi(of("MADE_COUNT", "1")); return atoi(of("MADE_COUNTS", "0")); }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device) { *device = i ? "MADE_OTHER" : "MADE_GPU"; return 0; }
int nvmlDeviceGetName(void *device, char *to, unsigned n) { strncpy(to, of(device, "none"), n); return 0; }
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long memory[3])
{
    (void)device;
    memory[0] = strtoull(of("MADE_MIB", "0"), NULL, 10) << 20;
    return memory[0] ? 0 : 3;
}
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *next)
{
    (void)device;
    *now = *next = (unsigned)atoi(of("MADE_MIG", "0"));
    return 0;
}
#ifndef OLD
int nvmlDeviceGetCudaComputeCapability(void *device, int *major, int *minor) { (void)device; *major = 9; *minor = 0; return 0; }
#endif
END
cat >cuda.c <<'END'
#include <stdlib.h>
#include <string.h>
int cuInit(unsigned flags) { (void)flags; return getenv("MADE_INIT") ? atoi(getenv("MADE_INIT")) : 0; }
int cuDriverGetVersion(int *v) { *v = 11040; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *device, int i) { *device = i; return 0; }
int cuDeviceGetName(char *to, int n, int device) { (void)device; strncpy(to, getenv("MADE_GPU"), (size_t)n); return 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { (void)device; *bytes = strtoull(getenv("MADE_MIB"), NULL, 10) << 20; return 0; }
int cuDeviceGetAttribute(int *v, int what, int device) { (void)device; *v = what == 75 ? 8 : 7; return 0; }
END
mkdir nvml old cuda none
"$cc" -shared -fPIC -o nvml/libnvidia-ml.so.1 nvml.c && "$cc" -shared -fPIC -DOLD -o old/libnvidia-ml.so.1 nvml.c &&
    "$cc" -shared -fPIC -o cuda/libcuda.so.1 cuda.c || skip_all "the made-up driver does not compile here"

# doctor LIBRARIES [NAME=VALUE]...: with the libraries of that folder
doctor() {
    local libraries=$dir/$1
    shift
    env "$@" LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$bin" doctor --json >"$out" 2>"$err" </dev/null
}
# is NAME WANT: the machines that match, but the host
is() { json "$1" "join(' ', map { \$_->{matches} && \$_->{name} ne 'host' && \$_->{name} !~ /ryzen|a64fx/ ? \$_->{name} : () } @{\$d->{machines}}) eq '$2'"; }

doctor nvml MADE_GPU="NVIDIA A100-SXM4-40GB" MADE_MIB=40960
is "a GPU of the driver is told by its name and memory" a100-40
json "doctor tells the GPU and its driver" '$d->{gpus}[0]{name} eq "NVIDIA A100-SXM4-40GB" && $d->{gpus}[0]{memory_gib} == 40
    && $d->{gpus}[0]{capability} eq "9.0" && $d->{gpu_driver} eq "550.1" && !exists $d->{no_gpus}'
json "doctor says why it is no other machine" '(grep { $_->{name} eq "a100-80" } @{$d->{machines}})[0]{reason} eq "its GiB of GPU memory are 76 to 82, here 40"'
json "doctor says that the computer is the host" '(grep { $_->{name} eq "host" } @{$d->{machines}})[0]{matches}'
doctor nvml MADE_GPU="NVIDIA A100-SXM4-40GB" MADE_MIB=40960 MADE_MIG=1
is "a GPU in slices is no machine of a paper" ""
json "a GPU in slices is called so" '$d->{gpus}[0]{name} eq "NVIDIA A100-SXM4-40GB MIG"'
doctor nvml MADE_COUNT=2 MADE_GPU="NVIDIA A10" MADE_OTHER="NVIDIA H200" MADE_MIB=143771
is "the second GPU of a computer counts as well" h200
doctor cuda MADE_GPU="Tesla T4" MADE_MIB=15360
if PATH=$PATH:/sbin ldconfig -p 2>/dev/null | grep -q 'libnvidia-ml\.so\.1'; then
    skip "without NVML the CUDA driver is asked" "this machine has NVML"
else
    is "without NVML the CUDA driver is asked" t4
    json "the CUDA driver tells its version and the capability" '$d->{gpu_driver} eq "CUDA 11.4" && $d->{gpus}[0]{capability} eq "8.7"'
    doctor cuda MADE_INIT=100
    json "a CUDA driver that fails is the reason" '$d->{no_gpus} eq "the CUDA driver does not start: error 100" && !@{$d->{gpus}}'
    doctor none
    json "without a driver the reason says so" '$d->{no_gpus} =~ /^no NVIDIA driver: neither libnvidia-ml.so.1 nor libcuda/
        && 7 < grep { $_->{reason} eq $d->{no_gpus} && !$_->{matches} } @{$d->{machines}}'
fi
doctor nvml MADE_INIT=9
json "a driver that is not loaded is the reason" '$d->{no_gpus} eq "the NVIDIA driver does not start: Driver Not Loaded"'
doctor nvml MADE_COUNTS=999
json "a driver that does not count its GPUs is the reason" '$d->{no_gpus} eq "the NVIDIA driver does not tell its GPUs: Unknown Error"'
doctor nvml MADE_COUNT=0
json "a driver without a GPU is the reason" '(grep { $_->{name} eq "h100" } @{$d->{machines}})[0]{reason} eq "the NVIDIA driver knows no GPU here" && !@{$d->{gpus}}'
doctor old
json "a driver that is too old is the reason" '$d->{no_gpus} eq "libnvidia-ml.so.1 has no nvmlDeviceGetCudaComputeCapability: the driver is too old"'
"$bin" list machines a100 --names >"$out" 2>"$err" && [ "$(cat "$out")" = a100-80 ]
ok $? "the A100 of old files is listed under its present name"
echo "match: [" >>experiments/machines/t4.yaml
doctor none
json "a machine's file that is broken is no machine, with its place" '(grep { $_->{name} eq "t4" } @{$d->{machines}})[0]{reason} =~ m{machines/t4.yaml:\d+:}'
MADE_GPU="NVIDIA H200" MADE_MIB=143771 LD_LIBRARY_PATH=$dir/nvml "$bin" doctor >"$out" 2>"$err"
grep -q '^  GPU: NVIDIA H200, 140.4 GiB, compute capability 9.0, driver 550.1$' "$out" &&
    grep -q '^  yes h200: NVIDIA H200 141 GB' "$out" && grep -q "^  no  h100: its GPU is a 'H100 80GB HBM3', here is 'NVIDIA H200'" "$out"
ok $? "doctor prints the same for people"
finish
