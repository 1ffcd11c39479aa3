/* SPDX-License-Identifier: Apache-2.0 */
/* identity: the notes of the first object that the loader knows, which is the program (dl_iterate_phdr(3)). */
#include "harness/measure/remote/identity.h"

#include <link.h>
#include <string.h>

struct build_id {
    unsigned char bytes[IDENTITY_BUILD_BYTES];
    size_t n;
};

/* A note: three words, then its name and its text, each filled up to whole words. */
static void find_note(const char *at, size_t bytes, struct build_id *out)
{
    ElfW(Nhdr) h;
    while (bytes >= sizeof h) {
        memcpy(&h, at, sizeof h);
        size_t name = ((size_t)h.n_namesz + 3) & ~(size_t)3, text = ((size_t)h.n_descsz + 3) & ~(size_t)3;
        size_t all = sizeof h + name + text;
        if (all > bytes)
            return;
        if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(at + sizeof h, "GNU", 4) == 0) {
            out->n = h.n_descsz < sizeof out->bytes ? h.n_descsz : sizeof out->bytes;
            memcpy(out->bytes, at + sizeof h + name, out->n);
            return;
        }
        at += all;
        bytes -= all;
    }
}

static int first_object(struct dl_phdr_info *info, size_t size, void *to)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            find_note((const char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz, to);
    }
    return 1;
}

size_t identity_build(unsigned char out[IDENTITY_BUILD_BYTES])
{
    struct build_id id = {.n = 0};
    dl_iterate_phdr(first_object, &id);
    memcpy(out, id.bytes, sizeof id.bytes);
    return id.n;
}

void identity_print(const char *version, struct text *out)
{
    unsigned char id[IDENTITY_BUILD_BYTES];
    size_t n = identity_build(id);
    text_printf(out, "%s, build ", version);
    for (size_t i = 0; i < n; i++)
        text_printf(out, "%02x", id[i]);
    if (!n)
        text_add(out, "unknown");
}
