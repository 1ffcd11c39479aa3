/* SPDX-License-Identifier: Apache-2.0 */
/* confine_files: the rights that the system's version knows are taken, and given back below the folders that are
 * allowed. */
#include "harness/base/confine/confine_files.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(SYS_landlock_create_ruleset) && __has_include(<linux/landlock.h>)
#include <linux/landlock.h>

static const char *const WRITABLE[] = {"/dev", "/proc/self", NULL};

/* The version since which cutting a file is a right of its own. */
enum { CUTTING = 3 };

static uint64_t rights_of(long version)
{
    uint64_t all = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                   LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                   LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                   LANDLOCK_ACCESS_FS_MAKE_SYM;
    const uint64_t truncate = UINT64_C(1) << 14;
    return version >= CUTTING ? all | truncate : all;
}

static bool allow_writing(int rules, const char *folder)
{
    int at = open(folder, O_PATH | O_CLOEXEC);
    if (at < 0)
        return true;
    struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE, .parent_fd = at};
    bool fine = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(at);
    return fine;
}

bool confine_files(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct landlock_ruleset_attr wanted = {.handled_access_fs = rights_of(version)};
    int rules = version < 1 ? -1 : (int)syscall(SYS_landlock_create_ruleset, &wanted, sizeof(uint64_t), 0);
    bool fine = rules >= 0;
    for (int i = 0; fine && WRITABLE[i]; i++)
        fine = allow_writing(rules, WRITABLE[i]);
    fine = fine && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    if (rules >= 0)
        close(rules);
    return fine && version >= CUTTING;
}
#else
bool confine_files(void)
{
    return false;
}
#endif
