/* SPDX-License-Identifier: Apache-2.0 */
/* spawn: execvpe for a program that runs under qemu's user emulator (cross.sh preloads it). raingauge starts
 * itself anew as /proc/self/exe, which is the emulator there: so the emulator is started on the program instead. Its
 * command line, up to the program, is RAINGAUGE_EMULATOR, with blanks between the words. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 24, ARGUMENTS = 40, ENTRIES = 400 };
typedef int exec_function(const char *, char *const[], char *const[]);

/* The environment without what the emulator's own loader would take for itself. */
static void copy_environment(char *const from[], char *to[ENTRIES + 1])
{
    int n = 0;
    for (int i = 0; from[i] && n < ENTRIES; i++)
        if (strncmp(from[i], "LD_PRELOAD=", 11) != 0)
            to[n++] = from[i];
    to[n] = NULL;
}

int execvpe(const char *path, char *const argv[], char *const envp[])
{
    exec_function *next = (exec_function *)dlsym(RTLD_NEXT, "execvpe");
    const char *words = getenv("RAINGAUGE_EMULATOR");
    if (!words || strcmp(path, "/proc/self/exe") != 0)
        return next(path, argv, envp);
    char line[2048], self[2048], *arguments[WORDS + ARGUMENTS + 4], *environment[ENTRIES + 1];
    ssize_t length = readlink(path, self, sizeof self - 1);
    int n = 0;
    errno = ENAMETOOLONG;
    if (length < 0 || snprintf(line, sizeof line, "%s", words) >= (int)sizeof line)
        return -1;
    self[length] = '\0';
    for (char *word = strtok(line, " "); word && n < WORDS; word = strtok(NULL, " "))
        arguments[n++] = word;
    if (n == 0)
        return -1;
    char *const emulator = arguments[0];
    arguments[n++] = "-0";
    arguments[n++] = argv[0];
    arguments[n++] = self;
    for (int i = 1; argv[i] && i < ARGUMENTS; i++)
        arguments[n++] = argv[i];
    arguments[n] = NULL;
    copy_environment(envp, environment);
    return next(emulator, arguments, environment);
}
