/* SPDX-License-Identifier: Apache-2.0 */
/* doc: prints the pages that are written from the tables of the program, and those that are written from the results.
 * `make docs` keeps them in harness/doc/ and results/. help: of all verbs, or of one. */
#include "harness/claims/findings.h"
#include "harness/cli/reference/bash_completion.h"
#include "harness/cli/reference/help.h"
#include "harness/cli/reference/json_reference.h"
#include "harness/cli/reference/man_page.h"
#include "harness/cli/reference/results_page.h"
#include "harness/cli/verbs.h"
#include "harness/experiment/key_reference.h"
#include "harness/report/data/report_column.h"

#include <string.h>

static bool man(struct cli *c, struct text *t, struct err *err)
{
    (void)c, (void)err;
    man_page(t);
    return true;
}

static bool completion(struct cli *c, struct text *t, struct err *err)
{
    (void)c, (void)err;
    bash_completion(t);
    return true;
}

static bool keys_page(struct cli *c, struct text *t, struct err *err)
{
    (void)c, (void)err;
    text_add(t, "# Keys of the YAML files\n\nFor whoever writes an experiment, a network or a machine. Made by `make "
                "docs` from the tables\n"
                "that read the files; do not edit it. `raingauge plan NAME` shows what a file would do, and refuses\n"
                "a wrong key or value with file, line and column. `harness/doc/own.md` has a worked example.\n\n");
    key_reference(t);
    return true;
}

static bool json_page(struct cli *c, struct text *t, struct err *err)
{
    (void)c, (void)err;
    json_reference(t);
    text_add(t, "\n");
    column_reference(t);
    return true;
}

static bool runs_page(struct cli *c, struct text *t, struct err *err)
{
    (void)c;
    return results_page("results", t, err);
}

/* Paragraphs and items in lines of a page's width; rows of tables stay whole. */
static void fill_lines(const char *lines, struct text *t)
{
    for (const char *end; *lines; lines = *end ? end + 1 : end) {
        end = lines + strcspn(lines, "\n");
        struct text line = {0};
        text_addn(&line, lines, (size_t)(end - lines));
        if (*lines == '|')
            text_printf(t, "%s\n", text_str(&line));
        else
            results_page_fill(t, text_str(&line), 0);
        text_free(&line);
    }
}

static bool findings_page(struct cli *c, struct text *t, struct err *err)
{
    char **papers;
    int n;
    struct text openings = {0}, whys = {0}, parts = {0};
    bool fine = cli_need_experiments(c, err) && claims_papers(c->arena, c->folder, &papers, &n, err);
    for (int i = 0; fine && i < n; i++) {
        struct claim_lookup_options look = {.registry = c->registry, .folder = c->folder};
        struct claims claims;
        fine = claims_load(c->arena, c->folder, papers[i], &claims, err);
        if (!fine)
            break;
        struct claim_lookup_book *book = claim_lookup_open(c->arena, &look);
        const struct findings_input in = {c->arena, &look, &claims, book, claim_lookup_all(book, c->arena, &claims)};
        findings_opening(&in, &openings);
        text_char(&whys, '\n');
        findings_why(&in, &whys);
        text_char(&parts, '\n');
        findings_seen(&in, &parts);
    }
    if (fine) {
        text_add(t, "# Findings\n\n");
        fill_lines(text_str(&openings), t);
        text_add(t, "\nThese are headline claims, with ratios and 95 % intervals over seeds. Words in capitals are "
                    "those of\n`harness/doc/measurement.md`, \"Verdict rules\". What an INVALID run shows is not a "
                    "finding. Made by\n`make docs` from the reports that git tracks; do not edit it. `raingauge claims "
                    "PAPER\n--released DIR` prints the same beside what the authors' own files say.\n");
        fill_lines(text_str(&whys), t);
        fill_lines(text_str(&parts), t);
    }
    text_free(&openings);
    text_free(&whys);
    text_free(&parts);
    return fine;
}

/* A new page is a row here, a word of the verb's arguments, and a word of DOCS in the Makefile. */
static const struct page {
    const char *name;
    bool (*print)(struct cli *c, struct text *t, struct err *err);
} pages[] = {{"man", man},        {"completion", completion}, {"json", json_page},
             {"keys", keys_page}, {"results", runs_page},     {"findings", findings_page}};
enum { PAGES = sizeof pages / sizeof *pages };

static bool run(struct cli *c, struct err *err)
{
    const char *names[PAGES];
    for (int i = 0; i < PAGES; i++) {
        names[i] = pages[i].name;
        if (!str_eq(c->words[0], pages[i].name))
            continue;
        struct text t = {0};
        bool fine = pages[i].print(c, &t, err);
        if (fine)
            cli_print(&t);
        return fine;
    }
    return str_unknown(err, "page", c->words[0], names, PAGES);
}

#define PAGE_WORD "man|completion|json|keys|results|findings"
const struct verb verb_doc = {.name = "doc",
                              .arguments = PAGE_WORD,
                              .summary = "pages made from the program's tables, or from ./results",
                              .asks = "which page? " PAGE_WORD,
                              .needed = 1,
                              .words = 1,
                              .run = run};

static bool run_help(struct cli *c, struct err *err)
{
    struct text t = {0};
    const struct verb *v = c->nwords ? verb_find(c->words[0], err) : NULL;
    if (c->nwords && !v)
        return false;
    if (v)
        help_verb(v, &t);
    else
        help_all(&t);
    cli_print(&t);
    return true;
}

const struct verb verb_help = {.name = "help",
                               .arguments = "[VERB]",
                               .summary = "this list, or the options of one verb",
                               .words = 1,
                               .run = run_help};
