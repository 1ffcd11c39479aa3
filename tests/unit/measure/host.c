/* SPDX-License-Identifier: Apache-2.0 */
/* host: agrees with the C library about the machine, its JSON parses, and nothing in it names the host or the user. */
#include "harness/measure/host.h"
#include "harness/base/json.h"
#include "tests/lib/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void test_absent(void)
{
    struct host h = {.turbo = -1, .smt = -1, .thp = -1, .aslr = -1};
    struct text out = {0};
    json_print(host_json(&h), &out);
    ok(strstr(text_str(&out), "\"turbo\":null") && strstr(text_str(&out), "\"governor\":null"),
       "what is not known of the machine is null, not zero");
    text_free(&out);
}

/* Numbers of Arm's and Fujitsu's manuals. */
static void test_arm(void)
{
    char name[64];
    host_arm_cpu(0x46, 0x001, name, sizeof name);
    is_str(name, "Fujitsu A64FX", "the A64FX is named by the numbers of /proc/cpuinfo");
    host_arm_cpu(0x41, 0xd42, name, sizeof name);
    is_str(name, "Arm Cortex-A78AE", "the processor of the Orin is named by them too");
    host_arm_cpu(0x41, 0x001, name, sizeof name);
    is_str(name, "Arm implementer 0x41 part 0x001", "an unknown Arm processor is its numbers");
}

int main(void)
{
    struct host h;
    struct utsname u;
    struct text out = {0};
    struct err err = {0};
    host_probe(&h);
    json_print(host_json(&h), &out);
    diag("%s", text_str(&out));
    cJSON *json = json_parse(text_str(&out), out.len, "host", &err);
    ok(json != NULL, "the JSON of the machine parses %s", err.text);
    is_int((int64_t)json_num(json, "cores_online", 0), sysconf(_SC_NPROCESSORS_ONLN),
           "the machine has as many cores as sysconf says");
    double gib = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30);
    ok(h.memory_gib > 0.9 * gib && h.memory_gib < 1.1 * gib, "the machine has as much memory as sysconf says");
    ok(uname(&u) == 0 && str_eq(json_str(json, "arch", ""), u.machine), "the architecture is the one of uname");
#if defined(__x86_64__)
    is_int(strstr(h.features, "avx2") != NULL, __builtin_cpu_supports("avx2") != 0,
           "the features have avx2 if the compiler's probe finds it");
    is_int(strstr(h.features, "avx512f") != NULL, __builtin_cpu_supports("avx512f") != 0,
           "the features have avx512f if the compiler's probe finds it");
#endif
    struct host again;
    host_probe(&again);
    ok(strlen(h.node) == 12 && strspn(h.node, "0123456789abcdef") == 12 && str_eq(h.node, again.node),
       "the machine's own word is a digest, the same each time");
    ok(strlen(u.nodename) < 4 || !strstr(text_str(&out), u.nodename), "the host's name is not in the JSON");
    const char *user = getenv("USER");
    ok(!user || strlen(user) < 5 || !strstr(text_str(&out), user), "the user's name is not in the JSON");
    cJSON_Delete(json);
    text_free(&out);
    test_absent();
    test_arm();
    return done_testing();
}
