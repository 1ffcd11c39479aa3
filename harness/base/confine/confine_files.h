/* SPDX-License-Identifier: Apache-2.0 */
/* confine_files: from now on this process and its threads to come open no file for writing, but device files (/dev) and
 * their own entries in /proc. What is open stays open. Landlock does it (Linux manual, landlock(7)). The process must
 * have given up new privileges (PR_SET_NO_NEW_PRIVS). */
#pragma once
#include <stdbool.h>

/* False: the system has no Landlock, or one before its third version, which lets files be cut. */
bool confine_files(void);
