/* SPDX-License-Identifier: Apache-2.0 */
/* batch_script: options that are the same for all tasks are in its head, which Slurm reads without a shell. Whatever a
 * person wrote stands in quotes. */
#include "harness/fleet/batch_script.h"

#include <math.h>
#include <unistd.h>

/* Seconds before the end of its time that a task is told. */
#define TOLD_S 120

static const char RUN[] =
    "cd \"$from\" || { echo \"raingauge: this node has no folder '$from': it must be on a shared file system\" >&2; "
    "status=7; }\n"
    "if [ $status = 0 ] && [ ! -x \"$program\" ]; then\n"
    "    echo \"raingauge: this node has no program '$program': put it or the bundle on a shared file system\" >&2\n"
    "    status=7\n"
    "fi\n"
    "if [ $status = 0 ]; then\n"
    "    srun --ntasks=1 --cpus-per-task=\"${SLURM_CPUS_ON_NODE:-1}\" --cpu-bind=cores \"$program\" run";
static const char END[] =
    "    status=$?\n"
    "fi\n"
    "echo \"$node $status\" >>\"$fleet/$shard.ends\"\n"
    "again() { # how often at most, how often it was, option\n"
    "    [ \"$2\" -le \"$1\" ] && sbatch --parsable --chdir=\"$fleet\" --array=\"$shard\" $3 \"$fleet/batch\"\n"
    "}\n"
    "case $status in\n"
    "3 | 7) # this node will not do\n"
    "    bad=$(sed -n 's/ [37]$//p' \"$fleet/$shard.ends\" | sort -u)\n"
    "    again 3 \"$(echo \"$bad\" | wc -l)\" \"--exclude=$(echo $bad | tr ' ' ,)\" ;;\n"
    "1 | 129 | 1[3-9][0-9]) # srun lost its step, or a signal: it goes on from its records\n"
    "    again 100 \"$(grep -c ' 1\\([2-9][0-9]\\)*$' \"$fleet/$shard.ends\")\" \"\" ;;\n"
    "esac\n"
    "exit $status\n";

static void head(const struct fleet *f, struct text *t)
{
    const struct fleet_spec *s = f->spec;
    text_add(t, "#!/bin/sh\n# Written by raingauge run --on slurm: runs the shard of a task of the array.\n");
    text_printf(t, "#SBATCH --job-name=%s\n", f->job.name);
    text_add(t, "#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --exclusive\n#SBATCH --requeue\n"
                "#SBATCH --open-mode=append\n#SBATCH --output=%a.log\n");
    text_printf(t, "#SBATCH --signal=TERM@%d\n", TOLD_S);
    if (*s->at.where)
        text_printf(t, "#SBATCH --partition=%s\n", s->at.where);
    if (*s->constraint)
        text_printf(t, "#SBATCH --constraint=%s\n", s->constraint);
    if (s->time_s > 0)
        text_printf(t, "#SBATCH --time=%.0f\n", ceil(s->time_s / 60));
}

static void put(struct text *t, const char *name, const char *value)
{
    text_printf(t, "%s=", name);
    text_shell(t, value);
    text_char(t, '\n');
}

void batch_script(const struct fleet *f, const char *program, struct text *out)
{
    char from[4096] = "";
    head(f, out);
    if (!getcwd(from, sizeof from))
        *from = 0;
    put(out, "from", from);
    put(out, "fleet", f->folder);
    put(out, "results", f->results);
    put(out, "program", program);
    text_add(out, "shard=$SLURM_ARRAY_TASK_ID\nnode=${SLURMD_NODENAME:-$(hostname)}\nstatus=0\n");
    text_add(out, RUN);
    for (int i = 0; f->spec->words[i]; i++) {
        text_char(out, ' ');
        text_shell(out, f->spec->words[i]);
    }
    text_add(out, " \\\n        --experiments ");
    text_shell(out, f->spec->experiments);
    text_add(out, " --gate ");
    text_shell(out, f->job.program);
    text_add(out, " --one-processor \"$fleet/processor\"");
    text_printf(out, " --shard \"$shard/%d\" --results \"$results/shards/$shard\" --resume\n", f->job.shards);
    text_add(out, END);
}
