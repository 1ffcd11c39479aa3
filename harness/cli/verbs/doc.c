/* SPDX-License-Identifier: Apache-2.0 */
/* doc: prints the pages that are written from the tables of the program, and the one that is written from the results.
 * `make docs` keeps them in harness/doc/ and results/. */
#include "harness/cli/reference/bash_completion.h"
#include "harness/cli/reference/json_reference.h"
#include "harness/cli/reference/man_page.h"
#include "harness/cli/reference/results_page.h"
#include "harness/cli/verbs.h"
#include "harness/experiment/key_reference.h"
#include "harness/report/data/report_column.h"

static bool man(struct text *t, struct err *err)
{
    (void)err;
    man_page(t);
    return true;
}

static bool completion(struct text *t, struct err *err)
{
    (void)err;
    bash_completion(t);
    return true;
}

static bool keys_page(struct text *t, struct err *err)
{
    (void)err;
    text_add(t, "# Keys of the YAML files\n\nFor whoever writes an experiment, a network or a machine. Made by `make "
                "docs` from the tables\n"
                "that read the files; do not edit it. `raingauge plan NAME` shows what a file would do, and refuses\n"
                "a wrong key or value with file, line and column. `harness/doc/own.md` has a worked example.\n\n");
    key_reference(t);
    return true;
}

static bool json_page(struct text *t, struct err *err)
{
    (void)err;
    json_reference(t);
    text_add(t, "\n");
    column_reference(t);
    return true;
}

static bool runs_page(struct text *t, struct err *err)
{
    return results_page("results", t, err);
}

/* A new page is a row here, a word of the verb's arguments, and a word of DOCS in the Makefile. */
static const struct page {
    const char *name;
    bool (*print)(struct text *t, struct err *err);
} pages[] = {
    {"man", man}, {"completion", completion}, {"json", json_page}, {"keys", keys_page}, {"results", runs_page}};
enum { PAGES = sizeof pages / sizeof *pages };

static bool run(struct cli *c, struct err *err)
{
    const char *names[PAGES];
    for (int i = 0; i < PAGES; i++) {
        names[i] = pages[i].name;
        if (!str_eq(c->words[0], pages[i].name))
            continue;
        struct text t = {0};
        bool fine = pages[i].print(&t, err);
        if (fine)
            cli_print(&t);
        return fine;
    }
    return str_unknown(err, "page", c->words[0], names, PAGES);
}

#define PAGE_WORD "man|completion|json|keys|results"
const struct verb verb_doc = {.name = "doc",
                              .arguments = PAGE_WORD,
                              .summary = "pages made from the program's tables, or from ./results",
                              .asks = "which page? " PAGE_WORD,
                              .needed = 1,
                              .words = 1,
                              .run = run};
