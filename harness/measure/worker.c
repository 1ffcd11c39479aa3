/* SPDX-License-Identifier: Apache-2.0 */
/* worker: answering, and the log on standard error, which the parent reads when the worker has ended. */
#include "harness/measure/worker.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
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
