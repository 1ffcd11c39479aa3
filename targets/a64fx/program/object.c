/* SPDX-License-Identifier: Apache-2.0 */
/* object: places the sections one after the other and applies their relocations (Arm, "ELF for the Arm 64-bit
 * Architecture", section 5.7). Code, data and this program's own functions are so near to each other that every branch
 * and every address reaches its goal. */
#include "targets/a64fx/program/object.h"

#include "targets/a64fx/program/runtime.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { ROOM = 32 << 20, SLOTS = 4096, SECTIONS = 4096 };
static _Alignas(4096) char room[ROOM];
static uint64_t slots[SLOTS]; /* of each symbol: its address, for code that loads it from there */

struct object {
    char *file;
    const Elf64_Shdr *section;
    int sections;
    uint64_t at[SECTIONS]; /* where a section is; 0: nowhere */
    const Elf64_Sym *symbol;
    int symbols;
    const char *names;
    char *text;
    size_t n;
};

static int refuse(const struct object *o, const char *what, const char *name)
{
    snprintf(o->text, o->n, "%s%s%s", what, *name ? " " : "", name);
    return 0;
}

static const void *within(const struct object *o, uint64_t offset)
{
    return o->file + offset;
}

static int read_head(struct object *o, size_t bytes)
{
    const Elf64_Ehdr *h = within(o, 0);
    if (bytes < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_machine != EM_AARCH64 ||
        h->e_type != ET_REL)
        return refuse(o, "not an object file for AArch64", "");
    if (h->e_shnum > SECTIONS || h->e_shoff + h->e_shnum * sizeof(Elf64_Shdr) > bytes)
        return refuse(o, "the object file is cut short", "");
    o->section = within(o, h->e_shoff);
    o->sections = h->e_shnum;
    for (int i = 0; i < o->sections; i++) {
        const Elf64_Shdr *s = &o->section[i];
        if (s->sh_type != SHT_NOBITS && s->sh_offset + s->sh_size > bytes)
            return refuse(o, "the object file is cut short", "");
        if (s->sh_type != SHT_SYMTAB)
            continue;
        o->symbol = within(o, s->sh_offset);
        o->symbols = (int)(s->sh_size / sizeof(Elf64_Sym));
        o->names = o->file + o->section[s->sh_link].sh_offset;
    }
    return o->symbols <= SLOTS || refuse(o, "the object file has too many symbols", "");
}

static int place_sections(struct object *o)
{
    size_t used = 0;
    for (int i = 0; i < o->sections; i++) {
        const Elf64_Shdr *s = &o->section[i];
        size_t align = s->sh_addralign ? s->sh_addralign : 1;
        o->at[i] = 0;
        if (!(s->sh_flags & SHF_ALLOC))
            continue;
        used = (used + align - 1) / align * align;
        if (align > 4096 || used + s->sh_size > ROOM)
            return refuse(o, "the object is too large", "");
        if (s->sh_type == SHT_NOBITS)
            memset(room + used, 0, s->sh_size);
        else
            memcpy(room + used, o->file + s->sh_offset, s->sh_size);
        o->at[i] = (uint64_t)(room + used);
        used += s->sh_size;
    }
    return 1;
}

static int find_symbols(const struct object *o)
{
    for (int i = 1; i < o->symbols; i++) {
        const Elf64_Sym *s = &o->symbol[i];
        const char *name = o->names + s->st_name;
        if (s->st_shndx == SHN_UNDEF)
            slots[i] = runtime_find(name);
        else if (s->st_shndx < o->sections)
            slots[i] = o->at[s->st_shndx] ? o->at[s->st_shndx] + s->st_value : 0;
        if (s->st_shndx == SHN_UNDEF && !slots[i])
            return refuse(o, "the object calls what is not there:", name);
    }
    return 1;
}

static uint64_t page(uint64_t at)
{
    return at & ~UINT64_C(4095);
}

/* Bits of an instruction from low on are replaced. */
static void patch(uint32_t *at, int low, int bits, uint64_t value)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << bits) - 1) << low;
    *at = (*at & ~mask) | ((uint32_t)(value << low) & mask);
}

enum { TO, SLOT, AWAY }; /* the goal, the slot with its address, or how far away the goal is */
static const struct relocation {
    unsigned type;
    int value;
    int bytes;            /* stored whole; else in an instruction: */
    int low, bits, shift; /* bits 0: how many pages away, in the two fields of ADRP */
} RELOCATIONS[] = {{R_AARCH64_ABS64, TO, 8, 0, 0, 0},
                   {R_AARCH64_ABS32, TO, 4, 0, 0, 0},
                   {R_AARCH64_PREL64, AWAY, 8, 0, 0, 0},
                   {R_AARCH64_PREL32, AWAY, 4, 0, 0, 0},
                   {R_AARCH64_CALL26, AWAY, 0, 0, 26, 2},
                   {R_AARCH64_JUMP26, AWAY, 0, 0, 26, 2},
                   {R_AARCH64_CONDBR19, AWAY, 0, 5, 19, 2},
                   {R_AARCH64_TSTBR14, AWAY, 0, 5, 14, 2},
                   {R_AARCH64_ADR_PREL_PG_HI21, TO, 0, 0, 0, 0},
                   {R_AARCH64_ADR_PREL_PG_HI21_NC, TO, 0, 0, 0, 0},
                   {R_AARCH64_ADR_GOT_PAGE, SLOT, 0, 0, 0, 0},
                   {R_AARCH64_LD64_GOT_LO12_NC, SLOT, 0, 10, 12, 3},
                   {R_AARCH64_ADD_ABS_LO12_NC, TO, 0, 10, 12, 0},
                   {R_AARCH64_LDST8_ABS_LO12_NC, TO, 0, 10, 12, 0},
                   {R_AARCH64_LDST16_ABS_LO12_NC, TO, 0, 10, 12, 1},
                   {R_AARCH64_LDST32_ABS_LO12_NC, TO, 0, 10, 12, 2},
                   {R_AARCH64_LDST64_ABS_LO12_NC, TO, 0, 10, 12, 3},
                   {R_AARCH64_LDST128_ABS_LO12_NC, TO, 0, 10, 12, 4}};

static int relocate(const struct object *o, const Elf64_Rela *r, void *where)
{
    uint64_t symbol = ELF64_R_SYM(r->r_info), to = slots[symbol] + (uint64_t)r->r_addend;
    const uint64_t values[] = {to, (uint64_t)&slots[symbol], to - (uint64_t)where};
    char number[16];
    for (size_t i = 0; i < sizeof RELOCATIONS / sizeof *RELOCATIONS; i++) {
        const struct relocation *k = &RELOCATIONS[i];
        uint64_t value = values[k->value], pages = (page(value) - page((uint64_t)where)) >> 12;
        if (k->type != ELF64_R_TYPE(r->r_info))
            continue;
        if (k->bytes) {
            memcpy(where, &value, (size_t)k->bytes);
        } else if (!k->bits) {
            patch(where, 29, 2, pages & 3);
            patch(where, 5, 19, pages >> 2);
        } else {
            patch(where, k->low, k->bits, (k->bits == 12 ? value & 4095 : value) >> k->shift);
        }
        return 1;
    }
    snprintf(number, sizeof number, "%u", (unsigned)ELF64_R_TYPE(r->r_info));
    return refuse(o, "the object has a relocation of unknown kind", number);
}

static int relocate_all(const struct object *o)
{
    for (int i = 0; i < o->sections; i++) {
        const Elf64_Shdr *s = &o->section[i];
        if (s->sh_type != SHT_RELA || s->sh_info >= (unsigned)o->sections || !o->at[s->sh_info])
            continue;
        const Elf64_Rela *r = within(o, s->sh_offset);
        for (size_t k = 0; k < s->sh_size / sizeof *r; k++)
            if (!relocate(o, &r[k], (char *)o->at[s->sh_info] + r[k].r_offset))
                return 0;
    }
    return 1;
}

emulated_kernel *object_link(char *file, size_t bytes, char *text, size_t n)
{
    static struct object o;
    emulated_kernel *kernel = NULL;
    o = (struct object){.file = file, .text = text, .n = n};
    if (mprotect(room, sizeof room, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        refuse(&o, "no memory for code", "");
        return NULL;
    }
    if (!read_head(&o, bytes) || !place_sections(&o) || !find_symbols(&o) || !relocate_all(&o))
        return NULL;
    __builtin___clear_cache(room, room + sizeof room);
    for (int i = 1; i < o.symbols; i++)
        if (!strcmp(o.names + o.symbol[i].st_name, "raingauge_kernel"))
            kernel = (emulated_kernel *)slots[i];
    if (!kernel)
        refuse(&o, "the object has no raingauge_kernel", "");
    return kernel;
}
