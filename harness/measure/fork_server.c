/* SPDX-License-Identifier: Apache-2.0 */
/* fork_server: both sides of the process that forks the workers.
 *
 * Why the parent does not fork them: by the time a worker must be replaced, the parent may have threads, a used OpenMP
 * pool (XGBoost makes one; libgomp hangs in a child forked after that) and gigabytes of records. Why the process is
 * executed anew and not only forked early: OpenMP reads its environment when it is loaded, so pinning and waiting can
 * be set for the runner only before the program starts. And a later measurer of the same parent is as clean as the
 * first.
 *
 * How: posix_spawn of /proc/self/exe with RAINGAUGE_FORK_SERVER set. A constructor sees it and serves instead of main.
 * The target and the collectors are named by their offset in the program's image, which is the same binary wherever it
 * is mapped. So any program linked with measure can measure without a line in main, tests with their own targets too.
 */
#include "harness/measure/fork_server.h"

#include "harness/base/clock.h"
#include "harness/base/confine/descendants.h"
#include "harness/base/log.h"
#include "harness/base/process.h"
#include "harness/measure/channel.h"
#include "harness/measure/worker_main.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORK_SERVER_VARIABLE "RAINGAUGE_FORK_SERVER"
enum { FORK_SERVER_FD = 3, LOG_BYTES = 1 << 16, SETTINGS_MAX = 4096, WORKERS_MAX = 1024 };
enum { ASK_SETUP, ASK_SPAWN, ASK_REAP };
#define ANSWER_SECONDS 60.0

extern const char __executable_start, _end; /* the linker's: this program's image */

struct fork_server {
    struct process process;
    int fd;
    struct worker_setup setup;
    struct packet packet;
};

/* --- the child's side --- */

static void setup_read(struct packet *p, struct worker_setup *s)
{
    size_t n = 0;
    s->target = (const struct target *)(&__executable_start + packet_get_int(p));
    int64_t collectors = packet_get_int(p);
    s->collectors = collectors ? (const struct collector *const *)(&__executable_start + collectors) : NULL;
    static char settings[SETTINGS_MAX];
    snprintf(settings, sizeof settings, "%s", packet_get_str(p));
    s->target_settings = settings;
    s->threads = (int)packet_get_int(p);
    s->layout = (enum layout_mode)packet_get_int(p);
    s->memory_mib = packet_get_int(p);
    s->verify_only = packet_get_int(p) != 0;
    s->seed = (uint64_t)packet_get_int(p);
    static char objects[PATH_MAX];
    snprintf(objects, sizeof objects, "%s", packet_get_str(p));
    s->objects = objects;
    s->objects_mib = packet_get_int(p);
    const void *mask = packet_get_bytes(p, &n);
    if (mask && n == sizeof s->affinity)
        memcpy(s->affinity, mask, n);
}

static void preload(const struct target *t, const char *settings)
{
    struct err why = {0};
    struct arena *a = arena_open("preload");
    void *options;
    if (!setting_options(a, t->settings, t->options_size, settings, &options, &why) || !t->preload(options, &why))
        log_debug("%s", why.text); /* the first worker, which opens the target, tells the parent */
    arena_close(a);
}

static void serve_setup(struct worker_setup *setup, struct packet *p)
{
    setup_read(p, setup);
    if (setup->target->preload)
        preload(setup->target, setup->target_settings);
}

/* The end of this process and of all that it began. */
static _Noreturn void end_all(void)
{
    descendants_kill(NULL, 0);
    _exit(0);
}

/* A memory file of fixed size, sealed: whatever a worker prints, its log cannot grow. */
static int log_make(void)
{
    int fd = memfd_create("log", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, LOG_BYTES) || fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The workers alive, so that other children are not taken for them. */
static struct {
    pid_t at[WORKERS_MAX];
    int n;
} workers;

static void workers_add(pid_t pid)
{
    if (workers.n < WORKERS_MAX)
        workers.at[workers.n++] = pid;
}

static void workers_remove(pid_t pid)
{
    for (int i = 0; i < workers.n; i++)
        if (workers.at[i] == pid)
            workers.at[i--] = workers.at[--workers.n];
}

static void serve_spawn(const struct worker_setup *setup, struct packet *p)
{
    enum worker_kind kind = (enum worker_kind)packet_get_int(p);
    int pair[2] = {-1, -1}, log = log_make();
    pid_t pid = -1;
    if (log >= 0 && channel_pair(pair))
        pid = fork();
    if (pid == 0) {
        close(FORK_SERVER_FD);
        close(pair[0]);
        packet_free(p);
        worker_main(setup, kind, pair[1], log);
    }
    int why = errno, end = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1, nfds = end < 0 ? 2 : 3;
    packet_clear(p);
    packet_int(p, pid);
    packet_str(p, pid < 0 ? strerror(why) : "");
    packet_int(p, nfds);
    if (pid > 0)
        workers_add(pid);
    bool sent = channel_send(FORK_SERVER_FD, ASK_SPAWN, p, CHANNEL_FOREVER) == CHANNEL_OK;
    if (sent && pid > 0)
        sent = channel_send_fds(FORK_SERVER_FD, (int[3]){pair[0], log, end}, nfds);
    if (end >= 0)
        close(end);
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
    if (log >= 0)
        close(log);
    if (!sent)
        end_all();
}

/* A worker that closed its socket is about to end. It is waited for: a kill would hide how it ends. It is no process of
 * base/process: what it leaves behind is found by its parent (descendants), whatever group a kernel put it in. */
static void serve_reap(struct packet *p)
{
    pid_t pid = (pid_t)packet_get_int(p);
    double until = clock_now() + packet_get_real(p);
    int status = -1;
    bool killed = false;
    pid_t got = 0;
    while (pid > 0 && (got = waitpid(pid, &status, WNOHANG)) == 0 && clock_now() < until)
        clock_sleep(0.002);
    if (pid > 0 && got == 0) {
        killed = true;
        kill(pid, SIGKILL);
        while ((got = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
            ;
    }
    workers_remove(pid);
    descendants_kill(workers.at, workers.n);
    packet_clear(p);
    packet_int(p, got > 0 ? status : -1);
    packet_int(p, killed);
    if (channel_send(FORK_SERVER_FD, ASK_REAP, p, CHANNEL_FOREVER) != CHANNEL_OK)
        end_all();
}

/* Ends with the parent, whose death closes the socket; a kill would not let it end what workers began. The workers end
 * with this process (PR_SET_PDEATHSIG in worker_main). Ctrl-C reaches only the parent, which lets the trial in flight
 * finish. */
static _Noreturn void fork_server_serve(void)
{
    static struct worker_setup setup;
    struct packet p = {0};
    int kind;
    descendants_adopt();
    close_range(FORK_SERVER_FD + 1, ~0U, 0);
    while (channel_receive(FORK_SERVER_FD, &kind, &p, CHANNEL_FOREVER) == CHANNEL_OK) {
        if (kind == ASK_SETUP)
            serve_setup(&setup, &p);
        else if (kind == ASK_SPAWN)
            serve_spawn(&setup, &p);
        else
            serve_reap(&p);
    }
    end_all();
}

__attribute__((constructor)) static void fork_server_enter(void)
{
    const char *word = getenv(FORK_SERVER_VARIABLE);
    if (!word)
        return;
    unsetenv(FORK_SERVER_VARIABLE);
    if (fcntl(FORK_SERVER_FD, F_GETFD) >= 0)
        fork_server_serve();
}

/* --- the parent's side --- */

/* The runner's OpenMP environment. Threads are pinned one to a core and spin between kernel calls, as a kernel called
 * back to back would find them; the spin is bounded (some 10 ms) so that they sleep while the next batch is built. The
 * stacks hold kernels' temporaries. OpenBLAS and the like must not make threads in the fork server, which forks. */
static char *const FORK_SERVER_ENVIRONMENT[] = {
    "OMP_PROC_BIND=close",     "OMP_PLACES=cores",
    "OMP_WAIT_POLICY=active",  "OMP_DYNAMIC=false",
    "OMP_STACKSIZE=16M",       "GOMP_SPINCOUNT=1000000",
    "KMP_BLOCKTIME=20",        "OPENBLAS_NUM_THREADS=1",
    "RAINGAUGE_FORK_SERVER=1", NULL,
};

static bool is_replaced(const char *entry)
{
    static const char *const ALSO[] = {"OMP_NUM_THREADS=", "GOMP_CPU_AFFINITY=", "KMP_AFFINITY="};
    for (int i = 0; i < 3; i++)
        if (str_starts(entry, ALSO[i]))
            return true;
    for (int i = 0; FORK_SERVER_ENVIRONMENT[i]; i++)
        if (strncmp(entry, FORK_SERVER_ENVIRONMENT[i], strcspn(FORK_SERVER_ENVIRONMENT[i], "=") + 1) == 0)
            return true;
    return false;
}

/* The entries are borrowed; only the array is to be freed. */
static char **environment_make(char *threads, char *places)
{
    int n = 0, kept = 0;
    while (environ[n])
        n++;
    char **all = calloc((size_t)n + 16, sizeof *all);
    if (!all)
        return NULL;
    for (int i = 0; i < n; i++)
        if (!is_replaced(environ[i]))
            all[kept++] = environ[i];
    for (int i = 0; FORK_SERVER_ENVIRONMENT[i]; i++)
        all[kept++] =
            *places && str_starts(FORK_SERVER_ENVIRONMENT[i], "OMP_PLACES=") ? places : FORK_SERVER_ENVIRONMENT[i];
    if (*threads)
        all[kept++] = threads;
    return all;
}

/* A thread for each of the runner's processors: OpenMP is started by a process that may use them all. */
static void print_places(const cpu_set_t *own, struct text *out)
{
    text_add(out, "OMP_PLACES=");
    for (int cpu = 0, n = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET((size_t)cpu, own))
            text_printf(out, "%s{%d}", n++ ? "," : "", cpu);
}

static bool start_self(struct fork_server *fs, int fd, struct err *err)
{
    const char *const arguments[] = {"/proc/self/exe", NULL};
    char count[40] = "";
    if (fs->setup.threads > 0)
        snprintf(count, sizeof count, "OMP_NUM_THREADS=%d", fs->setup.threads);
    struct text places = {0};
    if (fs->setup.splits)
        print_places(&fs->setup.affinity[WORKER_RUN], &places);
    char **environment = environment_make(count, places.s ? places.s : "");
    const struct process_spec self = {.argv = arguments,
                                      .environment = environment,
                                      .out = STDOUT_FILENO,
                                      .err = STDERR_FILENO,
                                      .also = fd,
                                      .outlives = true};
    bool fine = environment ? process_start(&self, &fs->process, err) : err_set(err, "out of memory");
    free(environment);
    text_free(&places);
    return fine || err_context(err, "the measuring process");
}

static bool send_setup(struct fork_server *fs)
{
    packet_clear(&fs->packet);
    packet_int(&fs->packet, (const char *)fs->setup.target - &__executable_start);
    packet_int(&fs->packet, fs->setup.collectors ? (const char *)fs->setup.collectors - &__executable_start : 0);
    packet_str(&fs->packet, fs->setup.target_settings);
    packet_int(&fs->packet, fs->setup.threads);
    packet_int(&fs->packet, fs->setup.layout);
    packet_int(&fs->packet, fs->setup.memory_mib);
    packet_int(&fs->packet, fs->setup.verify_only);
    packet_int(&fs->packet, (int64_t)fs->setup.seed);
    packet_str(&fs->packet, fs->setup.objects);
    packet_int(&fs->packet, fs->setup.objects_mib);
    packet_bytes(&fs->packet, fs->setup.affinity, sizeof fs->setup.affinity);
    return channel_send(fs->fd, ASK_SETUP, &fs->packet, clock_now() + ANSWER_SECONDS) == CHANNEL_OK;
}

static bool fork_server_start(struct fork_server *fs, struct err *err)
{
    int pair[2];
    if (!channel_pair(pair))
        return err_set(err, "cannot make a socket pair: %s", strerror(errno));
    bool fine = start_self(fs, pair[1], err);
    close(pair[1]);
    fs->fd = pair[0];
    return fine && (send_setup(fs) || err_set(err, "the measuring process ended at once"));
}

static void fork_server_stop(struct fork_server *fs)
{
    if (fs->fd >= 0)
        close(fs->fd);
    fs->fd = -1;
    if (!process_wait(&fs->process, clock_now() + ANSWER_SECONDS))
        process_stop(&fs->process, 0);
}

static bool in_image(const void *p)
{
    return (const char *)p >= &__executable_start && (const char *)p < &_end;
}

bool fork_server_open(const struct worker_setup *setup, struct fork_server **out, struct err *err)
{
    if (!in_image(setup->target))
        return err_set(err, "target '%s' is not part of the program", setup->target->name);
    if (setup->collectors && !in_image(setup->collectors))
        return err_set(err, "the table of collectors is not part of the program");
    if (strlen(setup->target_settings) >= SETTINGS_MAX)
        return err_set(err, "settings of target '%s' are longer than %d", setup->target->name, SETTINGS_MAX);
    struct fork_server *fs = calloc(1, sizeof *fs);
    if (!fs)
        return err_set(err, "out of memory");
    fs->setup = *setup;
    fs->fd = -1;
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all))
        memset(&all, 0xff, sizeof all);
    for (int i = 0; i <= WORKER_RUN; i++)
        if (CPU_COUNT(&fs->setup.affinity[i]) == 0)
            fs->setup.affinity[i] = all;
    if (!fork_server_start(fs, err)) {
        fork_server_close(fs);
        return false;
    }
    *out = fs;
    return true;
}

void fork_server_close(struct fork_server *fs)
{
    if (!fs)
        return;
    fork_server_stop(fs);
    packet_free(&fs->packet);
    free(fs);
}

static bool ask_spawn(struct fork_server *fs, enum worker_kind kind, struct fork_server_child *out, struct err *err)
{
    double deadline = clock_now() + ANSWER_SECONDS;
    int what, fds[3] = {-1, -1, -1};
    packet_clear(&fs->packet);
    packet_int(&fs->packet, kind);
    if (fs->fd < 0 || channel_send(fs->fd, ASK_SPAWN, &fs->packet, deadline) != CHANNEL_OK ||
        channel_receive(fs->fd, &what, &fs->packet, deadline) != CHANNEL_OK)
        return err_set(err, "the measuring process does not answer");
    pid_t pid = (pid_t)packet_get_int(&fs->packet);
    if (pid <= 0)
        return err_set(err, "cannot fork a worker: %s", packet_get_str(&fs->packet));
    packet_get_str(&fs->packet);
    if (!channel_receive_fds(fs->fd, fds, packet_get_int(&fs->packet) == 3 ? 3 : 2))
        return err_set(err, "the measuring process does not answer");
    *out = (struct fork_server_child){.pid = pid, .fd = fds[0], .log = fds[1], .end = fds[2]};
    return true;
}

bool fork_server_spawn(struct fork_server *fs, enum worker_kind kind, struct fork_server_child *out, struct err *err)
{
    *out = FORK_SERVER_NO_CHILD;
    if (ask_spawn(fs, kind, out, err))
        return true;
    fork_server_stop(fs);
    return fork_server_start(fs, err) && ask_spawn(fs, kind, out, err);
}

struct worker_status fork_server_reap(struct fork_server *fs, struct fork_server_child *child, double grace)
{
    struct worker_status end = {.status = -1};
    int what;
    packet_clear(&fs->packet);
    packet_int(&fs->packet, child->pid);
    packet_real(&fs->packet, grace);
    double deadline = clock_now() + ANSWER_SECONDS + grace;
    if (child->pid > 0 && fs->fd >= 0 && channel_send(fs->fd, ASK_REAP, &fs->packet, deadline) == CHANNEL_OK &&
        channel_receive(fs->fd, &what, &fs->packet, deadline) == CHANNEL_OK) {
        end.status = (int)packet_get_int(&fs->packet);
        end.killed = packet_get_int(&fs->packet);
    }
    if (child->fd >= 0)
        close(child->fd);
    if (child->end >= 0)
        close(child->end);
    child->fd = child->end = -1;
    child->pid = 0;
    return end;
}
