/* SPDX-License-Identifier: Apache-2.0 */
/* worker: what both kinds of worker do at birth, and the build service.
 *
 * The memory limit is RLIMIT_DATA, set after the target has been opened to what is mapped then plus memory_mib.
 * RLIMIT_AS would count libraries, guard pages and address space that malloc and sanitizers only reserve. */
#include "harness/measure/worker.h"

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/measure/fault.h"
#include "harness/measure/runner.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void worker_answer(struct worker *w, enum message kind)
{
    if (channel_send(w->fd, kind, &w->packet, CHANNEL_FOREVER) != CHANNEL_OK)
        _exit(0);
}

void worker_broken(struct worker *w, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    packet_clear(&w->packet);
    packet_str(&w->packet, text);
    worker_answer(w, MESSAGE_BROKEN);
    _exit(0);
}

void worker_fresh(struct worker *w)
{
    static const char ZEROS[4096];
    off_t printed = lseek(STDERR_FILENO, 0, SEEK_CUR);
    for (off_t at = 0; at < printed; at += (off_t)sizeof ZEROS)
        if (pwrite(STDERR_FILENO, ZEROS, sizeof ZEROS, at) < 0)
            break;
    lseek(STDERR_FILENO, 0, SEEK_SET);
    arena_reset(w->scratch);
}

struct candidate worker_candidate(struct worker *w, const struct task *task)
{
    struct err err = {0};
    struct candidate c = {.task = task, .score = NAN};
    size_t n;
    const char *text = packet_get_bytes(&w->packet, &n);
    cJSON *json = text ? json_parse(text, n, "steps", &err) : NULL;
    struct step *steps = NULL;
    if (!json || !steps_parse(w->scratch, json, &steps, &c.nsteps, &err))
        worker_broken(w, "steps: %s", err.text);
    cJSON_Delete(json);
    c.steps = steps;
    c.hash = (uint64_t)packet_get_int(&w->packet);
    return c;
}

/* --- birth --- */

/* Handlers of the sanitizers go as well: an end by signal must be seen as one. */
static void signals_reset(void)
{
    for (int i = 1; i < 32; i++)
        if (i != SIGKILL && i != SIGSTOP)
            signal(i, SIG_DFL);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void streams_redirect(int log)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0)
        _exit(EXIT_INTERNAL);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close(null);
    close(log);
}

/* When memory runs out, the kernel shall take a worker and not the parent with its records. */
static void volunteer(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "900", 3) != 3)
        fd = fd + 0; /* not allowed here: the kernel chooses as it would */
    if (fd >= 0)
        close(fd);
}

static void memory_limit(int64_t mib)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f)
        return;
    int got = fscanf(f, "%*s %*s %*s %*s %*s %ld", &pages); /* size resident shared text lib data */
    fclose(f);
    rlim_t bytes = (rlim_t)(got == 1 ? pages : 0) * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mib << 20);
    setrlimit(RLIMIT_DATA, &(struct rlimit){bytes, bytes});
}

/* OpenMP may have bound the fork_server's thread to one core. A worker may use all that the parent may: a build worker
 * as the system likes, a runner pins its own threads (the target does, or OpenMP by its environment). */
static void affinity_restore(const struct worker_setup *s, enum worker_kind kind)
{
    if (kind == WORKER_BUILD) {
        unsetenv("OMP_PROC_BIND");
        unsetenv("OMP_PLACES");
    }
    sched_setaffinity(0, sizeof s->affinity, &s->affinity);
}

static void say_hello(struct worker *w, bool ok, const struct err *err, const struct limits *limits)
{
    packet_clear(&w->packet);
    packet_int(&w->packet, ok);
    packet_str(&w->packet, err->text);
    packet_bytes(&w->packet, limits, sizeof *limits);
    worker_answer(w, MESSAGE_HELLO);
    if (!ok)
        _exit(0);
}

bool target_begin(const struct target *target, const char *settings, struct arena *a, struct target_env *env,
                  void **self, struct limits *limits, struct err *err)
{
    void *options = arena_alloc(a, target->options_size + 1);
    setting_defaults(target->settings, options);
    if (!setting_parse(target->settings, options, a, settings ? settings : "", err))
        return err_context(err, "target '%s'", target->name);
    env->options = options;
    *self = arena_alloc(a, target->state_size + 1);
    return target->open(*self, env, limits, err) || err_context(err, "target '%s'", target->name);
}

/* --- build service --- */

struct task_slot {
    uint64_t hash; /* of the spec text */
    struct arena *arena;
    struct task *task;
};

/* Direct-mapped: a spec is parsed again only when another one took its slot. */
static const struct task *task_of(struct worker *w, const char *spec)
{
    static struct task_slot slots[64];
    uint64_t hash = hash_str(spec);
    struct task_slot *slot = &slots[hash % 64];
    if (slot->task && slot->hash == hash)
        return slot->task;
    arena_close(slot->arena);
    *slot = (struct task_slot){.hash = hash, .arena = arena_open("task")};
    struct err err = {0};
    if (!task_parse(slot->arena, spec, &slot->task, &err))
        worker_broken(w, "task '%s': %s", spec, err.text);
    return slot->task;
}

static void serve_build(struct worker *w)
{
    const struct task *task = task_of(w, packet_get_str(&w->packet));
    struct candidate c = worker_candidate(w, task);
    fault_commit((enum fault)packet_get_int(&w->packet));
    if (w->packet.broken)
        worker_broken(w, "a build request is cut short");
    struct blob object = {0};
    char message[SAMPLE_MESSAGE] = "";
    double start = clock_now();
    enum outcome outcome = w->target->build(w->self, &c, &object, message);
    double seconds = clock_now() - start;
    packet_clear(&w->packet);
    packet_int(&w->packet, outcome);
    packet_str(&w->packet, message);
    packet_real(&w->packet, seconds);
    packet_bytes(&w->packet, object.bytes, object.n);
    free(object.bytes);
    worker_answer(w, MESSAGE_BUILD);
}

static void serve_reference(struct worker *w)
{
    const struct task *task = task_of(w, packet_get_str(&w->packet));
    struct blob object = {0};
    char message[SAMPLE_MESSAGE] = "";
    enum outcome outcome = w->target->reference(w->self, task, &object, message);
    packet_clear(&w->packet);
    packet_int(&w->packet, outcome);
    packet_str(&w->packet, message);
    packet_bytes(&w->packet, object.bytes, object.n);
    free(object.bytes);
    worker_answer(w, MESSAGE_REFERENCE);
}

static _Noreturn void build_serve(struct worker *w)
{
    int kind;
    while (channel_receive(w->fd, &kind, &w->packet, CHANNEL_FOREVER) == CHANNEL_OK) {
        worker_fresh(w);
        if (kind == MESSAGE_BUILD)
            serve_build(w);
        else if (kind == MESSAGE_REFERENCE)
            serve_reference(w);
        else
            worker_broken(w, "a build worker got message %d", kind);
    }
    _exit(0);
}

void worker_main(const struct worker_setup *setup, enum worker_kind kind, int fd, int log)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, kind == WORKER_RUN ? "raingauge-run" : "raingauge-build");
    signals_reset();
    streams_redirect(log);
    volunteer();
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    affinity_restore(setup, kind);
    struct worker w = {.setup = setup, .target = setup->target, .fd = fd, .scratch = arena_open("scratch")};
    w.env = (struct target_env){.threads = setup->threads, .layout = setup->layout};
    struct limits limits = {0};
    struct err err = {0};
    bool ok = target_begin(setup->target, setup->target_settings, arena_open("worker"), &w.env, &w.self, &limits, &err);
    memory_limit(setup->memory_mib);
    say_hello(&w, ok, &err, &limits);
    if (kind == WORKER_RUN)
        runner_serve(&w);
    build_serve(&w);
}
