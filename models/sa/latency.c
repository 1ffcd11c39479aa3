/* SPDX-License-Identifier: Apache-2.0 */
/* latency: harness/doc/pruner.md, "The analyzer". Names of the terms are the paper's. Deviations of the variant `paper`
 * from its text, which leaves them open: alpha_l1 multiplies into U_p; the work of a statement is counted in float
 * operations and its traffic in bytes of float32; a statement without operations computes nothing. */
#include "models/sa/latency.h"

#include <math.h>

enum { FLOAT_BYTES = 4 };

/* How much of whole groups of `of` the n fill. */
static double filled(double n, double of)
{
    return of > 0 && n > 0 ? n / (ceil(n / of) * of) : 1;
}

static double within(double capacity, double needed)
{
    return needed > capacity && capacity > 0 ? capacity / needed : 1;
}

static double paper_seconds(const struct sa_device *d, struct sa_penalties on, const struct sa_symbols *s)
{
    const struct machine_analyzer *m = &d->of;
    double compute = m->peak_gflops * 1e9, memory = m->memory_gb_s * 1e9;
    if (on.compute) {
        double warps = ceil(s->l1_para_info / m->warp_size);
        compute *= s->l0_mem_alloc > 0 ? 1 + s->l0_comp_count / s->l0_mem_alloc : 1; /* P_l0,c */
        compute *= filled(warps, m->multiprocessor_partitions);                      /* P_l1,c */
        compute *= filled(s->l1_para_info, m->warp_size);                            /* alpha_l1 */
        compute *= filled(s->l2_para_info, m->multiprocessors);                      /* P_l2,c */
    }
    if (on.memory) {
        memory *= within(m->thread_registers, s->l0_mem_alloc);     /* P_l0,m */
        memory *= within(d->shared_elements, s->l1_mem_alloc);      /* P_l1,m */
        memory *= filled(s->l2_trans_dim, d->transaction_elements); /* P_l2,m */
    }
    return s->l2_comp_count / compute + s->l2_mem_footprint * FLOAT_BYTES / memory;
}

double sa_latency_paper(const struct sa_device *d, struct sa_penalties on, const struct sa_symbols *at, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += paper_seconds(d, on, &at[i]);
    return s * 1e3;
}

/* Compute time in ms. Elements over GB/s of 2^30 bytes in memory time: as theirs, four times too little. */
static double code_ms(const struct sa_device *d, struct sa_penalties on, const struct sa_row *r)
{
    const struct machine_analyzer *m = &d->of;
    double rate = m->peak_gflops, thread = 1;
    if (on.compute) {
        double warps = ceil(r->threads / m->warp_size), parts = m->multiprocessor_partitions;
        double active = m->blocks_per_multiprocessor, sm = m->multiprocessors;
        bool small = r->grid < active * sm;
        double units = small ? r->grid * fmin(warps, parts) : r->grid;
        rate *= filled(units, small ? parts * sm : sm * active) * filled(r->threads, m->warp_size);
        thread = 1 + 1 / r->reuse;
    }
    if (on.memory && r->registers >= m->thread_registers)
        rate /= r->registers / m->thread_registers;
    double compute = r->total_work * thread / rate / 1e6;
    double memory = r->traffic / m->memory_gb_s * 1000 / (1 << 30);
    return fmax(compute, memory);
}

double sa_latency_code(const struct sa_device *d, struct sa_penalties on, const struct sa_row *at, int n)
{
    double ms = 0;
    for (int i = 0; i < n; i++)
        ms += code_ms(d, on, &at[i]);
    return ms;
}

/* ---- CPUs ---- */

static uint64_t loops_from(const struct nest_store *s, int depth)
{
    uint64_t all = s->nloops == 64 ? ~0ull : (1ull << s->nloops) - 1;
    return depth >= 64 ? 0 : all & ~0ull << depth;
}

/* The share of the cache lines moved that is used, by the turns along the last dimension. */
static double line_use(const struct nest_store *s, const struct nest_store_access *access, uint64_t loops)
{
    const struct buffer *b = access->buffer;
    double run = nest_store_turns(s, access->in_last & loops), longest = b->ndim ? (double)b->shape[b->ndim - 1] : 1;
    return filled(fmin(run, longest), 64.0 / FLOAT_BYTES);
}

/* Bytes moved into a level that holds what the loops from depth inwards touch. An access is moved anew in each turn of
 * the loops outside, but for those directly outside that it does not depend on. */
static double traffic_of(const struct nest_store *s, int depth, bool by_line)
{
    uint64_t inside = loops_from(s, depth), outside = ~inside;
    double sum = 0;
    for (int i = 0; i < s->naccesses; i++) {
        const struct nest_store_access *access = &s->accesses[i];
        uint64_t again = outside;
        for (int k = depth - 1; k >= 0 && !(access->loops >> k & 1); k--)
            again &= ~(1ull << k);
        double bytes = nest_store_turns(s, access->loops & inside) * dtype_bytes(access->buffer->dtype);
        sum += bytes * nest_store_turns(s, again) / (by_line ? line_use(s, access, inside) : 1);
    }
    return sum;
}

static double bytes_from(const struct nest_store *s, int depth)
{
    uint64_t inside = loops_from(s, depth);
    double bytes = 0;
    for (int i = 0; i < s->naccesses; i++)
        bytes += nest_store_turns(s, s->accesses[i].loops & inside) * dtype_bytes(s->accesses[i].buffer->dtype);
    return bytes;
}

/* The outermost depth, no further out than from, whose footprint the capacity holds. */
static int depth_within(const struct nest_store *s, int from, double capacity)
{
    int depth = s->nloops;
    while (depth > from && bytes_from(s, depth - 1) <= capacity)
        depth--;
    return depth;
}

/* What the loops of a store say: how many cores and lanes have work. */
struct shares {
    double tasks, vector;
    int parallel; /* loops from here inwards are of one core */
};

static struct shares shares_of(const struct nest_store *s)
{
    struct shares out = {.tasks = 1, .vector = 1};
    for (int i = 0; i < s->nloops; i++) {
        if (s->loops[i].kind == ANN_PARALLEL) {
            out.tasks *= (double)s->loops[i].extent;
            out.parallel = i + 1;
        } else if (s->loops[i].kind == ANN_VECTORIZE) {
            out.vector *= (double)s->loops[i].extent;
        }
    }
    return out;
}

/* Cycles to move what the levels of memory need: registers, then the caches; the largest of the levels. */
static double memory_cycles(const struct sa_cpu *d, struct sa_penalties on, const struct nest_store *s,
                            const struct shares *of, double cores)
{
    double worst = 0, registers = on.memory ? (double)d->registers * d->lanes * FLOAT_BYTES : INFINITY;
    const double capacity[4] = {registers, d->capacity[0], d->capacity[1], d->capacity[2]};
    int last = 3;
    while (last > 0 && capacity[last] <= 0)
        last--;
    for (int level = 0; level <= last; level++) {
        bool shared = level == 3; /* all cores fill it together */
        if (capacity[level] <= 0)
            continue;
        int depth = depth_within(s, shared ? 0 : of->parallel, capacity[level]);
        double bytes = traffic_of(s, depth, on.memory && level > 0);
        /* what misses the last level comes from memory, which all cores share */
        worst = fmax(worst, level == last ? bytes / d->bandwidth[3] : bytes / d->bandwidth[level] / cores);
    }
    return worst;
}

static double cpu_cycles(const struct sa_cpu *d, struct sa_penalties on, const struct nest_store *s)
{
    struct shares of = shares_of(s);
    double cores = d->cores * (on.compute ? filled(of.tasks, d->cores) : 1);
    /* two multiply-add pipes; a statement without operations moves a vector in a cycle */
    double rate = s->ops > 0 ? 4.0 * d->lanes / s->ops : d->lanes;
    if (on.compute)
        rate *= filled(of.vector, d->lanes);
    return fmax(nest_store_turns(s, ~0ull) / rate / cores, memory_cycles(d, on, s, &of, cores));
}

double sa_latency_cpu(const struct sa_cpu *d, struct sa_penalties on, const struct nest_stores *all)
{
    double cycles = 0;
    for (int i = 0; i < all->n; i++)
        cycles += cpu_cycles(d, on, &all->at[i]);
    return cycles / d->ghz / 1e6;
}
