/* SPDX-License-Identifier: Apache-2.0 */
/* host: read from /proc, /sys and the CPUID instruction. What cannot be read stays "", 0 or -1 and is null in the JSON:
 * a virtual machine without /sys/.../cpufreq does not say whether turbo is on. */
#include "harness/measure/host.h"

#include "harness/base/cpus.h"
#include "harness/base/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CPU0 "/sys/devices/system/cpu/cpu0/"

/* First line of a small file, "" when it cannot be read. */
static const char *line_of(const char *path, char *out, size_t n)
{
    out[0] = 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return out;
    if (!fgets(out, (int)n, f))
        out[0] = 0;
    fclose(f);
    out[strcspn(out, "\n")] = 0;
    return out;
}

/* -1 when the file is not there or is no number. */
static int number_of(const char *path)
{
    char line[64], *end;
    long v = strtol(line_of(path, line, sizeof line), &end, 10);
    return end == line ? -1 : (int)v;
}

/* Words that matter to generated code; the rest of the flags is left out. */
static void features_pick(const char *flags, char *out, size_t n)
{
    static const char *const WORDS[] = {"sse4_2",      "avx",      "f16c",     "fma",         "avx2",     "avx512f",
                                        "avx512dq",    "avx512bw", "avx512vl", "avx512_vnni", "avx_vnni", "avx512_bf16",
                                        "avx512_fp16", "amx_tile", "amx_bf16", "amx_int8",    "neon",     "asimd",
                                        "asimdhp",     "asimddp",  "sve",      "sve2",        "bf16",     "i8mm"};
    char copy[4096], *save = NULL;
    size_t used = 0;
    snprintf(copy, sizeof copy, "%s", flags);
    out[0] = 0;
    for (char *word = strtok_r(copy, " \t", &save); word; word = strtok_r(NULL, " \t", &save))
        for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++)
            if (str_eq(word, WORDS[i]) && used + strlen(word) + 2 < n)
                used += (size_t)snprintf(out + used, n - used, "%s%s", used ? " " : "", word);
}

void host_arm_cpu(unsigned implementer, unsigned part, char *name, size_t n)
{
    static const struct {
        unsigned implementer, part;
        const char *name;
    } KNOWN[] = {{0x41, 0xd0c, "Arm Neoverse-N1"},
                 {0x41, 0xd40, "Arm Neoverse-V1"},
                 {0x41, 0xd42, "Arm Cortex-A78AE"},
                 {0x41, 0xd4f, "Arm Neoverse-V2"},
                 {0x46, 0x001, "Fujitsu A64FX"}};
    snprintf(name, n, "Arm implementer 0x%02x part 0x%03x", implementer, part);
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (KNOWN[i].implementer == implementer && KNOWN[i].part == part)
            snprintf(name, n, "%s", KNOWN[i].name);
}

static void cpuinfo_read(struct host *h, bool *hypervisor)
{
    char line[4096];
    unsigned implementer = 0, part = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && fgets(line, sizeof line, f) && line[0] != '\n') { /* the first processor's lines */
        char *value = strchr(line, ':');
        if (!value)
            continue;
        value += value[1] == ' ' ? 2 : 1;
        value[strcspn(value, "\n")] = 0;
        if (str_starts(line, "model name") || str_starts(line, "Hardware"))
            snprintf(h->cpu, sizeof h->cpu, "%.95s", value);
        if (str_starts(line, "CPU implementer"))
            implementer = (unsigned)strtoul(value, NULL, 0);
        if (str_starts(line, "CPU part"))
            part = (unsigned)strtoul(value, NULL, 0);
        if (str_starts(line, "microcode"))
            snprintf(h->microcode, sizeof h->microcode, "%.23s", value);
        if (str_starts(line, "flags") || str_starts(line, "Features")) {
            features_pick(value, h->features, sizeof h->features);
            *hypervisor = strstr(value, " hypervisor") != NULL;
        }
    }
    if (f)
        fclose(f);
    if (!*h->cpu && implementer)
        host_arm_cpu(implementer, part, h->cpu, sizeof h->cpu);
}

/* The hypervisor names itself in CPUID leaf 0x40000000. */
static void hypervisor_name(struct host *h)
{
    char name[16] = "";
#if defined(__x86_64__)
    unsigned a, part[3] = {0};
    __cpuid(0x40000000, a, part[0], part[1], part[2]);
    memcpy(name, part, 12);
#endif
    static const char *const KNOWN[][2] = {{"KVMKVMKVM", "kvm"},        {"VMwareVMware", "vmware"},
                                           {"Microsoft Hv", "hyper-v"}, {"XenVMMXenVMM", "xen"},
                                           {"TCGTCGTCGTCG", "qemu"},    {"bhyve bhyve ", "bhyve"},
                                           {"ACRNACRNACRN", "acrn"},    {"VBoxVBoxVBox", "virtualbox"}};
    snprintf(h->virtualisation, sizeof h->virtualisation, "unknown");
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (str_starts(name, KNOWN[i][0]))
            snprintf(h->virtualisation, sizeof h->virtualisation, "%s", KNOWN[i][1]);
}

static void virtualisation_find(struct host *h, bool hypervisor)
{
    char product[128];
    if (hypervisor)
        hypervisor_name(h);
    else if (strcasestr(line_of("/sys/class/dmi/id/product_name", product, sizeof product), "virtual"))
        snprintf(h->virtualisation, sizeof h->virtualisation, "unknown");
    else
        snprintf(h->virtualisation, sizeof h->virtualisation, "none");
    bool container = access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ||
                     access("/run/systemd/container", F_OK) == 0;
    size_t used = strlen(h->virtualisation);
    if (container)
        snprintf(h->virtualisation + used, sizeof h->virtualisation - used, "+container");
}

static void caches_read(struct host *h)
{
    for (int i = 0; i < 8; i++) {
        char path[96], type[32], size[32];
        snprintf(path, sizeof path, CPU0 "cache/index%d/level", i);
        int level = number_of(path);
        snprintf(path, sizeof path, CPU0 "cache/index%d/type", i);
        line_of(path, type, sizeof type);
        snprintf(path, sizeof path, CPU0 "cache/index%d/size", i);
        char *unit;
        long bytes = strtol(line_of(path, size, sizeof size), &unit, 10);
        bytes *= *unit == 'M' ? 1 << 20 : *unit == 'K' ? 1 << 10 : 1;
        if (level == 1 && !str_eq(type, "Instruction"))
            h->l1d_bytes = bytes;
        else if (level == 2)
            h->l2_bytes = bytes;
        else if (level == 3)
            h->l3_bytes = bytes;
    }
}

static double memory_read(void)
{
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemTotal: %lf", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib / (1 << 20);
}

static int turbo_read(void)
{
    int off = number_of("/sys/devices/system/cpu/intel_pstate/no_turbo");
    return off >= 0 ? !off : number_of("/sys/devices/system/cpu/cpufreq/boost");
}

static int thp_read(void)
{
    char line[128];
    line_of("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line);
    return strstr(line, "[never]") ? 0 : strstr(line, "[madvise]") ? 1 : strstr(line, "[always]") ? 2 : -1;
}

/* "0,64" or "0-1": how many threads share core 0. */
static int siblings_read(void)
{
    char line[128];
    int n = 0;
    line_of(CPU0 "topology/thread_siblings_list", line, sizeof line);
    for (char *at = line; *at;) {
        long first = strtol(at, &at, 10), last = *at == '-' ? strtol(at + 1, &at, 10) : first;
        n += (int)(last - first + 1);
        if (*at != ',')
            break;
        at++;
    }
    return n > 0 ? n : 1;
}

/* Without a number drawn at random a digest of the name could be guessed. */
static void node_find(struct host *h, const char *name)
{
    char drawn[64], all[256], hex[65];
    bool installed = *line_of("/etc/machine-id", drawn, sizeof drawn) && !str_eq(drawn, "uninitialized");
    if (!installed && !*line_of("/proc/sys/kernel/random/boot_id", drawn, sizeof drawn))
        return;
    int n = snprintf(all, sizeof all, "raingauge node %s %.150s", drawn, installed ? name : "");
    digest_sha256(all, (size_t)n, hex);
    snprintf(h->node, sizeof h->node, "%.12s", hex);
}

void host_probe(struct host *h)
{
    struct utsname u;
    char line[128];
    bool hypervisor = false;
    memset(h, 0, sizeof *h);
    if (uname(&u) == 0) { /* nodename is the host's name, which is kept in a digest only */
        snprintf(h->arch, sizeof h->arch, "%.15s", u.machine);
        snprintf(h->kernel, sizeof h->kernel, "%.20s %.40s", u.sysname, u.release);
        node_find(h, u.nodename);
    }
    cpuinfo_read(h, &hypervisor);
    virtualisation_find(h, hypervisor);
    snprintf(h->governor, sizeof h->governor, "%.23s", line_of(CPU0 "cpufreq/scaling_governor", line, sizeof line));
    h->cores_online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    h->cores_usable = cpus_usable();
    h->threads_per_core = siblings_read();
    h->memory_gib = memory_read();
    caches_read(h);
    h->turbo = turbo_read();
    h->smt = number_of("/sys/devices/system/cpu/smt/active");
    h->thp = thp_read();
    h->aslr = number_of("/proc/sys/kernel/randomize_va_space");
    h->load1 = atof(line_of("/proc/loadavg", line, sizeof line));
}

static void put_text(cJSON *object, const char *key, const char *value)
{
    json_put_str(object, key, *value ? value : NULL);
}

static void put_number(cJSON *object, const char *key, double value, bool known)
{
    json_put_number(object, key, known ? value : NAN);
}

static double kib(const cJSON *host, const char *member)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(host, member)) / 1024; /* NaN where it is not known */
}

void host_analyzer(const cJSON *host, struct machine_analyzer *out)
{
    const char *features = cJSON_GetStringValue(cJSON_GetObjectItem(host, "features"));
    bool wide = features && strstr(features, "avx512f"), avx = features && strstr(features, "avx");
    bool arm = features && strstr(features, "asimd");
    double l1 = kib(host, "l1d_bytes"), l2 = kib(host, "l2_bytes"), l3 = kib(host, "l3_bytes");
    out->vector_lanes = wide ? 16 : avx ? 8 : 4;
    out->vector_registers = wide || arm ? 32 : 16;
    out->l1_kib = l1 > 0 ? l1 : 0;
    out->l2_kib = l2 > 0 ? l2 : 0;
    out->l3_kib = l3 > 0 ? l3 : 0;
}

cJSON *host_json(const struct host *h)
{
    static const char *const THP[] = {"never", "madvise", "always"};
    cJSON *o = json_object();
    json_put_str(o, "arch", h->arch);
    put_text(o, "cpu", h->cpu);
    if (*h->node)
        json_put_str(o, "node", h->node);
    put_text(o, "kernel", h->kernel);
    put_text(o, "microcode", h->microcode);
    put_text(o, "virtualisation", h->virtualisation);
    put_text(o, "governor", h->governor);
    put_text(o, "features", h->features);
    put_number(o, "cores_online", h->cores_online, h->cores_online > 0);
    put_number(o, "cores_usable", h->cores_usable, h->cores_usable > 0);
    put_number(o, "threads_per_core", h->threads_per_core, h->threads_per_core > 0);
    put_number(o, "memory_gib", (double)(long)(h->memory_gib * 100 + 0.5) / 100, h->memory_gib > 0);
    put_number(o, "l1d_bytes", (double)h->l1d_bytes, h->l1d_bytes > 0);
    put_number(o, "l2_bytes", (double)h->l2_bytes, h->l2_bytes > 0);
    put_number(o, "l3_bytes", (double)h->l3_bytes, h->l3_bytes > 0);
    put_number(o, "turbo", h->turbo, h->turbo >= 0);
    put_number(o, "smt", h->smt, h->smt >= 0);
    put_text(o, "thp", h->thp >= 0 && h->thp <= 2 ? THP[h->thp] : "");
    put_number(o, "aslr", h->aslr, h->aslr >= 0);
    put_number(o, "load1", h->load1, true);
    return o;
}
