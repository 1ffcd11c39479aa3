/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_contention: the fields are those of proc(5). A descendant that died counts in the times of the parent that waited
 * for it; one whose parent died first is lost to us. */
#include "harness/base/cpu_contention.h"

#include "harness/base/cpus.h"
#include "harness/base/vec.h"

#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct process_ticks {
    long pid, parent;
    double ticks; /* its own, and those of children it waited for */
    bool ours;
};

static bool process_read(const char *pid, struct process_ticks *p)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(line, 1, sizeof line - 1, f) : 0;
    if (f)
        fclose(f);
    line[n] = 0;
    const char *after = strrchr(line, ')'); /* the name before it may hold anything */
    double user, system, children_user, children_system;
    if (!after || sscanf(after, ") %*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf %lf %lf", &p->parent, &user,
                         &system, &children_user, &children_system) != 5)
        return false;
    p->pid = strtol(pid, NULL, 10);
    p->ticks = user + system + children_user + children_system;
    p->ours = p->pid == (long)getpid();
    return true;
}

static bool is_child_of_ours(const struct process_ticks *all, int n, long parent)
{
    for (int i = 0; i < n; i++)
        if (all[i].pid == parent)
            return all[i].ours;
    return false;
}

static double own_ticks(void)
{
    VEC(struct process_ticks) all = {0};
    DIR *d = opendir("/proc");
    for (const struct dirent *e; d && (e = readdir(d));) {
        struct process_ticks p;
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && process_read(e->d_name, &p))
            vec_push(&all, p);
    }
    if (d)
        closedir(d);
    double ticks = 0;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < all.n; i++)
            if (!all.at[i].ours && is_child_of_ours(all.at, all.n, all.at[i].parent))
                more = all.at[i].ours = true;
    }
    for (int i = 0; i < all.n; i++)
        ticks += all.at[i].ours ? all.at[i].ticks : 0;
    vec_free(&all);
    return ticks;
}

struct cpu_contention_mark cpu_contention_mark(void)
{
    struct cpu_contention_mark m = {0};
    double hz = (double)sysconf(_SC_CLK_TCK);
    char line[512];
    FILE *f = fopen("/proc/stat", "re");
    while (f && hz > 0 && fgets(line, sizeof line, f)) {
        double user, nice, system, idle, wait, irq, soft, stolen;
        int cpu;
        if (sscanf(line, "cpu%d %lf %lf %lf %lf %lf %lf %lf %lf", &cpu, &user, &nice, &system, &idle, &wait, &irq,
                   &soft, &stolen) != 9 ||
            !cpus_may_use(cpu))
            continue;
        m.busy_s += (user + nice + system + irq + soft) / hz;
        m.stolen_s += stolen / hz;
        m.whole_s += (user + nice + system + irq + soft + stolen + idle + wait) / hz;
    }
    if (f)
        fclose(f);
    m.own_s = m.whole_s > 0 ? own_ticks() / hz : 0;
    return m;
}

struct cpu_contention cpu_contention_since(const struct cpu_contention_mark *m)
{
    struct cpu_contention_mark now = cpu_contention_mark();
    if (m->whole_s <= 0 || now.whole_s <= m->whole_s)
        return (struct cpu_contention){0};
    return (struct cpu_contention){.others_s = now.busy_s - m->busy_s - (now.own_s - m->own_s),
                                   .stolen_s = now.stolen_s - m->stolen_s,
                                   .whole_s = now.whole_s - m->whole_s};
}

double cpu_contention_share(const struct cpu_contention *c)
{
    return c->whole_s > 0 ? fmax(0, c->others_s + c->stolen_s) / c->whole_s : NAN;
}
