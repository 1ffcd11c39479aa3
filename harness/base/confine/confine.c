/* SPDX-License-Identifier: Apache-2.0 */
/* confine: the lists, and the filter made of them. A rule is a few instructions that end the program or are skipped as
 * a whole, so the call's number stays loaded from one rule to the next. */
#include "harness/base/confine/confine.h"

#include "harness/base/confine/confine_files.h"
#include "harness/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

struct named_call {
    int number;
    const char *name;
};
#define CALL(name) {SYS_##name, #name}

/* No library does these in a runner that is ready. The first ones start programs. */
static const struct named_call ENDING[] = {
    CALL(execve),
    CALL(execveat),
#ifdef SYS_fork
    CALL(fork),
    CALL(vfork),
#define STARTING 4
#else
#define STARTING 2
#endif
    CALL(ptrace),
    CALL(process_vm_readv),
    CALL(process_vm_writev),
    CALL(setsid),
    CALL(setpgid),
    CALL(unshare),
    CALL(setns),
    CALL(mount),
    CALL(umount2),
    CALL(pivot_root),
    CALL(chroot),
    CALL(reboot),
    CALL(kexec_load),
    CALL(init_module),
    CALL(finit_module),
    CALL(delete_module),
    CALL(swapon),
    CALL(swapoff),
    CALL(seccomp),
    CALL(clock_settime),
    CALL(clock_adjtime),
    CALL(adjtimex),
    CALL(settimeofday),
    CALL(tkill),
    CALL(pidfd_send_signal),
    CALL(setuid),
    CALL(setgid),
    CALL(sethostname),
    CALL(bpf),
};
/* These end the runner unless their first argument is its own process. */
static const struct named_call OWN_PROCESS[] = {CALL(kill), CALL(tgkill), CALL(rt_sigqueueinfo),
                                                CALL(rt_tgsigqueueinfo)};
static const uint32_t ENDING_PRCTL[] = {PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_TSC};
static const struct named_call REFUSED[] = {
    CALL(socket),         CALL(socketpair),    CALL(connect),
    CALL(bind),           CALL(listen),        CALL(accept),
    CALL(accept4),        CALL(setpriority),   CALL(sched_setscheduler),
    CALL(sched_setparam), CALL(sched_setattr), CALL(setrlimit),
    CALL(io_uring_setup), CALL(setitimer),     CALL(timer_create),
    CALL(unlinkat),       CALL(renameat2),     CALL(linkat),
    CALL(symlinkat),      CALL(mkdirat),       CALL(mknodat),
    CALL(truncate),       CALL(ftruncate),     CALL(fchmod),
    CALL(fchmodat),       CALL(fchown),        CALL(fchownat),
    CALL(utimensat),      CALL(setxattr),      CALL(removexattr),
#ifdef SYS_open
    CALL(alarm),          CALL(unlink),        CALL(rename),
    CALL(renameat),       CALL(link),          CALL(symlink),
    CALL(mkdir),          CALL(rmdir),         CALL(mknod),
    CALL(creat),          CALL(chmod),         CALL(chown),
    CALL(lchown),
#endif
};
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

#ifdef THIS_ARCH
enum { INSTRUCTIONS_MAX = 256 };
struct filter {
    struct sock_filter at[INSTRUCTIONS_MAX];
    int n;
    bool starts;  /* a process that may become and start programs */
    bool kept;    /* confine_files sees to all that is opened */
    uint32_t end; /* what it gets that a runner is ended for */
};

static void add(struct filter *f, struct sock_filter i)
{
    f->at[f->n++] = i;
}

static void answer(struct filter *f, uint32_t action)
{
    add(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void rule(struct filter *f, int call, uint32_t action)
{
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1));
    answer(f, action);
}

#define GO_ON UINT32_MAX /* no answer: the next rule */

static void load_call(struct filter *f)
{
    add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
}

/* The low half of an argument is tested: BPF_JEQ with a value or BPF_JSET with bits. */
struct argument_test {
    int argument;
    uint16_t test;
    uint32_t value;
};
static void rule_by_argument(struct filter *f, int call, struct argument_test t, uint32_t yes, uint32_t no)
{
    uint32_t at = (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)t.argument);
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4));
    add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at));
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | t.test | BPF_K, t.value, 0, 1));
    answer(f, yes);
    if (no == GO_ON)
        load_call(f);
    else
        answer(f, no);
}

/* Threads are made by clone; the answer to clone3, whose flags a filter cannot read, sends the C library there. The
 * device files of other targets are opened for reading and writing; whatever makes or cuts a file is refused. To
 * programs /dev/null has to be open as a shell opens it, to be made and cut; they may where files are kept otherwise.
 */
static void rules_by_argument(struct filter *f)
{
    const uint32_t end = f->end, refuse = SECCOMP_RET_ERRNO | EPERM, fine = SECCOMP_RET_ALLOW;
    const uint32_t writing = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
    if (!f->starts)
        rule_by_argument(f, SYS_clone, (struct argument_test){0, BPF_JSET, CLONE_THREAD}, fine, end);
    for (int i = 0; i < COUNT(OWN_PROCESS); i++)
        rule_by_argument(f, OWN_PROCESS[i].number, (struct argument_test){0, BPF_JEQ, (uint32_t)getpid()}, fine, end);
    for (int i = 0; i < COUNT(ENDING_PRCTL); i++)
        rule_by_argument(f, SYS_prctl, (struct argument_test){0, BPF_JEQ, ENDING_PRCTL[i]}, end, GO_ON);
    rule_by_argument(f, SYS_prlimit64, (struct argument_test){2, BPF_JEQ, 0}, fine, refuse);
    if (f->starts && f->kept)
        return;
    rule_by_argument(f, SYS_openat, (struct argument_test){2, BPF_JSET, writing}, refuse, fine);
#ifdef SYS_open
    rule_by_argument(f, SYS_open, (struct argument_test){1, BPF_JSET, writing}, refuse, fine);
#endif
}

static void filter_make(struct filter *f)
{
    add(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)));
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0));
    answer(f, SECCOMP_RET_KILL_PROCESS);
    load_call(f);
#ifdef __x86_64__
    add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1)); /* the x32 numbers */
    answer(f, SECCOMP_RET_KILL_PROCESS);
#endif
    for (int i = f->starts ? STARTING : 0; i < COUNT(ENDING); i++)
        rule(f, ENDING[i].number, f->end);
    for (int i = 0; i < COUNT(REFUSED); i++)
        rule(f, REFUSED[i].number, SECCOMP_RET_ERRNO | EPERM);
    rule(f, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    rule(f, SYS_openat2, SECCOMP_RET_ERRNO | ENOSYS);
    rules_by_argument(f);
    answer(f, SECCOMP_RET_ALLOW);
}

/* --- the call is named in the log; async-signal-safe --- */

static void write_word(const char *s)
{
    ssize_t done = write(STDERR_FILENO, s, strlen(s));
    (void)done;
}

static const char *name_of(int call)
{
    for (int i = 0; i < COUNT(ENDING); i++)
        if (ENDING[i].number == call)
            return ENDING[i].name;
    for (int i = 0; i < COUNT(OWN_PROCESS); i++)
        if (OWN_PROCESS[i].number == call)
            return OWN_PROCESS[i].name;
    return call == SYS_clone ? "fork" : "prctl";
}

static void on_forbidden(int number, siginfo_t *info, void *context)
{
    (void)context;
    write_word("fault: forbidden system call ");
    write_word(name_of(info->si_syscall));
    write_word("\n");
    signal(number, SIG_DFL);
    raise(number);
}

static bool confined(struct filter *f)
{
    const char *wish = getenv("RAINGAUGE_CONFINE");
    if (wish && str_eq(wish, "off"))
        return false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return false;
    f->kept = confine_files(); /* without it the filter still refuses to make, cut and delete files */
    filter_make(f);
    struct sock_fprog program = {.len = (unsigned short)f->n, .filter = f->at};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                   &program) == 0;
}

bool confine_process(void)
{
    static struct filter f = {.end = SECCOMP_RET_TRAP};
    struct sigaction action = {.sa_sigaction = on_forbidden, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    return !sigaction(SIGSYS, &action, NULL) && confined(&f);
}

bool confine_program(void)
{
    struct filter f = {.starts = true, .end = SECCOMP_RET_ERRNO | EPERM};
    return confined(&f);
}
#else
bool confine_process(void)
{
    return false;
}
bool confine_program(void)
{
    return false;
}
#endif
