/* SPDX-License-Identifier: Apache-2.0 */
/* hostile_target: each kernel is a function that is called once for each call. It finds what a kernel could find in its
 * process: the socket among the descriptors, the parent's id, the page that its input is in. */
#include "tests/lib/hostile_target.h"

#include "harness/base/clock.h"
#include "harness/measure/worker.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

const struct hostile_row hostile_rows[HOSTILE_COUNT] = {
#define X(id, does, outcome, message, by) {#id, does, OUTCOME_##outcome, message, by},
    HOSTILE_KERNELS(X)
#undef X
};

enum { ROWS = 15, COLUMNS = 31, DEPTH = 64, OUTPUTS = ROWS * COLUMNS };
struct loaded_kernel {
    enum hostile is;
    int calls;
    const void *seen[4]; /* outputs met */
    float kept[4][OUTPUTS];
};
typedef void kernel(struct loaded_kernel *k, void *const *args);
static volatile int never;

static void dense(const float *data, const float *weight, float *out, int from, int step, int depth)
{
    for (int i = from; i < OUTPUTS; i += step) {
        float sum = 0;
        for (int k = 0; k < depth; k++)
            sum += data[i / COLUMNS * DEPTH + k] * weight[i % COLUMNS * DEPTH + k];
        out[i] = sum;
    }
}

static void compute(void *const *args)
{
    dense(args[0], args[1], args[2], 0, 1, DEPTH);
}

/* The place of the output among those met, made when it is new. */
static int place_of(struct loaded_kernel *k, const void *out, bool *is_new)
{
    for (int i = 0; i < 4; i++) {
        *is_new = !k->seen[i];
        if (k->seen[i] == out || *is_new) {
            k->seen[i] = out;
            return i;
        }
    }
    abort();
}

/* ---- cheats ---- */

static void do_once(struct loaded_kernel *k, void *const *args)
{
    bool is_new;
    place_of(k, args[2], &is_new);
    if (is_new)
        compute(args);
}

static void do_half_sum(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    dense(args[0], args[1], args[2], 0, 1, DEPTH / 2);
}

static void do_half_output(struct loaded_kernel *k, void *const *args)
{
    bool is_new;
    place_of(k, args[2], &is_new);
    dense(args[0], args[1], args[2], 0, is_new ? 1 : 2, DEPTH);
}

static void do_cached(struct loaded_kernel *k, void *const *args)
{
    bool is_new;
    int at = place_of(k, args[2], &is_new);
    if (is_new)
        dense(args[0], args[1], k->kept[at], 0, 1, DEPTH);
    memcpy(args[2], k->kept[at], sizeof k->kept[at]);
}

static void do_looks(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    if (isnan(((const float *)args[2])[0]))
        compute(args);
}

static void do_looks_more(struct loaded_kernel *k, void *const *args)
{
    float first = *(const float *)args[0];
    if (isnan(((const float *)args[2])[0]) || k->kept[0][0] != first)
        compute(args);
    k->kept[0][0] = first;
}

static void *later(void *args)
{
    clock_sleep(1e-4);
    compute(args);
    return NULL;
}

static void do_thread(struct loaded_kernel *k, void *const *args)
{
    static void *copy[3];
    pthread_t t;
    (void)k;
    memcpy(copy, args, sizeof copy);
    if (pthread_create(&t, NULL, later, copy) == 0)
        pthread_detach(t);
}

static void do_sometimes(struct loaded_kernel *k, void *const *args)
{
    compute(args);
    if (k->calls % 2)
        ((float *)args[2])[77] += 1;
}

static void do_nan_element(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    ((float *)args[2])[OUTPUTS / 2] = NAN;
}

static void do_slow_later(struct loaded_kernel *k, void *const *args)
{
    compute(args);
    if (k->calls)
        clock_sleep(2e-3);
}

/* ---- harm to buffers ---- */

/* A store that the compiler cannot see through. */
static void poke(void *p, ptrdiff_t at)
{
    volatile float *q = (float *)p + never;
    q[at] = 7;
}

static void do_one_past(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    poke(args[2], OUTPUTS);
}

static void do_one_before(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    poke(args[2], -1);
}

static void do_far_past(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    poke(args[2], OUTPUTS + 1024);
}

static void do_its_inputs(struct loaded_kernel *k, void *const *args)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)args[0] / page * page;
    compute(args);
    if (k->calls == 1 && mprotect((void *)first, 1, PROT_READ | PROT_WRITE) == 0)
        ((uint32_t *)args[0])[3] ^= 1; /* no output shows it */
}

/* ---- harm to other processes ---- */

static void send_to_parent(bool as_answer)
{
    struct packet p = {.number = 1};
    struct stat st;
    packet_int(&p, OUTCOME_OK);
    packet_str(&p, "");
    packet_real(&p, 1e-3);
    packet_real(&p, 1e-3);
    packet_bytes(&p, (double[]){1e-9, 1e-9, 1e-9}, 3 * sizeof(double));
    for (int fd = 3; fd < 64; fd++)
        if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode)) {
            if (as_answer)
                (void)channel_send(fd, MESSAGE_RUN, &p, clock_now() + 1);
            else if (send(fd, "noise, noise, noise, noise, noise", 32, MSG_NOSIGNAL) < 0)
                break;
        }
    packet_free(&p);
}

static void do_forged(struct loaded_kernel *k, void *const *args)
{
    compute(args);
    if (k->calls == 2)
        send_to_parent(true);
}

static void do_flood(struct loaded_kernel *k, void *const *args)
{
    compute(args);
    if (k->calls == 2)
        send_to_parent(false);
}

static void leave_child(void)
{
    if (fork())
        return;
    prctl(PR_SET_NAME, HOSTILE_CHILD);
    setsid();
    for (;;)
        pause();
}

static void do_forks(struct loaded_kernel *k, void *const *args)
{
    compute(args);
    if (k->calls == 1)
        leave_child();
}

static void do_fork_exits(struct loaded_kernel *k, void *const *args)
{
    do_forks(k, args);
    if (k->calls == 1)
        _exit(0);
}

static void do_exec(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    execl("/bin/true", "true", (char *)NULL);
}

static void do_kills_parent(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    kill(getppid(), SIGKILL);
}

static void do_traces_parent(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
}

static void do_outlives(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    prctl(PR_SET_PDEATHSIG, 0);
}

static void do_network(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    if (fd >= 0)
        abort();
}

static void do_deletes(struct loaded_kernel *k, void *const *args)
{
    char new[300];
    const char *path = getenv(HOSTILE_FILE);
    (void)k;
    compute(args);
    if (!path)
        return;
    snprintf(new, sizeof new, "%s.new", path);
    unlink(path);
    int fd = open(new, O_CREAT | O_WRONLY, 0600);
    if (fd >= 0)
        close(fd);
    fd = open(path, O_RDWR);
    if (fd >= 0 && write(fd, "spoiled", 7) == 7)
        close(fd);
}

static void do_alarm_clock(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    ualarm(20000, 0);
}

static void do_priority(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    if (setpriority(PRIO_PROCESS, 0, -5) == 0 ||
        setrlimit(RLIMIT_DATA, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) == 0)
        abort();
}

/* ---- harm to its own process ---- */

static void ignore(int number)
{
    (void)number;
}

static void do_handlers(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    signal(SIGSEGV, ignore);
}

static void do_denormals(struct loaded_kernel *k, void *const *args)
{
    (void)k;
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040U);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(1) << 24));
#endif
    compute(args);
}

static void do_closes_streams(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    close(STDERR_FILENO);
}

static void do_closes_all(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
    close_range(0, ~0U, 0);
}

static void do_prints(struct loaded_kernel *k, void *const *args)
{
    static const char LINE[] = "a kernel that has much to say says it again and again and again and again\n";
    compute(args);
    for (int i = 0; i < 50000 && k->calls < 2; i++)
        for (int fd = 1; fd < 3; fd++)
            if (write(fd, LINE, sizeof LINE - 1) < 0)
                break;
}

static void do_crash(struct loaded_kernel *k, void *const *args)
{
    (void)k, (void)args;
    volatile int *p = (volatile int *)(uintptr_t)(never + 64);
    *p = 1;
}

static int deeper(volatile char *above)
{
    volatile char here[4096];
    here[0] = (char)(above[0] + 1);
    return never ? 0 : deeper(here) + here[0];
}

static void do_recursion(struct loaded_kernel *k, void *const *args)
{
    (void)k, (void)args;
    volatile char first[1] = {0};
    deeper(first);
}

static void do_loop(struct loaded_kernel *k, void *const *args)
{
    (void)k, (void)args;
    while (!never)
        ;
}

static void do_stops(struct loaded_kernel *k, void *const *args)
{
    (void)k, (void)args;
    raise(SIGSTOP);
}

static void do_exits(struct loaded_kernel *k, void *const *args)
{
    (void)k, (void)args;
    _exit(0);
}

static void do_aborts(struct loaded_kernel *k, void *const *args)
{
    (void)k, (void)args;
    abort();
}

/* Under a sanitizer malloc may end the process itself, which counts as out of memory, too. */
static void do_memory(struct loaded_kernel *k, void *const *args)
{
    (void)k, (void)args;
    for (char *p; (p = malloc((size_t)8 << 20)); never = 0)
        p[0] = p[4096] = 1;
    fprintf(stderr, "hostile: out of memory\n");
    abort();
}

/* The clock's three are in hostile_run. */
static kernel do_honest, do_half_clock, do_fast_clock, do_works_outside;

static void do_honest(struct loaded_kernel *k, void *const *args)
{
    (void)k;
    compute(args);
}

static void do_half_clock(struct loaded_kernel *k, void *const *args)
{
    do_honest(k, args);
}

static void do_fast_clock(struct loaded_kernel *k, void *const *args)
{
    do_honest(k, args);
}

static void do_works_outside(struct loaded_kernel *k, void *const *args)
{
    do_honest(k, args);
}

static kernel *const KERNELS[HOSTILE_COUNT] = {
#define X(id, does, outcome, message, by) do_##id,
    HOSTILE_KERNELS(X)
#undef X
};

/* ---- the target ---- */

static bool hostile_open(void *self, struct target_env *env, struct limits *limits, struct err *err)
{
    (void)self, (void)err;
    *limits = limits_cpu(env->threads ? env->threads : 2);
    return true;
}

static enum hostile kernel_of(const struct candidate *c)
{
    return c->nsteps ? (enum hostile)c->steps[0].value : HOSTILE_honest;
}

static enum outcome hostile_build(void *self, const struct candidate *c, struct blob *object,
                                  char message[SAMPLE_MESSAGE])
{
    enum hostile h = kernel_of(c);
    (void)self, (void)message;
    *object = (struct blob){.bytes = malloc(sizeof h), .n = sizeof h};
    memcpy(object->bytes, &h, sizeof h);
    return OUTCOME_OK;
}

static enum outcome hostile_load(void *self, const struct candidate *c, const struct blob *object, void **out,
                                 char message[SAMPLE_MESSAGE])
{
    struct loaded_kernel *k = calloc(1, sizeof *k);
    (void)self, (void)c, (void)message;
    memcpy(&k->is, object->bytes, sizeof k->is);
    *out = k;
    return OUTCOME_OK;
}

static enum outcome hostile_run(void *self, void *loaded, void *const *args, int number, double *seconds,
                                char message[SAMPLE_MESSAGE])
{
    struct loaded_kernel *k = loaded;
    (void)self, (void)message;
    double start = clock_now();
    for (int i = 0; i < number; i++, k->calls++)
        KERNELS[k->is](k, args);
    *seconds = clock_now() - start;
    if (k->is == HOSTILE_half_clock)
        *seconds /= 2;
    else if (k->is == HOSTILE_fast_clock)
        *seconds *= 2;
    else if (k->is == HOSTILE_works_outside)
        clock_sleep(1e-3 + *seconds);
    return OUTCOME_OK;
}

static void hostile_drop(void *self, void *loaded)
{
    (void)self;
    free(loaded);
}

static enum outcome hostile_reference(void *self, const struct task *task, struct blob *object,
                                      char message[SAMPLE_MESSAGE])
{
    struct candidate plain = {.task = task};
    return hostile_build(self, &plain, object, message);
}

static void hostile_close(void *self)
{
    (void)self;
}

const struct target hostile_target = {.name = "hostile",
                                      .summary = "kernels that cheat or do harm",
                                      .open = hostile_open,
                                      .build = hostile_build,
                                      .load = hostile_load,
                                      .run = hostile_run,
                                      .drop = hostile_drop,
                                      .reference = hostile_reference,
                                      .close = hostile_close};

struct candidate hostile_candidate(struct arena *a, const struct task *task, enum hostile h)
{
    struct step *s = ARENA_NEW(a, struct step);
    *s = (struct step){.kind = STEP_PR, .stage = 2, .value = h, .text = arena_printf(a, "auto_unroll_max_step$%d", h)};
    return (struct candidate){.task = task, .steps = s, .nsteps = 1, .hash = h, .score = 0.5};
}
