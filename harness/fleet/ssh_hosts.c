/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fleet/ssh_hosts.h"

#include "harness/base/digest.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/log.h"
#include "harness/fleet/shard_records.h"
#include "harness/measure/remote/install.h"
#include "harness/measure/remote/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SSH_FAILED = 255, HOSTS_MOST = 256 };

struct fleet_host {
    struct remote_host at;
    struct installed program;
    const char *name;  /* as N.ends has it */
    const char *cpu;   /* "x86_64, AMD EPYC" */
    const char *there; /* folder of this fleet, for a shell there */
    struct ssh ssh;
    int shard; /* index of the one that it runs, -1: none */
    bool ready, gone;
};
struct ssh_hosts {
    struct fleet_host *hosts;
    int n;
    int *home; /* of each shard: the host that has records of it, -1: none */
};

/* ---- hosts ---- */

static bool ssh_open(struct fleet *f, int *machines, struct err *err)
{
    const struct fleet_on *on = &f->spec->at;
    struct ssh_hosts *s = f->self = ARENA_NEW(f->a, struct ssh_hosts);
    char *save = NULL, *list = arena_str(f->a, on->where);
    s->hosts = ARENA_ARRAY(f->a, struct fleet_host, HOSTS_MOST);
    if (*f->spec->constraint || f->spec->time_s > 0)
        return err_set(err, "--constraint and --time are for --on slurm");
    for (char *word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        struct fleet_host *h = &s->hosts[s->n];
        if (s->n == HOSTS_MOST)
            return err_set(err, "--on names more than %d hosts", HOSTS_MOST);
        if (!remote_host_parse(f->a, arena_printf(f->a, "ssh:%s", word), &h->at, err))
            return false;
        for (int i = 0; i < s->n; i++)
            if (str_eq(s->hosts[i].at.destination, h->at.destination))
                return err_set(err, "--on names '%s' twice", word);
        h->at.config = on->config;
        h->at.folder = on->remote_folder;
        h->at.bundle = on->bundle;
        h->at.identity = f->spec->identity;
        h->name = fleet_name_of(f->a, h->at.destination, FLEET_JOB_NAME);
        h->ssh = SSH_NONE;
        h->shard = -1;
        s->n++;
    }
    *machines = s->n;
    return true;
}

/* ---- getting ready ---- */

static const char *sh(struct arena *a, const char *script)
{
    struct text t = {0};
    text_add(&t, "exec sh -c ");
    text_shell(&t, script);
    return text_keep(&t, a);
}

/* Shards are of one processor model. */
static bool ask_cpu(struct fleet *f, struct fleet_host *h, struct err *err)
{
    struct text printed = {0};
    struct ssh_command c = {.command = arena_printf(f->a, "exec %s doctor --json", h->program.run),
                            .printed = &printed};
    cJSON *all = NULL;
    bool fine = ssh_run(&h->at, &c, err) && (all = json_parse(text_str(&printed), printed.len, h->at.name, err));
    const cJSON *machine = fine ? json_get(all, "machine") : NULL;
    h->cpu = arena_printf(f->a, "%s, %s", json_str(machine, "arch", "?"), json_str(machine, "cpu", "?"));
    cJSON_Delete(all);
    text_free(&printed);
    return fine || err_context(err, "'%s'", h->at.name);
}

/* The experiments, and the experiment's own file where that is elsewhere, go to the fleet's folder there, and the files
 * that the experiment names, by the paths that they have here. */
static bool send_experiments(struct fleet *f, struct fleet_host *h, struct err *err)
{
    const char *word = f->spec->words[0], *slash = strrchr(word, '/');
    const char *tar[] = {"tar", "-cf", "-",  "--owner=0", "--group=0", "-C", f->spec->experiments,
                         ".",   NULL,  NULL, NULL,        NULL};
    if (slash) {
        tar[8] = "-C";
        tar[9] = arena_strn(f->a, word, (size_t)(slash - word) + 1);
        tar[10] = slash + 1;
    }
    const char *take =
        arena_printf(f->a, "mkdir -p %s/experiments && cd %s/experiments && tar -xf -", h->there, h->there);
    const char *const *files = f->spec->files;
    int n = 0;
    while (files[n])
        n++;
    const char **more = ARENA_ARRAY(f->a, const char *, n + 7);
    memcpy(more, (const char *const[]){"tar", "-cf", "-", "--owner=0", "--group=0", "--"}, 6 * sizeof *more);
    memcpy(more + 6, files, ((size_t)n + 1) * sizeof *more);
    return (install_send(&h->at, tar, sh(f->a, take), err) &&
            (!n || install_send(&h->at, more, sh(f->a, arena_printf(f->a, "cd %s && tar -xf -", h->there)), err))) ||
           err_context(err, "'%s'", h->at.name);
}

static bool get_ready(struct fleet *f, struct fleet_host *h, struct err *err)
{
    if (!install(f->a, &h->at, &h->program, err))
        return false;
    h->there = arena_printf(f->a, "%s/fleet/%s", h->program.folder, f->job.name);
    return ask_cpu(f, h, err) && send_experiments(f, h, err);
}

static bool same_cpu(const struct ssh_hosts *s, struct err *err)
{
    const struct fleet_host *first = NULL;
    for (int i = 0; i < s->n; i++) {
        const struct fleet_host *h = &s->hosts[i];
        if (!h->ready)
            continue;
        if (first && !str_eq(first->cpu, h->cpu))
            return err_set(err, "'%s' is a '%s' and '%s' a '%s': shards are measured on one processor model",
                           first->at.name, first->cpu, h->at.name, h->cpu);
        first = first ? first : h;
    }
    return true;
}

static const char *home_path(const struct fleet *f, int shard)
{
    return arena_printf(f->a, "%s/%d.host", f->folder, shard + 1);
}

static void find_homes(struct fleet *f, struct ssh_hosts *s)
{
    s->home = ARENA_ARRAY(f->a, int, f->job.shards);
    for (int i = 0; i < f->job.shards; i++) {
        char *name;
        size_t n;
        s->home[i] = -1;
        if (!file_exists(home_path(f, i)) || !file_read(f->a, home_path(f, i), 4096, &name, &n, NULL))
            continue;
        for (int k = 0; k < s->n; k++)
            if (str_eq(s->hosts[k].name, name))
                s->home[i] = k;
    }
}

static bool ssh_submit(struct fleet *f, struct err *err)
{
    struct ssh_hosts *s = f->self;
    struct err why;
    int ready = 0;
    if (!s->home)
        find_homes(f, s);
    for (int i = 0; i < s->n; i++) {
        struct fleet_host *h = &s->hosts[i];
        why = (struct err){0};
        if (!h->ready && !h->gone && !(h->ready = get_ready(f, h, &why))) {
            h->gone = true;
            log_warn("%s: the others run its shards", why.text);
        }
        ready += h->ready;
    }
    if (!ready)
        return err_set(err, "none of the hosts can be had: %s", why.text) || err_environment(err);
    for (int i = 0; i < f->job.shards; i++)
        if (f->shards[i].state == SHARD_IDLE) {
            f->shards[i].state = SHARD_WAITS;
            f->shards[i].submitted = true;
            unlink(arena_printf(f->a, "%s/%d.ends", f->folder, i + 1));
        }
    return same_cpu(s, err);
}

/* ---- running ---- */

/* The run is stopped when the connection ends: then `cat` does, too. */
static const char RUN[] =
    "d=%s; mkdir -p \"$d\" && cd \"$d\" || exit 7; exec 3<&0; "
    "%s run%s --experiments \"$d/experiments\" --results \"$d/shards/%d\" --shard %d/%d --gate %s "
    "--resume </dev/null 3<&- & p=$!; "
    "{ cat <&3 >/dev/null; kill $p; } >/dev/null 2>&1 & w=$!; wait $p; s=$?; kill $w; exit $s";

static const char *run_command(struct fleet *f, const struct fleet_host *h, int number)
{
    struct text words = {0}, gate = {0};
    const char *const *w = f->spec->words;
    for (int i = 0; w[i]; i++) {
        const char *slash = i ? NULL : strrchr(w[i], '/'); /* the experiment's file: its stem */
        text_char(&words, ' ');
        text_shell(&words, slash ? file_stem(f->a, w[i]) : w[i]);
    }
    text_shell(&gate, f->job.program);
    const char *out = arena_printf(f->a, RUN, h->there, h->program.run, text_str(&words), number, number, f->job.shards,
                                   text_str(&gate));
    text_free(&words);
    text_free(&gate);
    return sh(f->a, out);
}

static void start(struct fleet *f, struct fleet_host *h, int shard)
{
    struct ssh_hosts *s = f->self;
    struct fleet_shard *it = &f->shards[shard];
    struct err why = {0};
    if (!file_write(home_path(f, shard), h->name, strlen(h->name), &why) ||
        !ssh_start(&h->at, run_command(f, h, it->number), &h->ssh, &why)) {
        snprintf(it->why, sizeof it->why, "%.300s", why.text);
        it->state = SHARD_IDLE;
        return;
    }
    s->home[shard] = (int)(h - s->hosts);
    h->shard = shard;
    it->state = SHARD_RUNS;
}

static void keep_log(struct fleet *f, struct fleet_host *h)
{
    struct text t = {0};
    ssh_log(&h->ssh, &t);
    FILE *log = t.len ? fopen(arena_printf(f->a, "%s/%d.log", f->folder, h->shard + 1), "a") : NULL;
    if (log) {
        fwrite(text_str(&t), 1, t.len, log);
        fclose(log);
    }
    text_free(&t);
}

static void tell_gone(const struct fleet_host *h, const struct fleet_shard *it, bool lost)
{
    log_warn("'%s' %s: its shard %d goes to another host", h->at.name,
             lost ? "cannot be reached any more" : "will not do", it->number);
}

/* A run ended: what its status says of the shard, and of the host. */
static void ended(struct fleet *f, struct fleet_host *h)
{
    struct fleet_shard *it = &f->shards[h->shard];
    int status = h->ssh.process.state == PROCESS_EXITED ? h->ssh.process.code : SSH_FAILED;
    bool stopped = status == EXIT_INTERRUPTED || (status > 128 && status < SSH_FAILED);
    h->gone = status == SSH_FAILED || status == EXIT_INVALID || status == EXIT_ENVIRONMENT;
    FILE *ends = fopen(arena_printf(f->a, "%s/%d.ends", f->folder, it->number), "a");
    if (ends) {
        fprintf(ends, "%s %d\n", h->name, status);
        fclose(ends);
    }
    if (h->gone)
        tell_gone(h, it, status == SSH_FAILED);
    it->state = h->gone || stopped ? SHARD_WAITS : SHARD_IDLE;
    ssh_stop(&h->ssh);
    h->shard = -1;
}

static bool ssh_look(struct fleet *f, struct err *err)
{
    struct ssh_hosts *s = f->self;
    int good = 0;
    (void)err;
    for (int i = 0; i < s->n; i++) {
        struct fleet_host *h = &s->hosts[i];
        if (h->shard >= 0) {
            bool over = process_wait(&h->ssh.process, 0);
            keep_log(f, h);
            if (over)
                ended(f, h);
        }
        good += h->ready && !h->gone;
    }
    for (int i = 0; i < f->job.shards && s->home; i++) {
        if (f->shards[i].state != SHARD_WAITS)
            continue;
        const struct fleet_host *home = s->home[i] < 0 ? NULL : &s->hosts[s->home[i]];
        bool at_home = home && home->ready && !home->gone;
        for (int k = 0; k < s->n && f->shards[i].state == SHARD_WAITS; k++) {
            struct fleet_host *h = &s->hosts[k];
            if (h->ready && !h->gone && h->shard < 0 && (!at_home || h == home))
                start(f, h, i);
        }
        if (!good)
            f->shards[i].state = SHARD_IDLE;
    }
    return true;
}

/* ---- fetching ---- */

static bool take_file(struct fleet *f, struct fleet_host *h, const struct fleet_shard *it, struct err *err)
{
    const char *there = arena_printf(f->a, "cd %s/shards/%d && ", h->there, it->number);
    const char *part = file_join(f->a, it->dir, "records.part"), *whole = file_join(f->a, it->dir, "records.db");
    struct text sum = {0};
    struct ssh_command digest = {.command = sh(f->a, arena_printf(f->a, "%ssha256sum <records.db", there)),
                                 .printed = &sum},
                       data = {.command = sh(f->a, arena_printf(f->a, "%sexec cat records.db", there)),
                               .compressed = true};
    char *bytes, hex[65];
    size_t n;
    struct arena *a = arena_open("fetch");
    bool fine = file_make_dirs(it->dir, err) && ssh_run(&h->at, &digest, err);
    data.output = fine ? open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (fine && data.output < 0)
        fine = err_set(err, "'%s': %s", part, strerror(errno));
    fine = fine && ssh_run(&h->at, &data, err) && fsync(data.output) == 0 && file_read(a, part, 0, &bytes, &n, err);
    if (fine) {
        digest_sha256(bytes, n, hex);
        fine = strncmp(text_str(&sum), hex, 64) == 0 || err_set(err, "what arrived is damaged");
    }
    fine = fine && (rename(part, whole) == 0 || err_set(err, "'%s': %s", whole, strerror(errno)));
    if (data.output >= 0)
        close(data.output);
    text_free(&sum);
    arena_close(a);
    return fine || err_context(err, "'%s'", h->at.name);
}

/* Did the host vanish with the records of a shard that was done? Then another one runs it anew. */
static bool lost(struct ssh_hosts *s, struct fleet_shard *it)
{
    struct fleet_host *h = &s->hosts[s->home[it->number - 1]];
    struct ssh_command nothing = {.command = "exec true"};
    struct err ignored = {0};
    if (ssh_run(&h->at, &nothing, &ignored) || nothing.status != SSH_FAILED)
        return false;
    h->gone = true;
    tell_gone(h, it, true);
    s->home[it->number - 1] = -1;
    it->state = SHARD_WAITS;
    return true;
}

static bool ssh_fetch(struct fleet *f, struct fleet_shard *it)
{
    struct ssh_hosts *s = f->self;
    struct err why = {0};
    const char *node;
    int status = -1, home = s->home ? s->home[it->number - 1] : -1;
    if (home < 0 || !shard_records_end(f, it, &node, &status) || status != 0 || !s->hosts[home].ready ||
        take_file(f, &s->hosts[home], it, &why))
        return true;
    if (!lost(s, it))
        snprintf(it->why, sizeof it->why, "its records could not be brought here: %.200s", why.text);
    return false;
}

static bool ssh_show(struct fleet *f, struct text *out, struct err *err)
{
    (void)out;
    (void)f;
    return err_set(err, "--dry-run is for --on slurm");
}

static void ssh_left(const struct fleet *f, struct text *out)
{
    (void)f;
    text_add(out, "the runs on the hosts were ended, and what they recorded is there");
}

static void ssh_close(struct fleet *f)
{
    struct ssh_hosts *s = f->self;
    for (int i = 0; s && i < s->n; i++)
        if (s->hosts[i].shard >= 0)
            ssh_stop(&s->hosts[i].ssh);
}

const struct fleet_engine ssh_engine = {.name = "ssh",
                                        .open = ssh_open,
                                        .show = ssh_show,
                                        .submit = ssh_submit,
                                        .look = ssh_look,
                                        .fetch = ssh_fetch,
                                        .left = ssh_left,
                                        .close = ssh_close};
