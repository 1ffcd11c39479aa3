/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: what this machine can and cannot measure. Every absent thing has its reason; nothing is guessed: targets are
 * opened, counters are probed by opening one. */
#include "harness/base/file.h"
#include "harness/cli/gather.h"
#include "harness/cli/open.h"
#include "harness/measure/host.h"

static void say(struct text *t, bool json, bool *first, const char *name, bool works, const char *reason)
{
    if (json) {
        text_add(t, *first ? "" : ", ");
        text_add(t, "{\"name\": ");
        text_json(t, name);
        text_printf(t, ", \"works\": %s", works ? "true" : "false");
        if (reason && *reason) {
            text_add(t, ", \"reason\": ");
            text_json(t, reason);
        }
        text_add(t, "}");
    } else {
        text_printf(t, "  %-14s %s%s%s\n", name, works ? "works" : "absent", reason && *reason ? ": " : "",
                    reason ? reason : "");
    }
    *first = false;
}

static bool target_works(struct cli *c, const struct target *p, struct text *about, struct err *err)
{
    void *self = arena_alloc(c->arena, p->state_size + 1), *options = arena_alloc(c->arena, p->options_size + 1);
    struct target_env env = {.options = options, .layout = LAYOUT_REWRITTEN};
    struct limits limits;
    if (p->settings)
        setting_defaults(p->settings, options);
    if (!p->open(self, &env, &limits, err))
        return false;
    cJSON *description = json_object();
    if (p->describe)
        p->describe(self, description);
    json_print(description, about);
    p->close(self);
    return true;
}

static void say_targets(struct cli *c, struct text *t, struct text *about)
{
    bool first = true;
    for (int i = 0; c->registry->targets[i]; i++) {
        struct err why = {0};
        struct text unused = {0};
        const struct target *p = c->registry->targets[i];
        bool works = target_works(c, p, str_eq(p->name, "cpu") ? about : &unused, &why);
        text_free(&unused);
        say(t, c->json, &first, p->name, works, works ? (p->is_virtual ? "analytic costs, for tests" : "") : why.text);
    }
    say(t, c->json, &first, "cuda", false, "this version has no CUDA target yet");
    say(t, c->json, &first, "opencl", false, "this version has no OpenCL target yet");
}

/* A short counted stretch of work, so that a counter which opens but does not count is found out. */
static void say_counters(struct cli *c, struct text *t)
{
    bool first = true;
    for (int i = 0; c->registry->collectors[i]; i++) {
        const struct collector *p = c->registry->collectors[i];
        void *self = arena_alloc(c->arena, p->state_size + 1);
        struct counter out[COLLECTOR_COUNTERS];
        struct err why = {0};
        int n = 0;
        volatile double work = 0;
        if (!p->open(self, &why)) {
            say(t, c->json, &first, p->name, false, why.text);
            continue;
        }
        bool counted = p->start(self, &why);
        for (int k = 0; k < 100000; k++)
            work = work + 1;
        counted = counted && p->stop(self, out, &n, &why);
        if (!counted)
            say(t, c->json, &first, p->name, false, why.text);
        for (int k = 0; counted && k < n; k++)
            say(t, c->json, &first, out[k].name, out[k].present, out[k].reason);
        p->close(self);
    }
}

/* An experiment can run here when its file loads with its machine's target and that target opens. */
static void say_experiments(struct cli *c, struct text *t)
{
    char **names;
    int n = 0;
    struct err why = {0};
    bool first = true;
    if (!file_list(c->arena, c->folder, ".yaml", &names, &n, &why)) {
        say(t, c->json, &first, c->folder, false, why.text);
        return;
    }
    for (int i = 0; i < n; i++) {
        struct open_options o = {0};
        struct experiment *e;
        bool works = open_experiment(c, names[i], &o, &e, &why);
        if (works) {
            const struct target *p = registry_target(c->registry, e->plan.target, &why);
            struct text unused = {0};
            works = p && target_works(c, p, &unused, &why);
            text_free(&unused);
        }
        say(t, c->json, &first, names[i], works, works ? "" : why.text);
    }
}

bool verb_doctor(struct cli *c, struct err *err)
{
    int n;
    if (!cli_options(c, NULL, NULL, 0, &n, err))
        return false;
    struct host host;
    struct text t = {0}, about = {0}, targets = {0}, versions = {0};
    host_probe(&host);
    gather_versions(&versions);
    say_targets(c, &targets, &about);
    if (c->json) {
        text_add(&t, "{\"machine\": ");
        json_print(host_json(&host), &t);
        text_printf(
            &t, ", \"features\": \"%s\", \"versions\": {%s}, \"cpu_target\": %s, \"devices\": [%s], \"counters\": [",
            gather_features(), text_str(&versions), about.len ? text_str(&about) : "{}", text_str(&targets));
        say_counters(c, &t);
        text_add(&t, "], \"experiments\": [");
        say_experiments(c, &t);
        text_add(&t, "]}\n");
    } else {
        text_printf(&t, "machine: %s, %d cores online, %.1f GiB, %s%s\n", host.cpu, host.cores_online, host.memory_gib,
                    *host.virtualisation ? "virtual machine: " : "", host.virtualisation);
        text_printf(&t, "  instruction sets: %s\n  load %.2f%s\n", host.features, host.load1,
                    host.load1 > 0.5 ? ": other work is running, timings will spread" : "");
        text_printf(&t, "built with: %s\ntargets:\n%scounters:\n", gather_features(), text_str(&targets));
        say_counters(c, &t);
        text_add(&t, "experiments that can run here:\n");
        say_experiments(c, &t);
    }
    cli_print(&t);
    text_free(&t);
    text_free(&about);
    text_free(&targets);
    text_free(&versions);
    return true;
}
