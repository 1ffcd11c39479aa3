/* SPDX-License-Identifier: Apache-2.0 */
/* worker_main: signals, streams, limits, affinity; then the target is opened and the service begins.
 *
 * The memory limit is RLIMIT_DATA, set after the target has been opened to what is mapped then plus memory_mib.
 * RLIMIT_AS would count libraries, guard pages and address space that malloc and sanitizers only reserve. */
#include "harness/measure/worker_main.h"

#include "harness/base/confine/confine.h"
#include "harness/measure/builder.h"
#include "harness/measure/remote/identity.h"
#include "harness/measure/runner.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Handlers of the sanitizers go as well: an end by signal must be seen as one. */
static void reset_signals(void)
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

static void redirect_streams(int log)
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

/* When memory runs out, the kernel is to kill a worker and not the parent with its records. */
static void raise_oom_score(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0 && write(fd, "900", 3) != 3)
        fd = fd + 0; /* not allowed here: the kernel chooses as it would */
    if (fd >= 0)
        close(fd);
}

static void limit_memory(int64_t mib)
{
    long size = 0, pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (!f)
        return;
    int got = fscanf(f, "%ld %*s %*s %*s %*s %ld", &size, &pages); /* size resident shared text lib data */
    fclose(f);
    if (got != 2 || pages <= 0) /* gVisor writes 0: what is mapped at all is no less */
        pages = size;
    rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mib << 20);
    setrlimit(RLIMIT_DATA, &(struct rlimit){bytes, bytes});
}

/* OpenMP may have bound the fork server's thread to one core. A worker may use all cores that the parent may. A build
 * worker runs where the system likes. A runner pins its own threads (the target does, or OpenMP by its environment). */
static void restore_affinity(const struct worker_setup *s, enum worker_kind kind)
{
    if (kind != WORKER_RUN) {
        unsetenv("OMP_PROC_BIND");
        unsetenv("OMP_PLACES");
    }
    sched_setaffinity(0, sizeof s->affinity[kind], &s->affinity[kind]);
}

static void say_ready(struct worker *w, bool ok, const struct err *err, const struct limits *limits)
{
    bool apart = ok && w->env.use == TARGET_RUNS && w->target->runs_apart && w->target->runs_apart(w->self);
    packet_clear(&w->packet);
    packet_int(&w->packet, ok ? EXIT_FINE : err->code);
    packet_str(&w->packet, err->text);
    packet_bytes(&w->packet, limits, sizeof *limits);
    packet_int(&w->packet, apart);
    worker_answer(w, MESSAGE_READY);
    if (!ok)
        _exit(0);
}

/* Objects are those of one program on one machine. */
static struct file_cache *kept_objects(const struct worker_setup *s)
{
    char machine[65] = "";
    struct text stamp = {0};
    if (!*s->objects)
        return NULL;
    if (gethostname(machine, sizeof machine - 1) != 0)
        *machine = 0;
    identity_print(machine, &stamp);
    struct file_cache *kept = file_cache_open(s->objects, text_str(&stamp), s->objects_mib << 20);
    text_free(&stamp);
    return kept;
}

void worker_main(const struct worker_setup *setup, enum worker_kind kind, int fd, int log)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, kind == WORKER_RUN ? "raingauge-run" : "raingauge-build");
    reset_signals();
    redirect_streams(log);
    raise_oom_score();
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    restore_affinity(setup, kind);
    struct worker w = {.setup = setup, .target = setup->target, .fd = fd, .scratch = arena_open("scratch")};
    w.env = (struct target_env){.threads = setup->threads, .layout = setup->layout};
    w.env.use = kind == WORKER_RUN ? TARGET_RUNS : TARGET_BUILDS;
    if (kind != WORKER_RUN)
        w.env.objects = kept_objects(setup);
    struct limits limits = {0};
    struct err err = {0};
    bool ok = target_begin(setup->target, setup->target_settings, arena_open("worker"), &w.env, &w.self, &limits, &err);
    limit_memory(setup->memory_mib);
    if (kind == WORKER_RUN && !setup->target->loads_freely)
        (void)confine_process(); /* where it cannot be, what kernels leave behind is killed afterwards */
    say_ready(&w, ok, &err, &limits);
    if (kind == WORKER_RUN)
        runner_serve(&w);
    builder_serve(&w);
}
