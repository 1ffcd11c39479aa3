/* SPDX-License-Identifier: Apache-2.0 */
/* descendants: processes that a kernel made. The fork server adopts those whose parent has ended (Linux manual, prctl,
 * PR_SET_CHILD_SUBREAPER), so none is lost, whatever group or session it moved to. A PID namespace would end them by
 * itself, but needs rights that users do not have, and its first process takes no default signal: an aborted kernel
 * would not end. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

void descendants_adopt(void);
/* Kills and waits for all children of this process and what they leave behind, but for the n in keep. */
void descendants_kill(const pid_t *keep, int n);
bool descendants_exist(void); /* has this process children, ended ones included */
