/* SPDX-License-Identifier: Apache-2.0 */
/* guard_pages: mmap with PROT_NONE at both ends. The margins (less than a page each) are filled with a pattern. */
#include "harness/measure/guard_pages.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MARGIN_BYTE = 0xA7, WATCH_MAX = 64, GUARD_PAGES_ALIGN = 64 };

static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool guard_pages_open(struct guard_pages *g, size_t bytes, enum guard_pages_end end)
{
    size_t p = page(), inner = (bytes + p - 1) / p * p;
    if (inner == 0)
        inner = p;
    *g = (struct guard_pages){0};
    char *map = mmap(NULL, inner + 2 * p, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    if (mprotect(map + p, inner, PROT_READ | PROT_WRITE)) {
        munmap(map, inner + 2 * p);
        return false;
    }
    size_t before = end == GUARD_PAGES_END ? (inner - bytes) / GUARD_PAGES_ALIGN * GUARD_PAGES_ALIGN : 0;
    *g = (struct guard_pages){.map = map, .map_bytes = inner + 2 * p, .data = map + p + before, .bytes = bytes};
    guard_pages_repair(g);
    return true;
}

void guard_pages_repair(const struct guard_pages *g)
{
    char *first = g->map + page(), *last = g->map + g->map_bytes - page(), *data = g->data;
    memset(first, MARGIN_BYTE, (size_t)(data - first));
    memset(data + g->bytes, MARGIN_BYTE, (size_t)(last - data) - g->bytes);
}

void guard_pages_close(struct guard_pages *g)
{
    if (g->map)
        munmap(g->map, g->map_bytes);
    *g = (struct guard_pages){0};
}

/* At the speed of memory: four sums side by side. Not against one who computes collisions. */
static uint64_t sum_of(const void *p, size_t n)
{
    static const uint64_t ODD = UINT64_C(0x9e3779b97f4a7c15);
    const char *at = p;
    uint64_t lane[4] = {n, 1, 2, 3}, word[4];
    for (; n >= sizeof word; at += sizeof word, n -= sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 4; i++)
            lane[i] = (lane[i] ^ word[i]) * ODD;
    }
    memset(word, 0, sizeof word);
    memcpy(word, at, n);
    for (int i = 0; i < 4; i++)
        lane[0] = (lane[0] ^ word[i] ^ lane[i]) * ODD;
    return lane[0];
}

static void protect(struct guard_pages *g, bool lock)
{
    size_t p = page();
    mprotect(g->map + p, g->map_bytes - 2 * p, lock ? PROT_READ : PROT_READ | PROT_WRITE);
}

void guard_pages_lock(struct guard_pages *g, bool lock)
{
    if (!g->map)
        return;
    protect(g, lock);
    if (lock)
        g->sum = sum_of(g->data, g->bytes);
}

bool guard_pages_changed(const struct guard_pages *g)
{
    return g->map && sum_of(g->data, g->bytes) != g->sum;
}

void guard_pages_exchange(struct guard_pages *a, struct guard_pages *b)
{
    char part[4096], *pa = a->data, *pb = b->data;
    protect(a, false);
    protect(b, false);
    for (size_t left = a->bytes, n; left > 0; left -= n, pa += n, pb += n) {
        n = left < sizeof part ? left : sizeof part;
        memcpy(part, pa, n);
        memcpy(pa, pb, n);
        memcpy(pb, part, n);
    }
    uint64_t sum = a->sum;
    a->sum = b->sum;
    b->sum = sum;
    protect(a, true);
    protect(b, true);
}

bool guard_pages_intact(const struct guard_pages *g, ptrdiff_t *offset)
{
    const unsigned char *data = g->data, *first = (unsigned char *)g->map + page();
    const unsigned char *last = (unsigned char *)g->map + g->map_bytes - page();
    for (const unsigned char *at = data; at-- > first;)
        if (*at != MARGIN_BYTE) {
            *offset = at - data;
            return false;
        }
    for (const unsigned char *at = data + g->bytes; at < last; at++)
        if (*at != MARGIN_BYTE) {
            *offset = at - data;
            return false;
        }
    return true;
}

/* --- which buffer a fault belongs to; async-signal-safe from here on --- */

static const struct guard_pages *const *watched;
static const char *const *watched_names;
static volatile sig_atomic_t nwatched;

void guard_pages_watch(const struct guard_pages *const *buffers, const char *const *names, int n)
{
    nwatched = 0;
    watched = buffers;
    watched_names = names;
    nwatched = n < WATCH_MAX ? n : WATCH_MAX;
}

struct line {
    char s[200];
    size_t n;
};

static void line_add(struct line *l, const char *s)
{
    while (*s && l->n < sizeof l->s)
        l->s[l->n++] = *s++;
}

static void line_number(struct line *l, size_t v)
{
    char digits[24];
    int n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n && l->n < sizeof l->s)
        l->s[l->n++] = digits[--n];
}

static void line_place(struct line *l, const struct guard_pages *g, const char *name, const char *at)
{
    const char *data = g->data;
    line_add(l, "fault: access ");
    if (at < data) {
        line_number(l, (size_t)(data - at));
        line_add(l, " bytes before ");
    } else if (at >= data + g->bytes) {
        line_number(l, (size_t)(at - data) - g->bytes);
        line_add(l, " bytes past the end of ");
    } else {
        line_add(l, "(a write) to ");
    }
    line_add(l, name);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    struct line l = {.n = 0};
    const char *at = info->si_addr;
    for (int i = 0; i < nwatched; i++)
        if (watched[i]->map && at >= watched[i]->map && at < watched[i]->map + watched[i]->map_bytes) {
            line_place(&l, watched[i], watched_names[i], at);
            break;
        }
    if (l.n == 0)
        line_add(&l, (uintptr_t)at < 4096 ? "fault: access through a null or wild pointer"
                                          : "fault: access outside every buffer");
    line_add(&l, "\n");
    ssize_t done = write(STDERR_FILENO, l.s, l.n);
    (void)done;
    signal(number, SIG_DFL);
    raise(number);
}

/* The handler has a stack of its own, since the fault may be that the kernel's stack is full. */
void guard_pages_handlers(void)
{
    static char stack[1 << 16];
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&own, NULL);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
