/* SPDX-License-Identifier: Apache-2.0 */
/* release: no bytes crash the readers of released result files; a row that is kept has a time above 0, and what is left
 * out has its place. The first byte chooses the form. */
#include "harness/released/droplet/bennu.h"
#include "harness/released/droplet/compact.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void read_one(struct release *r, int form, char *text)
{
    enum release_table table = (enum release_table)(form / 2 % TABLE_COUNT);
    struct bennu_source source = {"fuzz/alexnet.csv", table, "m", "r"};
    struct release_row row = {0};
    if (form == 'C')
        compact_coverage(r, "fuzz.tsv", text);
    else if (form == 'L')
        (void)bennu_log(r, "fuzz.log", text, &row);
    else if (form % 2)
        (void)compact_read(r, table, "fuzz.tsv", "m", text);
    else
        (void)bennu_read(r, &source, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 1)
        return 0;
    struct arena *a = arena_open("fuzz");
    struct release *r = ARENA_NEW(a, struct release);
    r->arena = a;
    read_one(r, data[0], arena_strn(a, (const char *)data + 1, n - 1));
    for (int i = 0; i < r->blocks.n; i++) {
        for (int k = 0; k < r->blocks.at[i].rows.n; k++)
            if (!(r->blocks.at[i].rows.at[k].v[DROPLET_TIME] > 0))
                abort();
        vec_free(&r->blocks.at[i].rows);
    }
    for (int i = 0; i < r->problems.n; i++)
        if (!r->problems.at[i].line || !*r->problems.at[i].text)
            abort();
    vec_free(&r->blocks);
    vec_free(&r->files);
    vec_free(&r->problems);
    arena_close(a);
    return 0;
}
