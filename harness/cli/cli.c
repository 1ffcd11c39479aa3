/* SPDX-License-Identifier: Apache-2.0 */
/* cli: printing, and the complaint that there are no experiments. */
#include "harness/cli/cli.h"

#include "harness/base/file.h"
#include "harness/cli/data_folder.h"

#include <stdio.h>
#include <string.h>

void cli_print(struct text *t)
{
    fwrite(text_str(t), 1, t->len, stdout);
    fflush(stdout); /* before what may be said on stderr */
    text_free(t);
}

bool cli_print_lines(void *ctx, struct text *t)
{
    (void)ctx;
    cli_print(t);
    return !ferror(stdout);
}

void cli_print_json(cJSON *value)
{
    struct text t = {0};
    json_print(value, &t);
    text_char(&t, '\n');
    cli_print(&t);
}

void cli_add_word(struct text *t, const char *option, const char *value)
{
    text_printf(t, " %s%s", option, *option ? " " : "");
    if (!strpbrk(value, " \t\n'\"\\$`*?[]{}()<>|&;!~#")) {
        text_add(t, value);
        return;
    }
    text_shell(t, value);
}

bool cli_need_experiments(const struct cli *c, struct err *err)
{
    if (file_is_dir(c->folder))
        return true;
    if (c->experiments)
        return err_set(err, "--experiments '%s': there is no such folder", c->experiments);
    struct text tried = {0};
    data_folder_tried(c->arena, "experiments", &tried);
    err_set(err,
            "no folder of experiments: tried %s; name one by --experiments DIR, or name the folder that holds "
            "experiments/ and plots/ by RAINGAUGE_DATADIR",
            text_str(&tried));
    text_free(&tried);
    return false;
}
