/* SPDX-License-Identifier: Apache-2.0 */
/* slurm: its programs are started without a shell, and what they print is read strictly. */
#include "harness/fleet/slurm.h"

#include "harness/base/clock.h"
#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/base/process.h"
#include "harness/fleet/batch_script.h"
#include "harness/measure/remote/install.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_S 60.0       /* that a program of Slurm may take */
enum { RELEASES_MOST = 3 }; /* of a task that no node could start */

struct slurm {
    const char *program; /* what starts raingauge on a node */
    int *released;       /* of each shard: how often, by this process */
};

/* May a partition or a constraint be named so? Letters, digits and what Slurm's own expressions have; nothing that a
 * shell would take for something else gets further than the head of the script. */
static bool slurm_word_check(const char *option, const char *word, struct err *err)
{
    for (const char *c = word; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-,:&|*[]()", *c))
            return err_set(err, "%s '%s': '%c' stands in no name of Slurm", option, word, *c);
    return *word != '-' || err_set(err, "%s '%s' begins with '-'", option, word);
}

/* The last line that says something, without "sbatch: error: ". */
static const char *reason(struct arena *a, const struct text *said)
{
    char *save = NULL, *last = arena_str(a, "it gave no reason"), *all = arena_str(a, text_str(said)), *colon;
    for (char *line = strtok_r(all, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        last = *line ? line : last;
    while ((colon = strstr(last, "error: ")))
        last = colon + strlen("error: ");
    return last;
}

/* What helps when Slurm says so; "": its words will do. */
static const char *cure(const char *said)
{
    static const struct {
        const char *words, *cure;
    } known[] = {
        {"temporarily unable to accept job", ": it has as many jobs as it takes; the same command tries again"},
        {"Invalid job array specification", ": more --shards than its MaxArraySize allows, try fewer"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(said, known[i].words))
            return known[i].cure;
    return "";
}

/* What it printed is in a. */
static bool ask(struct arena *a, const char *const *argv, const char **printed, struct err *err)
{
    struct process p = {0};
    const struct process_spec spec = {.argv = argv, .out = PROCESS_CAPTURE, .err = PROCESS_CAPTURE};
    *printed = "";
    bool fine = process_run(&spec, clock_now() + ANSWER_S, &p, err);
    if (!fine && p.state == PROCESS_NOT_STARTED && p.code == ENOENT)
        err_set(err, "there is no program '%s' here (Debian: slurm-client): run this on a login node of the cluster",
                argv[0]);
    else if (!fine && (p.state == PROCESS_EXITED || p.err.len)) {
        const char *why = reason(a, &p.err);
        const char *what = p.state == PROCESS_EXITED ? argv[0] : arena_str(a, err->text);
        err_set(err, "%s: %.400s%s", what, why, cure(why));
    }
    if (fine)
        *printed = arena_str(a, text_str(&p.out));
    process_close(&p);
    return fine || err_environment(err);
}

/* ---- nodes ---- */

static bool in_list(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ',') && (!at[n] || at[n] == ','))
            return true;
    return false;
}

/* "node|state|features|partition": can a task be expected to run there? */
static bool usable(const struct fleet *f, char *line, const char **node)
{
    static const char *const states[] = {"idle", "mixed", "allocated", "completing"};
    const char *field[4] = {0};
    const char *constraint = f->spec->constraint;
    int n = 0;
    for (char *at = line, *next = line; next && n < 4; at = next) {
        next = strchr(at, '|');
        if (next)
            *next++ = 0;
        field[n++] = at;
    }
    if (n < 4 || (!*f->spec->at.where && !str_ends(field[3], "*")))
        return false;
    *node = field[0];
    bool plain = !constraint[strcspn(constraint, "&|*[]():")]; /* else it is Slurm's to say */
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (str_eq(field[1], states[i]))
            return !*constraint || !plain || in_list(field[2], constraint);
    return false;
}

static bool count_nodes(struct fleet *f, int *out, struct err *err)
{
    const char *argv[8] = {"sinfo", "--noheader", "--Node", "--format=%N|%T|%f|%P"}, *printed, *node;
    if (*f->spec->at.where)
        argv[4] = arena_printf(f->a, "--partition=%s", f->spec->at.where);
    if (!ask(f->a, argv, &printed, err))
        return false;
    struct text seen = {0};
    char *save = NULL, *lines = arena_str(f->a, printed);
    for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        if (usable(f, line, &node) && !in_list(text_str(&seen), node)) {
            text_printf(&seen, ",%s", node);
            ++*out;
        }
    text_free(&seen);
    if (*out > 0)
        return true;
    err_set(err, "Slurm has no usable node in %s '%s'%s%s: `sinfo` lists them, --shards does without this count",
            *f->spec->at.where ? "partition" : "the default partition", f->spec->at.where,
            *f->spec->constraint ? " with " : "", f->spec->constraint);
    return err_environment(err);
}

static bool find_program(struct fleet *f, const char **out, struct err *err)
{
    char path[PATH_MAX];
    const char *bundle = f->spec->at.bundle;
    if (!*bundle) {
        ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
        path[n > 0 ? n : 0] = 0;
    } else if (!install_bundle(f->a, bundle, &bundle, err)) {
        return false;
    } else if (!realpath(file_join(f->a, bundle, "run"), path)) {
        return err_set(err, "the bundle '%s' has no 'run': %s", bundle, strerror(errno));
    }
    *out = arena_str(f->a, path);
    return true;
}

static bool slurm_open(struct fleet *f, int *machines, struct err *err)
{
    static const char *const version[] = {"sbatch", "--version", NULL};
    struct slurm *s = f->self = ARENA_NEW(f->a, struct slurm);
    const char *printed;
    return slurm_word_check("--on", f->spec->at.where, err) &&
           slurm_word_check("--constraint", f->spec->constraint, err) && find_program(f, &s->program, err) &&
           (f->spec->dry_run || ask(f->a, version, &printed, err)) &&
           (f->spec->shards > 0 || f->spec->resume || count_nodes(f, machines, err));
}

/* ---- submitting ---- */

static const char *script_path(const struct fleet *f)
{
    return file_join(f->a, f->folder, "batch");
}

static void script(struct fleet *f, struct text *out)
{
    const struct slurm *s = f->self;
    batch_script(f, s->program, out);
}

static void command(struct fleet *f, const char *shards, const char **argv)
{
    argv[0] = "sbatch";
    argv[1] = "--parsable";
    argv[2] = arena_printf(f->a, "--chdir=%s", f->folder);
    argv[3] = arena_printf(f->a, "--array=%s", shards);
    argv[4] = script_path(f);
    argv[5] = NULL;
}

static bool slurm_show(struct fleet *f, struct text *out, struct err *err)
{
    const char *argv[6];
    (void)err;
    text_printf(out, "# %s\n", script_path(f));
    script(f, out);
    command(f, arena_printf(f->a, "1-%d", f->job.shards), argv);
    text_add(out, "\n# the command:");
    for (int i = 0; argv[i]; i++) {
        text_char(out, ' ');
        text_shell(out, argv[i]);
    }
    text_char(out, '\n');
    return true;
}

static bool slurm_submit(struct fleet *f, struct err *err)
{
    struct text t = {0}, which = {0};
    const char *argv[6], *id = "";
    int n = 0;
    for (int i = 0; i < f->job.shards; i++)
        if (f->shards[i].state == SHARD_IDLE) {
            text_printf(&which, "%s%d", n++ ? "," : "", f->shards[i].number);
            unlink(arena_printf(f->a, "%s/%d.ends", f->folder, f->shards[i].number)); /* counts begin anew */
        }
    script(f, &t);
    command(f, text_str(&which), argv);
    bool fine = !n || (file_write(script_path(f), text_str(&t), t.len, err) && ask(f->a, argv, &id, err));
    if (fine && n)
        log_info("job %.*s, array %s: %d shard%s submitted as '%s'", (int)strcspn(id, ";\n"), id, text_str(&which), n,
                 n == 1 ? "" : "s", f->job.name);
    for (int i = 0; fine && i < f->job.shards; i++)
        if (f->shards[i].state == SHARD_IDLE) {
            f->shards[i].state = SHARD_WAITS;
            f->shards[i].submitted = true;
        }
    text_free(&t);
    text_free(&which);
    return fine;
}

/* ---- looking ---- */

/* Slurm puts a task back that a node could not start, and holds it: it would wait for ever. */
static void release(struct fleet *f, struct fleet_shard *it, const char *task)
{
    struct slurm *s = f->self;
    const char *argv[] = {"scontrol", "release", task, NULL}, *printed;
    struct err why = {0};
    if (s->released[it->number - 1]++ < RELEASES_MOST && ask(f->a, argv, &printed, &why))
        return;
    it->state = SHARD_BROKEN;
    snprintf(it->why, sizeof it->why,
             "Slurm holds its task, as a node could not start it%s%.150s: `scontrol release "
             "%.40s`, then --resume",
             *why.text ? ", and " : "", why.text, task);
}

/* "index|state|node|task|reason" */
static bool take_line(struct fleet *f, char *line, struct err *err)
{
    static const char *const running[] = {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "STAGE_OUT", "SIGNALING"},
                             *const waiting[] = {"PENDING",     "CONFIGURING", "REQUEUED",     "REQUEUE_HOLD",
                                                 "REQUEUE_FED", "RESIZING",    "SPECIAL_EXIT", "RESV_DEL_HOLD"};
    char *state = strchr(line, '|'), *node = state ? strchr(state + 1, '|') : NULL,
         *task = node ? strchr(node + 1, '|') : NULL, *why = task ? strchr(task + 1, '|') : NULL;
    int64_t number;
    if (!why)
        return err_set(err, "squeue printed '%.60s'", line) || err_environment(err);
    *state++ = *node++ = *task++ = *why++ = 0;
    if (!str_int(line, &number) || number < 1 || number > f->job.shards)
        return true; /* a task that somebody else gave this name */
    struct fleet_shard *s = &f->shards[number - 1];
    if (s->state == SHARD_DONE || s->state == SHARD_RUNS || s->state == SHARD_BROKEN)
        return true;
    for (size_t i = 0; i < sizeof running / sizeof *running; i++)
        if (str_eq(state, running[i]))
            s->state = SHARD_RUNS;
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        if (str_eq(state, waiting[i]))
            s->state = SHARD_WAITS;
    snprintf(s->why, sizeof s->why, "%.100s", s->state == SHARD_RUNS ? node : why);
    if (s->state == SHARD_WAITS && str_starts(why, "launch"))
        release(f, s, task);
    return true;
}

static bool look(struct fleet *f, struct err *err)
{
    const char *argv[] = {"squeue",
                          "--noheader",
                          "--array",
                          "--me",
                          arena_printf(f->a, "--name=%s", f->job.name),
                          "--format=%K|%T|%N|%i|%r",
                          NULL},
               *printed;
    if (!ask(f->a, argv, &printed, err))
        return false;
    for (int i = 0; i < f->job.shards; i++)
        if (f->shards[i].state == SHARD_WAITS || f->shards[i].state == SHARD_RUNS)
            f->shards[i].state = SHARD_IDLE;
    char *save = NULL, *lines = arena_str(f->a, printed);
    bool fine = true;
    for (char *line = strtok_r(lines, "\n", &save); fine && line; line = strtok_r(NULL, "\n", &save))
        fine = take_line(f, line, err);
    return fine;
}

static bool slurm_look(struct fleet *f, struct err *err)
{
    struct slurm *s = f->self;
    if (!s->released)
        s->released = ARENA_ARRAY(f->a, int, f->job.shards);
    struct arena_mark mark = arena_mark(f->a);
    bool fine = look(f, err);
    arena_release(f->a, mark);
    return fine;
}

static void slurm_left(const struct fleet *f, struct text *out)
{
    text_printf(out, "the job goes on in Slurm, and scancel --name=%s ends it", f->job.name);
}

const struct fleet_engine slurm_engine = {.name = "slurm",
                                          .open = slurm_open,
                                          .show = slurm_show,
                                          .submit = slurm_submit,
                                          .look = slurm_look,
                                          .left = slurm_left};
