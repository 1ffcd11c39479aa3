/* SPDX-License-Identifier: Apache-2.0 */
/* builder: the target builds; the answer holds the object code. Tasks are parsed once and kept. */
#include "harness/measure/builder.h"

#include "harness/base/clock.h"
#include "harness/base/hash.h"
#include "harness/measure/fault.h"

#include <stdlib.h>
#include <unistd.h>

struct cached_task {
    uint64_t hash; /* of the spec text */
    struct arena *arena;
    struct task *task;
};

/* A direct-mapped cache: a spec is parsed again only when another one took its place. */
static const struct task *task_of(struct worker *w, const char *spec)
{
    static struct cached_task cache[64];
    uint64_t hash = hash_str(spec);
    struct cached_task *at = &cache[hash % 64];
    if (at->task && at->hash == hash)
        return at->task;
    arena_close(at->arena);
    *at = (struct cached_task){.hash = hash, .arena = arena_open("task")};
    struct err err = {0};
    if (!task_parse(at->arena, spec, &at->task, &err))
        worker_broken(w, "task '%s': %s", spec, err.text);
    return at->task;
}

static void serve_build(struct worker *w)
{
    const struct task *task = task_of(w, packet_get_str(&w->packet));
    struct candidate c = worker_candidate(w, task);
    fault_commit((enum fault)packet_get_int(&w->packet));
    file_cache_hide(w->env.objects, packet_get_int(&w->packet) != 0);
    if (w->packet.broken)
        worker_broken(w, "a build request is cut short");
    struct blob object = {0};
    char message[SAMPLE_MESSAGE] = "";
    double start = clock_now();
    enum outcome outcome = w->target->build(w->self, &c, &object, message);
    double seconds = clock_now() - start;
    packet_clear(&w->packet);
    packet_int(&w->packet, outcome);
    packet_str(&w->packet, message);
    packet_real(&w->packet, seconds);
    packet_real(&w->packet, object.cached_s);
    packet_str(&w->packet, file_cache_trouble(w->env.objects));
    packet_bytes(&w->packet, object.bytes, object.n);
    free(object.bytes);
    worker_answer(w, MESSAGE_BUILD);
}

static void serve_reference(struct worker *w)
{
    const struct task *task = task_of(w, packet_get_str(&w->packet));
    struct blob object = {0};
    char message[SAMPLE_MESSAGE] = "";
    enum outcome outcome = w->target->reference(w->self, task, &object, message);
    packet_clear(&w->packet);
    packet_int(&w->packet, outcome);
    packet_str(&w->packet, message);
    packet_bytes(&w->packet, object.bytes, object.n);
    free(object.bytes);
    worker_answer(w, MESSAGE_REFERENCE);
}

void builder_serve(struct worker *w)
{
    int kind;
    while (channel_receive(w->fd, &kind, &w->packet, CHANNEL_FOREVER) == CHANNEL_OK) {
        worker_fresh(w);
        if (kind == MESSAGE_BUILD)
            serve_build(w);
        else if (kind == MESSAGE_REFERENCE)
            serve_reference(w);
        else
            worker_broken(w, "a build worker got message %d", kind);
    }
    _exit(0);
}
