/* SPDX-License-Identifier: Apache-2.0 */
/* hostile_target: what each kernel does in a call stands in four switches. It finds what a kernel could find in its
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

static void *later(void *args)
{
    clock_sleep(1e-4);
    compute(args);
    return NULL;
}

static void compute_in_thread(void *const *args)
{
    static void *copy[3];
    pthread_t t;
    memcpy(copy, args, sizeof copy);
    if (pthread_create(&t, NULL, later, copy) == 0)
        pthread_detach(t);
}

/* Instead of the right result. */
static void cheat(struct loaded_kernel *k, void *const *args)
{
    float first = *(const float *)args[0];
    bool by_place = k->is == HOSTILE_once || k->is == HOSTILE_half_output || k->is == HOSTILE_cached;
    bool is_new = false, poisoned = isnan(((const float *)args[2])[0]);
    int at = by_place ? place_of(k, args[2], &is_new) : 0;
    switch (k->is) {
    case HOSTILE_once:
        if (is_new)
            compute(args);
        break;
    case HOSTILE_half_sum:
        dense(args[0], args[1], args[2], 0, 1, DEPTH / 2);
        break;
    case HOSTILE_half_output:
        dense(args[0], args[1], args[2], 0, is_new ? 1 : 2, DEPTH);
        break;
    case HOSTILE_cached:
        if (is_new)
            dense(args[0], args[1], k->kept[at], 0, 1, DEPTH);
        memcpy(args[2], k->kept[at], sizeof k->kept[at]);
        break;
    case HOSTILE_looks:
        if (poisoned)
            compute(args);
        break;
    case HOSTILE_looks_more:
        if (poisoned || k->kept[0][0] != first)
            compute(args);
        k->kept[0][0] = first;
        break;
    case HOSTILE_thread:
        compute_in_thread(args);
        break;
    default:
        compute(args);
    }
}

/* A store that the compiler cannot see through. */
static void poke(void *p, ptrdiff_t at)
{
    volatile float *q = (float *)p + never;
    q[at] = 7;
}

static void harm_buffers(const struct loaded_kernel *k, void *const *args)
{
    float *out = args[2];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)args[0] / page * page;
    switch (k->is) {
    case HOSTILE_sometimes:
        out[77] += k->calls % 2 ? 1 : 0;
        break;
    case HOSTILE_nan_element:
        out[OUTPUTS / 2] = NAN;
        break;
    case HOSTILE_one_past:
        poke(out, OUTPUTS);
        break;
    case HOSTILE_one_before:
        poke(out, -1);
        break;
    case HOSTILE_far_past:
        poke(out, OUTPUTS + 1024);
        break;
    case HOSTILE_its_inputs:
        if (k->calls == 1 && mprotect((void *)first, 1, PROT_READ | PROT_WRITE) == 0)
            ((uint32_t *)args[0])[3] ^= 1; /* no output shows it */
        break;
    default:
        break;
    }
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

static void leave_child(void)
{
    if (fork())
        return;
    prctl(PR_SET_NAME, HOSTILE_CHILD);
    setsid();
    for (;;)
        pause();
}

static void write_files(void)
{
    char new[300];
    const char *path = getenv(HOSTILE_FILE);
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

static void harm_others(const struct loaded_kernel *k)
{
    switch (k->is) {
    case HOSTILE_forged:
    case HOSTILE_flood:
        if (k->calls == 2)
            send_to_parent(k->is == HOSTILE_forged);
        break;
    case HOSTILE_forks:
    case HOSTILE_fork_exits:
        if (k->calls == 1) {
            leave_child();
            if (k->is == HOSTILE_fork_exits)
                _exit(0);
        }
        break;
    case HOSTILE_exec:
        execl("/bin/true", "true", (char *)NULL);
        break;
    case HOSTILE_kills_parent:
        kill(getppid(), SIGKILL);
        break;
    case HOSTILE_traces_parent:
        ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
        break;
    case HOSTILE_outlives:
        prctl(PR_SET_PDEATHSIG, 0);
        break;
    case HOSTILE_network:
        if (socket(AF_INET, SOCK_DGRAM, 0) >= 0)
            abort();
        break;
    case HOSTILE_deletes:
        write_files();
        break;
    case HOSTILE_alarm_clock:
        ualarm(20000, 0);
        break;
    case HOSTILE_priority:
        if (setpriority(PRIO_PROCESS, 0, -5) == 0 ||
            setrlimit(RLIMIT_DATA, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) == 0)
            abort();
        break;
    default:
        break;
    }
}

/* ---- harm to its own process ---- */

static void ignore(int number)
{
    (void)number;
}

static void flush_denormals(void)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040U);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(1) << 24));
#endif
}

static void print_megabytes(void)
{
    static const char LINE[] = "a kernel that has much to say says it again and again and again and again\n";
    for (int i = 0; i < 50000; i++)
        for (int fd = 1; fd < 3; fd++)
            if (write(fd, LINE, sizeof LINE - 1) < 0)
                break;
}

static int deeper(volatile char *above)
{
    volatile char here[4096];
    here[0] = (char)(above[0] + 1);
    return never ? 0 : deeper(here) + here[0];
}

/* Under a sanitizer malloc may end the process itself, which counts as out of memory, too. */
static void use_all_memory(void)
{
    for (char *p; (p = malloc((size_t)8 << 20)); never = 0)
        p[0] = p[4096] = 1;
    fprintf(stderr, "hostile: out of memory\n");
    abort();
}

static void harm_itself(const struct loaded_kernel *k)
{
    switch (k->is) {
    case HOSTILE_slow_later:
        if (k->calls)
            clock_sleep(2e-3);
        break;
    case HOSTILE_handlers:
        signal(SIGSEGV, ignore);
        break;
    case HOSTILE_denormals:
        flush_denormals();
        break;
    case HOSTILE_closes_streams:
        close(STDERR_FILENO);
        break;
    case HOSTILE_closes_all:
        close_range(0, ~0U, 0);
        break;
    case HOSTILE_prints:
        if (k->calls < 2)
            print_megabytes();
        break;
    case HOSTILE_crash:
        *(volatile int *)(uintptr_t)(never + 64) = 1;
        break;
    case HOSTILE_recursion:
        deeper((volatile char[1]){0});
        break;
    case HOSTILE_loop:
        while (!never)
            ;
        break;
    case HOSTILE_stops:
        raise(SIGSTOP);
        break;
    case HOSTILE_exits:
        _exit(0);
    case HOSTILE_aborts:
        abort();
    case HOSTILE_memory:
        use_all_memory();
        break;
    default:
        break;
    }
}

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
    for (int i = 0; i < number; i++, k->calls++) {
        cheat(k, args);
        harm_buffers(k, args);
        harm_others(k);
        harm_itself(k);
    }
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
