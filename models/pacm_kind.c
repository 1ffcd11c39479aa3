/* SPDX-License-Identifier: Apache-2.0 */
#include "models/pacm_kind.h"

#include "models/nn/networks.h"
#include "models/statement_rows.h"

static void make_whole(struct net *n, bool gpu)
{
    (void)gpu;
    net_make_pacm(n);
}

static void make_statements(struct net *n, bool gpu)
{
    (void)gpu;
    net_make_pacm_parts(n, true, false);
}

static void make_dataflow(struct net *n, bool gpu)
{
    (void)gpu;
    net_make_pacm_parts(n, false, true);
}

bool pacm_kind_make(const char *name, struct pacm_parts parts, struct learner_kind *out, struct err *err)
{
    static const struct learner_kind
        whole = {.file = "pacm", .cpu = STATEMENT_DATAFLOW_FORM, .gpu = STATEMENT_DATAFLOW_FORM, .make = make_whole},
        statements = {.file = "pacm-statements", .cpu = STATEMENT_FORM, .gpu = STATEMENT_FORM, .make = make_statements},
        dataflow = {.file = "pacm-dataflow", .cpu = DATAFLOW_FORM, .gpu = DATAFLOW_FORM, .make = make_dataflow};
    if (!parts.statements && !parts.dataflow)
        return err_set(err, "model %s without features of statements and of data flow sees nothing", name);
    *out = !parts.dataflow ? statements : !parts.statements ? dataflow : whole;
    out->name = name;
    return true;
}
