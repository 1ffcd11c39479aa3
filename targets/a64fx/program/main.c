/* SPDX-License-Identifier: Apache-2.0 */
/* main: the program that runs under the emulator. It links a kernel's object and calls it. Each argument ends at a page
 * that cannot be touched, and inputs cannot be written: a kernel that does either ends this process by a signal. */
#include "targets/a64fx/program/object.h"
#include "targets/a64fx/program/runtime.h"
#include "targets/a64fx/protocol.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { CHANNEL = STDIN_FILENO, ALIGN = 64, FILL = 0x55 };

static struct service {
    emulated_kernel *kernel;
    char *shared, *threads_scratch;
} service;

struct room { /* of one argument */
    char *map, *data;
    size_t bytes, mapped; /* mapped: without the page behind it */
};

static void get(void *to, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = read(CHANNEL, (char *)to + done, n - done);
        if (got <= 0)
            _exit(0); /* the other side is gone */
        done += (size_t)got;
    }
}

static void put(const void *from, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t sent = write(CHANNEL, (const char *)from + done, n - done);
        if (sent <= 0)
            _exit(0);
        done += (size_t)sent;
    }
}

static void *need(void *memory)
{
    if (!memory || memory == MAP_FAILED) {
        static const char WHY[] = "the emulated program is out of memory\n";
        ssize_t ignored = write(STDERR_FILENO, WHY, sizeof WHY - 1);
        (void)ignored;
        _exit(1);
    }
    return memory;
}

static char *scratch(int64_t bytes)
{
    return need(aligned_alloc(ALIGN, ((size_t)bytes + 4096 + ALIGN - 1) / ALIGN * ALIGN));
}

static void load(const struct emulated_request *q)
{
    struct emulated_answer a = {{0}};
    char *file = need(malloc((size_t)q->object_bytes + 1));
    get(file, (size_t)q->object_bytes);
    runtime_threads((int)q->threads);
    free(service.shared);
    free(service.threads_scratch);
    service.shared = scratch(q->shared_bytes);
    service.threads_scratch = scratch(q->thread_bytes * q->threads);
    service.kernel = object_link(file, (size_t)q->object_bytes, a.text, sizeof a.text);
    free(file);
    put(&a, sizeof a);
}

static struct room room_open(size_t bytes, bool writable)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), taken = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    struct room r = {.bytes = bytes, .mapped = (taken + page - 1) / page * page};
    r.map = need(mmap(NULL, r.mapped + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    r.data = r.map + r.mapped - taken;
    memset(r.map, FILL, (size_t)(r.data - r.map));
    memset(r.data + bytes, FILL, taken - bytes);
    get(r.data, bytes);
    mprotect(r.map + r.mapped, page, PROT_NONE);
    if (!writable)
        mprotect(r.map, r.mapped, PROT_READ);
    return r;
}

static bool intact(const struct room *r)
{
    for (const char *p = r->map; p < r->map + r->mapped; p++)
        if (*p != FILL && (p < r->data || p >= r->data + r->bytes))
            return false;
    return true;
}

static void run(const struct emulated_request *q)
{
    struct emulated_answer a = {{0}};
    struct room rooms[EMULATED_ARGS];
    void *args[EMULATED_ARGS];
    int n = (int)q->nargs;
    for (int i = 0; i < n; i++) {
        rooms[i] = room_open((size_t)q->arg_bytes[i], i == n - 1);
        args[i] = rooms[i].data;
    }
    for (int64_t i = 0; i < q->number && service.kernel; i++)
        service.kernel(args, service.shared, service.threads_scratch);
    if (!service.kernel)
        snprintf(a.text, sizeof a.text, "no kernel is loaded");
    else if (!intact(&rooms[n - 1]))
        snprintf(a.text, sizeof a.text, "wrote outside the output");
    put(&a, sizeof a);
    if (!a.text[0])
        put(rooms[n - 1].data, rooms[n - 1].bytes);
    for (int i = 0; i < n; i++)
        munmap(rooms[i].map, rooms[i].mapped + (size_t)sysconf(_SC_PAGESIZE));
}

int main(void)
{
    int length = prctl(PR_SVE_GET_VL);
    struct emulated_greeting g = {.vector_bytes = length < 0 ? 0 : length & PR_SVE_VL_LEN_MASK};
    struct emulated_request q;
    put(&g, sizeof g);
    for (;;) {
        get(&q, sizeof q);
        if (q.kind == EMULATED_LOAD)
            load(&q);
        else
            run(&q);
    }
}
