/* SPDX-License-Identifier: Apache-2.0 */
/* export: the trials of a results folder for other programs. CSV and JSON are the view `trials`, as the verb query
 * prints it. */
#include "harness/base/log.h"
#include "harness/cli/answer.h"
#include "harness/cli/named_option.h"
#include "harness/record/tvm/tvm_export.h"

#include <stdio.h>
#include <string.h>

enum export_format { EXPORT_TVM, EXPORT_CSV, EXPORT_JSON, EXPORT_PARQUET };
static const char *const formats[] = {
    [EXPORT_TVM] = "tvm", [EXPORT_CSV] = "csv", [EXPORT_JSON] = "json", [EXPORT_PARQUET] = "parquet", NULL};
struct export_options {
    enum export_format format;
    const char *arm, *network;
};
static const struct setting options[] = {
    ENUM_SETTING("--format", struct export_options, format, "tvm", formats,
                 "record lines of TVM's auto_scheduler (v0.6), or all columns of the view trials",
                 .group = GROUP_OUTPUT),
    STRING_SETTING("--arm", struct export_options, arm, NULL, "only this arm's trials", .word = "ARM"),
    STRING_SETTING("--network", struct export_options, network, NULL, "only this network's trials", .word = "NETWORK"),
    {0}};

static bool print_tvm(struct store *s, const struct export_options *o, struct err *err)
{
    struct tvm_export_sums sums;
    bool fine = tvm_export(
        s, &(struct tvm_export_options){.arm = o->arm, .network = o->network, .lines = cli_print_lines}, &sums, err);
    if (fine && sums.reindexed)
        log_warn("%lld trials are left out: TVM has no step RI", (long long)sums.reindexed);
    if (fine)
        log_info("%lld records", (long long)sums.records);
    return fine;
}

/* " WHERE arm = 'it''s'", or " AND ..." */
static void only(struct text *sql, const char *column, const char *value)
{
    if (!value)
        return;
    text_printf(sql, " %s %s = '", strstr(text_str(sql), "WHERE") ? "AND" : "WHERE", column);
    for (; *value; value++)
        text_addn(sql, *value == '\'' ? "''" : value, *value == '\'' ? 2 : 1);
    text_char(sql, '\'');
}

static bool print_view(struct cli *c, const struct export_options *o, struct err *err)
{
    struct text sql = {0};
    text_add(&sql, "SELECT * FROM trials");
    only(&sql, "arm", o->arm);
    only(&sql, "network", o->network);
    text_add(&sql, " ORDER BY trial");
    bool fine = answer_print(c, c->words[0], text_str(&sql), o->format == EXPORT_CSV ? ANSWER_CSV : ANSWER_JSON, err);
    text_free(&sql);
    return fine;
}

static bool run(struct cli *c, struct err *err)
{
    const struct export_options *o = c->options;
    if (o->format == EXPORT_PARQUET)
        return err_set(err,
                       "--format parquet: Debian 12 has no library that writes it: take csv, or records.db itself, "
                       "which DuckDB and pandas read and write as Parquet");
    struct store *s;
    if (!store_open_read(c->words[0], &s, err))
        return false;
    bool fine =
        recorded_option_check(c, s, o->arm, o->network, err) && (o->format != EXPORT_TVM || print_tvm(s, o, err));
    store_close(s);
    return fine ? o->format == EXPORT_TVM || print_view(c, o, err) : err_context(err, "'%s'", c->words[0]);
}

static const struct verb_exit exits[] = {{EXIT_USAGE, "no records there, or of a target that TVM has not"}, {0}};

const struct verb verb_export = {.name = "export",
                                 .arguments = "RESULTS",
                                 .summary = "recorded trials on stdout, as TVM's record lines, CSV or JSON",
                                 .asks = "which results folder?",
                                 .needed = 1,
                                 .words = 1,
                                 VERB_OPTIONS(struct export_options),
                                 .exits = exits,
                                 .run = run};
