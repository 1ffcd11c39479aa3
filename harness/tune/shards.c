/* SPDX-License-Identifier: Apache-2.0 */
/* shards: parts by union-find over cells, dealt by longest processing time first. */
#include "harness/tune/shards.h"

#include "harness/base/text.h"
#include "harness/tune/forecast.h"

#include <stdio.h>

bool shard_parse(const char *text, struct shard *out, struct err *err)
{
    int end = 0;
    *out = (struct shard){0};
    if (!*text)
        return true;
    if (sscanf(text, "%9d/%9d%n", &out->number, &out->of, &end) == 2 && !text[end] && out->number >= 1 &&
        out->number <= out->of)
        return true;
    return err_set(err, "'%s' is no shard: write 2/8 for the second of eight", text);
}

static int root_of(int *part, int cell)
{
    while (part[cell] != cell)
        cell = part[cell] = part[part[cell]];
    return cell;
}

/* The earlier cell becomes the root. */
static void join(int *part, int x, int y)
{
    x = root_of(part, x);
    y = root_of(part, y);
    part[x > y ? x : y] = x > y ? y : x;
}

static void find_parts(const struct plan *p, int *part)
{
    struct plan_place from;
    for (int i = 0; i < p->ncells; i++) {
        part[i] = i;
        for (int k = 0; k < i; k++)
            if (plan_same_block(&p->cells[k].keys, &p->cells[i].keys)) {
                join(part, k, i);
                break;
            }
        for (int t = 0; t < p->cells[i].ntasks; t++)
            if (plan_taken(p, i, t, &from))
                join(part, from.cell, i);
    }
}

int shard_parts(const struct plan *p)
{
    struct arena *a = arena_open("parts");
    int *part = ARENA_ARRAY(a, int, p->ncells + 1), parts = 0;
    find_parts(p, part);
    for (int i = 0; i < p->ncells; i++)
        parts += part[i] == i;
    arena_close(a);
    return parts;
}

/* The part with most trials that is not dealt, the first of equals; -1: none. */
static int largest(const struct plan *p, const int64_t *trials, const int *shard)
{
    int best = -1;
    for (int i = 0; i < p->ncells; i++)
        if (trials[i] >= 0 && shard[i] < 0 && (best < 0 || trials[i] > trials[best]))
            best = i;
    return best;
}

bool shard_elsewhere(const struct plan *p, struct shard shard, struct arena *a, const bool **out, struct err *err)
{
    *out = NULL;
    if (!shard.number)
        return true;
    int *part = ARENA_ARRAY(a, int, p->ncells), *of = ARENA_ARRAY(a, int, p->ncells), parts = 0;
    int64_t *trials = ARENA_ARRAY(a, int64_t, p->ncells), *load = ARENA_ARRAY(a, int64_t, shard.of);
    bool *elsewhere = ARENA_ARRAY(a, bool, p->ncells);
    find_parts(p, part);
    for (int i = 0; i < p->ncells; i++) {
        of[i] = -1;
        trials[i] = root_of(part, i) == i ? 0 : -1;
        trials[root_of(part, i)] += forecast_trials(p, i);
        parts += root_of(part, i) == i;
    }
    if (shard.of > parts)
        return err_set(err, "%d shards of %d parts: a network in one seed stays together%s", shard.of, parts,
                       p->share_kernels ? ", and so do networks that share kernels" : "");
    for (int i; (i = largest(p, trials, of)) >= 0;) {
        int least = 0;
        for (int s = 1; s < shard.of; s++)
            least = load[s] < load[least] ? s : least;
        of[i] = least;
        load[least] += trials[i] > 0 ? trials[i] : 1;
    }
    for (int i = 0; i < p->ncells; i++)
        elsewhere[i] = of[root_of(part, i)] != shard.number - 1;
    *out = elsewhere;
    return true;
}
