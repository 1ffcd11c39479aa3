/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/remote_option.h"

#include "harness/measure/remote/identity.h"
#include "revision.h"

const char *remote_identity(struct cli *c)
{
    struct text t = {0};
    identity_print("raingauge " RAINGAUGE_VERSION " (" RAINGAUGE_REVISION ")", &t);
    const char *identity = arena_str(c->arena, text_str(&t));
    text_free(&t);
    return identity;
}

bool remote_option(struct cli *c, const char *word, struct remote_host *out, struct err *err)
{
    if (!remote_host_parse(c->arena, word, out, err))
        return false;
    out->identity = remote_identity(c);
    return true;
}
