/* SPDX-License-Identifier: Apache-2.0 */
/* doctor: what this machine can and cannot measure. Every absent thing has its reason; nothing is guessed: targets are
 * opened, counters are probed by opening one. */
#include "harness/base/file.h"
#include "harness/base/vec.h"
#include "harness/cli/gather.h"
#include "harness/cli/open.h"
#include "harness/cli/remote_option.h"
#include "harness/experiment/machine.h"
#include "harness/measure/host.h"
#include "harness/measure/nvidia.h"
#include "targets/cuda/cuda_parts.h"

struct check {
    const char *name, *reason; /* reason: "" none */
    bool works;
};
struct checks {
    VEC(struct check) all;
};
struct examination {
    struct cli *c;
    struct checks devices, cuda, counters, machines, experiments;
    struct host host;
    struct nvidia nvidia;
    const char *no_gpus; /* why none is known; NULL: the driver answered */
    cJSON *cpu;          /* what target cpu says of itself */
};

static void note(const struct examination *x, struct checks *list, const char *name, bool works, const char *reason)
{
    vec_push(&list->all, (struct check){arena_str(x->c->arena, name), arena_str(x->c->arena, reason), works});
}

static bool target_works(struct cli *c, const struct target *p, cJSON *about, struct err *err)
{
    void *self = arena_alloc(c->arena, p->state_size + 1), *options = arena_alloc(c->arena, p->options_size + 1);
    struct target_env env = {.options = options, .layout = LAYOUT_REWRITTEN};
    struct limits limits;
    if (p->settings)
        setting_defaults(p->settings, options);
    if (!p->open(self, &env, &limits, err))
        return false;
    if (p->describe && about)
        p->describe(self, about);
    p->close(self);
    return true;
}

static void check_targets(struct examination *x)
{
    for (const struct target *const *p = x->c->registry->targets; *p; p++) {
        struct err why = {0};
        bool works = target_works(x->c, *p, str_eq((*p)->name, "cpu") ? x->cpu : NULL, &why);
        note(x, &x->devices, (*p)->name, works,
             !works              ? why.text
             : (*p)->is_virtual  ? "analytic costs, for tests"
             : (*p)->is_emulated ? "emulated: `replay --verify-only` checks kernels, nothing is timed"
                                 : "");
    }
#ifndef HAVE_OPENCL
    note(x, &x->devices, "opencl", false, "built without <CL/cl.h> (Debian: opencl-headers)");
#endif
}

static void check_cuda(struct examination *x)
{
    struct cuda_part parts[CUDA_PARTS];
    cuda_parts(parts);
    for (int i = 0; i < CUDA_PARTS; i++)
        note(x, &x->cuda, parts[i].name, parts[i].works, parts[i].about);
}

/* A short counted stretch of work, so that a counter which opens but does not count is found out. */
static void check_counter(struct examination *x, const struct collector *p)
{
    void *self = arena_alloc(x->c->arena, p->state_size + 1);
    struct counter out[COLLECTOR_COUNTERS];
    struct err why = {0};
    int n = 0;
    volatile double work = 0;
    if (p->open && !p->open(self, &why)) {
        note(x, &x->counters, p->name, false, why.text);
        return;
    }
    bool counted = !p->start || p->start(self, &why);
    for (int k = 0; k < 100000; k++)
        work = work + 1;
    counted = counted && p->stop(self, out, &n, &why);
    if (!counted)
        note(x, &x->counters, p->name, false, why.text);
    for (int k = 0; counted && k < n; k++)
        note(x, &x->counters, out[k].name, out[k].present, out[k].reason);
    if (p->close)
        p->close(self);
}

/* Machines -------------------------------------------------------------------------------------------------------- */

/* Why this computer, with any one of its GPUs, is not that machine; NULL when it is. The reason is that of its first
 * GPU. */
static const char *not_machine(const struct examination *x, const struct machine *m)
{
    const struct host *h = &x->host;
    struct machine_traits t = {.cpu = h->cpu, .arch = h->arch, .memory_gib = h->memory_gib, .cores = h->cores_online};
    const char *first = NULL;
    if (m->detected)
        return NULL;
    if (!machine_match_given(&m->match))
        return "its file has no rule to tell it by (match)";
    if (m->match.gpu.n && (x->no_gpus || x->nvidia.n == 0))
        return x->no_gpus ? x->no_gpus : "the NVIDIA driver knows no GPU here";
    for (int i = 0; i < x->nvidia.n || i == 0; i++) {
        t.gpu = i < x->nvidia.n ? x->nvidia.gpus[i].name : NULL;
        t.gpu_memory_gib = i < x->nvidia.n ? x->nvidia.gpus[i].memory_gib : 0;
        const char *why = machine_mismatch(x->c->arena, &m->match, &t);
        if (!why)
            return NULL;
        first = first ? first : why;
    }
    return first;
}

static void check_machines(struct examination *x)
{
    const char *folder = file_join(x->c->arena, x->c->folder, "machines");
    char **names;
    int n = 0;
    struct err why = {0};
    if (!cli_need_experiments(x->c, &why) || !file_list(x->c->arena, folder, ".yaml", &names, &n, &why))
        note(x, &x->machines, folder, false, why.text);
    for (int i = 0; i < n; i++) {
        struct machine m;
        why = (struct err){0};
        const char *not = machine_load(x->c->arena, x->c->folder, names[i], &m, &why) ? not_machine(x, &m) : why.text;
        note(x, &x->machines, names[i], !not, not? not : m.title);
    }
}

/* An experiment can run here when its file loads with its machine's target and that target opens. */
static void check_experiment(struct examination *x, const char *name)
{
    struct open_options o = {0};
    struct experiment *e;
    struct err why = {0};
    bool works = open_experiment(x->c, name, &o, &e, &why);
    if (works) {
        const struct target *p = registry_target(x->c->registry, e->plan.target, &why);
        works = p && target_works(x->c, p, NULL, &why);
    }
    note(x, &x->experiments, name, works, works ? "" : why.text);
}

static void check_experiments(struct examination *x)
{
    char **names;
    int n = 0;
    struct err why = {0};
    if (!cli_need_experiments(x->c, &why) || !file_list(x->c->arena, x->c->folder, ".yaml", &names, &n, &why))
        note(x, &x->experiments, x->c->folder, false, why.text);
    for (int i = 0; i < n; i++)
        check_experiment(x, names[i]);
}

/* Printing -------------------------------------------------------------------------------------------------------- */

static void put_checks(cJSON *in, const char *key, const char *verdict, const struct checks *list)
{
    cJSON *out = json_put_array(in, key);
    for (int i = 0; i < list->all.n; i++) {
        const struct check *k = &list->all.at[i];
        cJSON *o = json_put_object(out, NULL);
        json_put_str(o, "name", k->name);
        json_put_bool(o, verdict, k->works);
        if (*k->reason)
            json_put_str(o, "reason", k->reason);
    }
}

static void put_gpus(const struct examination *x, cJSON *in)
{
    cJSON *out = json_put_array(in, "gpus");
    for (int i = 0; i < x->nvidia.n; i++) {
        const struct nvidia_gpu *gpu = &x->nvidia.gpus[i];
        cJSON *o = json_put_object(out, NULL);
        json_put_str(o, "name", gpu->name);
        json_put_number(o, "memory_gib", gpu->memory_gib);
        json_put_str(o, "capability", arena_printf(x->c->arena, "%d.%d", gpu->capability[0], gpu->capability[1]));
    }
    if (x->no_gpus)
        json_put_str(in, "no_gpus", x->no_gpus);
    else
        json_put_str(in, "gpu_driver", x->nvidia.driver);
}

static void print_json(const struct examination *x)
{
    cJSON *out = json_object();
    json_put(out, "machine", host_json(&x->host));
    put_gpus(x, out);
    json_put_str(out, "features", gather_features());
    json_put(out, "versions", gather_versions());
    json_put(out, "cpu_target", x->cpu);
    put_checks(out, "devices", "works", &x->devices);
    put_checks(out, "cuda", "works", &x->cuda);
    put_checks(out, "counters", "works", &x->counters);
    put_checks(out, "machines", "matches", &x->machines);
    put_checks(out, "experiments", "works", &x->experiments);
    cli_print_json(out);
}

static void add_checks(struct text *t, const char *title, const struct checks *list)
{
    text_printf(t, "%s:\n", title);
    for (int i = 0; i < list->all.n; i++) {
        const struct check *k = &list->all.at[i];
        text_printf(t, "  %-14s %s%s%s\n", k->name, k->works ? "works" : "absent", *k->reason ? ": " : "", k->reason);
    }
}

/* The machines of one verdict and reason stand together. */
static void add_machines(struct text *t, const struct checks *list)
{
    text_add(t, "is this computer a machine of experiments?\n");
    for (int i = 0; i < list->all.n; i++) {
        const struct check *k = &list->all.at[i];
        bool first = true;
        for (int j = 0; j < i; j++)
            first = first && !str_eq(k->reason, list->all.at[j].reason);
        if (!first)
            continue;
        text_printf(t, "  %-4s%s", k->works ? "yes" : "no", k->name);
        for (int j = i + 1; j < list->all.n; j++)
            if (str_eq(k->reason, list->all.at[j].reason))
                text_printf(t, ", %s", list->all.at[j].name);
        text_printf(t, ": %s\n", k->reason);
    }
}

static void print_text(const struct examination *x)
{
    const struct host *host = &x->host;
    cJSON *versions = gather_versions();
    struct text t = {0};
    text_printf(&t, "machine: %s, %d cores online", host->cpu, host->cores_online);
    if (host->cores_usable != host->cores_online)
        text_printf(&t, " (%d may be used)", host->cores_usable);
    text_printf(&t, ", %.1f GiB, %s%s\n", host->memory_gib, *host->virtualisation ? "virtual machine: " : "",
                host->virtualisation);
    text_printf(&t, "  instruction sets: %s\n  load %.2f%s\n", host->features, host->load1,
                host->load1 > 0.5 ? " over the last minute: if other work goes on, timings will spread" : "");
    for (int i = 0; i < x->nvidia.n; i++)
        text_printf(&t, "  GPU: %s, %.1f GiB, compute capability %d.%d, driver %s\n", x->nvidia.gpus[i].name,
                    x->nvidia.gpus[i].memory_gib, x->nvidia.gpus[i].capability[0], x->nvidia.gpus[i].capability[1],
                    x->nvidia.driver);
    text_printf(&t, "built with: %s\nlibraries:", gather_features());
    for (const cJSON *v = versions->child; v; v = v->next)
        text_printf(&t, "%s %s %s", v == versions->child ? "" : ",", v->string, v->valuestring);
    text_char(&t, '\n');
    cJSON_Delete(versions);
    add_checks(&t, "targets", &x->devices);
    add_checks(&t, "parts of target cuda", &x->cuda);
    add_checks(&t, "counters", &x->counters);
    add_machines(&t, &x->machines);
    add_checks(&t, "experiments that can run here", &x->experiments);
    cli_print(&t);
}

struct doctor_options {
    const char *on;
};
static const struct setting options[] = {
    ON_ROW(struct doctor_options, on, "what another machine can and cannot measure (as for `run --on`)"), {0}};

static bool run(struct cli *c, struct err *err)
{
    const struct doctor_options *o = c->options;
    if (*o->on)
        return remote_command(c, o->on, c->json ? "doctor --json" : "doctor", err);
    struct examination x = {.c = c, .cpu = json_object()};
    struct err why = {0};
    host_probe(&x.host);
    if (!nvidia_probe(&x.nvidia, &why))
        x.no_gpus = arena_str(c->arena, why.text);
    check_cuda(&x); /* before OpenCL may start a driver of NVIDIA in this process, which must not fork then */
    check_targets(&x);
    for (const struct collector *const *p = c->registry->collectors; *p; p++)
        check_counter(&x, *p);
    check_machines(&x);
    check_experiments(&x);
    if (c->json) {
        print_json(&x);
    } else {
        print_text(&x);
        cJSON_Delete(x.cpu);
    }
    vec_free(&x.devices.all);
    vec_free(&x.cuda.all);
    vec_free(&x.counters.all);
    vec_free(&x.machines.all);
    vec_free(&x.experiments.all);
    return true;
}

static const struct json_member members[] = {
    MEMBER("machine.cpu", "text", "Name of the processor."),
    MEMBER("machine.arch", "text", "Instruction set architecture."),
    MEMBER("machine.kernel", "text", "Release of the Linux kernel."),
    MEMBER("machine.microcode", "text", "Microcode revision; null: not known."),
    MEMBER("machine.virtualisation", "text", "Hypervisor; null: real hardware."),
    MEMBER("machine.governor", "text", "Frequency governor; null: not known."),
    MEMBER("machine.features", "text", "Vector instruction sets, separated by blanks."),
    MEMBER("machine.cores_online", "count", "Logical processors that are online."),
    MEMBER("machine.cores_usable", "count",
           "Those of them that raingauge may use; taskset or Slurm may leave it fewer."),
    MEMBER("machine.threads_per_core", "count", "Logical processors of one core."),
    MEMBER("machine.memory_gib", "GiB", "Main memory."),
    MEMBER("machine.l1d_bytes", "bytes", "First-level data cache of a core."),
    MEMBER("machine.l2_bytes", "bytes", "Second-level cache of a core."),
    MEMBER("machine.l3_bytes", "bytes", "Third-level cache."),
    MEMBER("machine.turbo", "0, 1", "Whether turbo is on; null: not known."),
    MEMBER("machine.smt", "0, 1", "Whether simultaneous multithreading is on; null: not known."),
    MEMBER("machine.thp", "text", "Transparent huge pages: never, madvise or always; null: not known."),
    MEMBER("machine.aslr", "0 to 2", "Address space randomisation, as the kernel counts it; null: not known."),
    MEMBER_MAYBE("machine.node", "text", "Tells machines of one processor apart: a digest that names no one."),
    MEMBER("machine.load1", "processes", "Load average over one minute."),
    MEMBER_MAYBE("gpus[].name", "text", "A GPU of NVIDIA, as its driver names it; MIG is added to one in slices."),
    MEMBER_MAYBE("gpus[].memory_gib", "GiB", "Its memory; 0: it has none of its own."),
    MEMBER_MAYBE("gpus[].capability", "text", "Its compute capability; 0.0: not known."),
    MEMBER_MAYBE("gpu_driver", "text", "Version of the driver; null: not known."),
    MEMBER_MAYBE("no_gpus", "text", "Why no driver of NVIDIA answers."),
    MEMBER("features", "text", "Optional libraries this binary was built with (+) and without (-)."),
    MEMBER("versions.{library}", "text", "Version of a library that is linked in, and of the compiler."),
    MEMBER_MAYBE("cpu_target.cpu", "text", "Processor that target cpu generates code for."),
    MEMBER_MAYBE("cpu_target.mcpu", "text", "The same, as LLVM calls it."),
    MEMBER_MAYBE("cpu_target.codegen", "text", "Its code generator: tvm or fast."),
    MEMBER_MAYBE("cpu_target.llvm", "count", "Version of the LLVM that makes its code."),
    MEMBER_MAYBE("cpu_target.threads", "count", "Threads of a kernel."),
    MEMBER_MAYBE("cpu_target.vector_bits", "bits", "Width of a vector register."),
    MEMBER_MAYBE("cpu_target.features", "text", "LLVM features of the target."),
    MEMBER("devices[].name", "text", "A target."),
    MEMBER("devices[].works", "true or false", "Whether it can be opened here."),
    MEMBER_MAYBE("devices[].reason", "text", "Why not, or a remark."),
    MEMBER("cuda[].name", "text", "What target cuda needs: driver, gpu, nvrtc, cupti, nvml."),
    MEMBER("cuda[].works", "true or false", "Whether it is here."),
    MEMBER_MAYBE("cuda[].reason", "text", "Its version and kind, or why not."),
    MEMBER("counters[].name", "text", "A collector or one of its counters."),
    MEMBER("counters[].works", "true or false", "Whether it counts here."),
    MEMBER_MAYBE("counters[].reason", "text", "Why not."),
    MEMBER("machines[].name", "text", "A file of experiments/machines, or the folder that was not found."),
    MEMBER("machines[].matches", "true or false", "Whether this computer is that machine, by the file's rule."),
    MEMBER("machines[].reason", "text", "Why not; of one that it is, the title."),
    MEMBER("experiments[].name", "text", "An experiment, or the folder that was not found."),
    MEMBER("experiments[].works", "true or false", "Whether it can run here."),
    MEMBER_MAYBE("experiments[].reason", "text", "Why not."),
    {0}};
static const struct json_form forms[] = {JSON_FORM("raingauge doctor", members), {0}};

const struct verb verb_doctor = {.name = "doctor",
                                 .arguments = "",
                                 .summary = "what this machine can and cannot measure, and why",
                                 VERB_OPTIONS(struct doctor_options),
                                 .json = forms,
                                 .run = run};
