/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/cli/remote_option.h"

#include "harness/measure/remote/identity.h"
#include "harness/measure/remote/install.h"
#include "harness/measure/remote/ssh.h"
#include "revision.h"

#include <unistd.h>

const char *remote_identity(struct cli *c)
{
    struct text t = {0};
    identity_print("raingauge " RAINGAUGE_VERSION " (" RAINGAUGE_REVISION ")", &t);
    return text_keep(&t, c->arena);
}

bool remote_option(struct cli *c, const char *word, struct remote_host *out, struct err *err)
{
    if (!remote_host_parse(c->arena, word, out, err))
        return false;
    out->identity = remote_identity(c);
    return true;
}

bool remote_command(struct cli *c, const char *word, const char *words, struct err *err)
{
    struct remote_host on;
    struct installed program;
    if (!remote_option(c, word, &on, err) || !install(c->arena, &on, &program, err))
        return false;
    struct ssh_command run = {.command = arena_printf(c->arena, "exec %s %s", program.run, words),
                              .output = STDOUT_FILENO};
    if (ssh_run(&on, &run, err))
        return true;
    err->code = run.status > EXIT_FINE && run.status <= EXIT_ENVIRONMENT ? (enum exit_code)run.status : err->code;
    return err_context(err, "'%s'", on.name);
}
