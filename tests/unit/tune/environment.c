/* SPDX-License-Identifier: Apache-2.0 */
/* environment: which facts make a machine another one. tests/unit/measure/counted_run.c has a campaign refused by them.
 */
#include "harness/tune/environment.h"

#include "tests/lib/fixture.h"
#include "tests/lib/tap.h"

static void differs(const char *had, const char *now, const char *want, const char *name)
{
    const char *why = environment_difference(arena, had, now);
    is_str(why ? why : "", want, "%s", name);
}

/* Of three shards of two processors. */
static void test_unlike(void)
{
    const char *all[] = {
        "{\"host\": {\"cpu\": \"A\", \"load1\": 1, \"cores\": 2}, \"target\": {\"cpu\": \"x\", \"llvm\": 16}}",
        "{\"host\": {\"cpu\": \"B\", \"load1\": 2, \"cores\": 2}, \"target\": {\"cpu\": \"x\", \"llvm\": 16}}",
        "{\"host\": {\"cpu\": \"A\", \"load1\": 3, \"cores\": 2}, \"target\": {\"cpu\": \"x\"}}"};
    const char *did[] = {"n seed 1", "m seed 1", "n seed 2"}, *kinds[3];
    const char *joined = environment_unlike(arena, all, did, kinds, 3);
    is_str(joined,
           "{\"host\":{\"cores\":2,\"cpu\":\"A and B\"},\"target\":{\"cpu\":\"x\"},\"shards\":{\"unlike\":\"processor: "
           "A and "
           "B\",\"A\":\"n seed 1; n seed 2\",\"B\":\"m seed 1\"}}",
           "one environment of unlike machines has what they share, what differs, and who did what");
    ok(environment_difference(arena, joined, all[0]) && environment_difference(arena, joined, all[1]),
       "no machine of them goes on with it");
    all[1] = all[2];
    ok(!environment_unlike(arena, all, did, kinds, 3), "machines of one kind are not unlike");
    all[1] = "no JSON";
    ok(!environment_unlike(arena, all, did, kinds, 3), "an environment that cannot be read makes no difference");
}

int main(void)
{
    differs("{\"host\": {\"cpu\": \"A\", \"arch\": \"x\", \"load1\": 1, \"cores_online\": 2}}",
            "{\"host\": {\"cpu\": \"A\", \"arch\": \"x\", \"load1\": 3, \"cores_online\": 1}}", "",
            "load and cores make no other machine");
    differs("{\"host\": {\"cpu\": \"A\"}}", "{\"host\": {\"cpu\": \"B\"}}", "their processor is 'A', here is 'B'",
            "another processor is another machine");
    differs("{\"host\": {\"cpu\": \"A\", \"arch\": \"x\"}}", "{\"host\": {\"cpu\": \"B\", \"arch\": \"y\"}}",
            "their architecture is 'x', here is 'y'", "another architecture is told first");
    differs("{\"host\": {\"cpu\": \"AMD EPYC\"}, \"target\": {\"cpu\": \"znver4\"}}",
            "{\"host\": {\"cpu\": \"AMD EPYC\"}, \"target\": {\"cpu\": \"znver5\"}}",
            "their processor that code is made for is 'znver4', here is 'znver5'",
            "two models of one name are two machines");
    differs("{\"host\": {}, \"target\": {\"gpu\": \"A100\", \"gpu_memory_gib\": 39.6}}",
            "{\"host\": {}, \"target\": {\"gpu\": \"A100\", \"gpu_memory_gib\": 79.9}}",
            "their GPU memory in GiB is '40', here is '80'", "another size of GPU memory is another machine");
    differs("{\"target\": {\"gpu\": \"A100\", \"gpu_memory_gib\": 39.6}}",
            "{\"target\": {\"gpu\": \"H200\", \"gpu_memory_gib\": 39.6}}", "their GPU is 'A100', here is 'H200'",
            "another GPU is another machine");
    differs("{\"target\": {\"gpu_memory_gib\": 39.6}}", "{\"target\": {\"gpu_memory_gib\": 40.0}}", "",
            "memory is compared in whole GiB");
    differs("{}", "{\"host\": {\"cpu\": \"B\"}}", "", "records that do not tell their machine go on");
    differs("no JSON", "{\"host\": {\"cpu\": \"B\"}}", "", "records whose environment cannot be read go on");
    differs("{\"host\": {\"cpu\": \"\"}}", "{\"host\": {\"cpu\": \"B\"}}", "",
            "an unnamed processor makes no difference");
    is_str(environment_node(arena, "{\"host\": {\"node\": \"a1\"}}", false), "a1", "a machine has a word of its own");
    is_str(environment_node(arena, "{\"host\": {\"cpu\": \"A\"}}", false), "", "older records do not have it");
    is_str(environment_node(arena, "{\"host\": {\"node\": \"a1\"}, \"target\": {}}", true), "",
           "where no time passes it does not matter");
    is_str(environment_node(arena, "{\"host\": {\"node\": \"a1\"}, \"target\": {\"node\": \"2\"}}", true), "2",
           "a virtual target may play several machines");
    is_str(environment_node(arena, "no JSON", false), "", "an environment that cannot be read has none");
    test_unlike();
    return done_testing();
}
