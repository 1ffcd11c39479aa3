/* SPDX-License-Identifier: Apache-2.0 */
/* descendants: the list of children is a file of /proc; where the system was built without it, all of /proc is read. */
#include "harness/base/confine/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN_MAX = 512, ROUNDS_MAX = 64 };

void descendants_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

bool descendants_exist(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static pid_t parent_of(pid_t pid)
{
    char path[64];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    if (fscanf(f, "%*d (%*[^)]) %*c %d", &parent) != 1)
        parent = 0;
    fclose(f);
    return (pid_t)parent;
}

static int children_by_parent(pid_t *out)
{
    int n = 0;
    DIR *d = opendir("/proc");
    for (struct dirent *e; d && n < CHILDREN_MAX && (e = readdir(d));) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);
        if (pid > 0 && parent_of(pid) == getpid())
            out[n++] = pid;
    }
    if (d)
        closedir(d);
    return n;
}

static int children_of_this(pid_t *out)
{
    char path[64];
    int n = 0, pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "re");
    if (!f)
        return children_by_parent(out);
    while (n < CHILDREN_MAX && fscanf(f, "%d", &pid) == 1)
        out[n++] = (pid_t)pid;
    fclose(f);
    return n;
}

static bool is_kept(pid_t pid, const pid_t *keep, int n)
{
    for (int i = 0; i < n; i++)
        if (keep[i] == pid)
            return true;
    return false;
}

/* A child that is killed leaves its own children to this process, so the list is read until nothing is found. */
void descendants_kill(const pid_t *keep, int n)
{
    pid_t children[CHILDREN_MAX];
    for (int round = 0; round < ROUNDS_MAX; round++) {
        int found = children_of_this(children), killed = 0;
        for (int i = 0; i < found; i++) {
            if (is_kept(children[i], keep, n))
                continue;
            killed++;
            kill(children[i], SIGKILL);
            while (waitpid(children[i], NULL, 0) < 0 && errno == EINTR)
                ;
        }
        if (killed == 0)
            return;
    }
}
