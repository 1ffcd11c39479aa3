/* SPDX-License-Identifier: Apache-2.0 */
/* library_search: libraries are found in the folders where NVIDIA's toolkit and its Python packages have them, and
 * nothing is found that is not there. The library is a copy of a double (tests/doubles). */
#include "targets/cuda/library_search.h"
#include "harness/base/file.h"
#include "targets/cuda/nvrtc.h"
#include "tests/lib/cuda_double.h"
#include "tests/lib/store_fixture.h"
#include "tests/lib/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *below(const char *path)
{
    return fixture_path("%s", path);
}

/* A copy of the double of NVRTC. */
static void put_library(const char *folder, const char *name)
{
    struct err err = {0};
    char *bytes;
    size_t n;
    fixture_must(file_make_dirs(below(folder), &err) && file_read(arena, cuda_double_nvrtc(), 0, &bytes, &n, &err) &&
                     file_write(file_join(arena, below(folder), name), bytes, n, &err),
                 &err);
}

static void put_python(const char *folder)
{
    const char *path = fixture_file(arena_printf(arena, "%s/python3", folder), "#!/bin/sh\n");
    if (chmod(path, 0755))
        bug("no python3");
}

static void found(const char *name, const char *folder, const char *where)
{
    void *library = library_search(name);
    ok(library && str_eq(library_path(library), file_join(arena, below(folder), name)), "%s has the library: %s", where,
       library_path(library));
}

static void test_toolkit(void)
{
    put_library("toolkit/lib64", "libmade_a.so.1");
    put_library("toolkit/extras/CUPTI/lib64", "libmade_b.so.1");
    put_library("other/targets/x86_64-linux/lib", "libmade_c.so.1");
    ok(!library_search("libmade_a.so.1"), "a library in no known folder is not found");
    setenv("CUDA_HOME", below("toolkit"), 1);
    setenv("CUDA_PATH", below("other"), 1);
    found("libmade_a.so.1", "toolkit/lib64", "the folder that CUDA_HOME names");
    found("libmade_b.so.1", "toolkit/extras/CUPTI/lib64", "the folder of CUPTI");
    found("libmade_c.so.1", "other/targets/x86_64-linux/lib", "the folder that CUDA_PATH names");
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
}

static void test_python(void)
{
    static const char PACKAGES[] = "venv/lib/python3.12/site-packages/nvidia/cu13/lib";
    put_library(PACKAGES, "libmade_d.so.1");
    put_library(PACKAGES, "libmade_e.so.1");
    put_library(PACKAGES, "libmade_f.so.1");
    put_python("venv/bin");
    put_library("conda/lib", "libmade_g.so.1");
    setenv("PATH", arena_printf(arena, "/nowhere:%s:/bin", below("venv/bin")), 1);
    found("libmade_d.so.1", PACKAGES, "the environment of python3");
    struct err err = {0};
    if (!file_make_dirs(below("bin"), &err) || symlink(below("venv/bin/python3"), below("bin/python3")))
        bug("no link: %s", err.text);
    setenv("PATH", below("bin"), 1);
    found("libmade_e.so.1", PACKAGES, "the environment that python3 is a link to");
    setenv("PATH", "", 1);
    ok(!library_search("libmade_f.so.1"), "without python3 its packages are not searched");
    setenv("VIRTUAL_ENV", below("venv"), 1);
    found("libmade_f.so.1", PACKAGES, "the environment that VIRTUAL_ENV names");
    setenv("CONDA_PREFIX", below("conda"), 1);
    found("libmade_g.so.1", "conda/lib", "the environment that CONDA_PREFIX names");
    unsetenv("VIRTUAL_ENV");
    unsetenv("CONDA_PREFIX");
}

static bool is_mapped(const char *path)
{
    char line[4096];
    bool is = false;
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && fgets(line, sizeof line, f))
        is = is || strstr(line, path);
    if (f)
        fclose(f);
    return is;
}

static void test_builtins(void)
{
    struct nvrtc v;
    struct err err = {0};
    put_library("apart", "libnvrtc.so.13");
    put_library("apart", "libnvrtc-builtins.so.13.0");
    ok(nvrtc_open(&v, below("apart/libnvrtc.so.13"), 0, &err) && v.major == 13, "an NVRTC that lies apart opens %s",
       err.text);
    ok(is_mapped(below("apart/libnvrtc-builtins.so.13.0")), "what NVRTC opens by name is open already");
}

static void test_problem(void)
{
    fixture_file("broken/lib64/libmade_h.so.1", "no library");
    setenv("CUDA_HOME", below("broken"), 1);
    ok(!library_search("libmade_h.so.1") && strstr(library_problem(), "libmade_h.so.1: file too short"),
       "a library that is there and cannot be loaded has its reason%s", library_problem());
    ok(!library_search("libmade_i.so.1") && !*library_problem(), "the reason is that of the last library");
    unsetenv("CUDA_HOME");
}

int main(void)
{
    unsetenv("CUDA_HOME");
    unsetenv("CUDA_PATH");
    unsetenv("VIRTUAL_ENV");
    unsetenv("CONDA_PREFIX");
    test_toolkit();
    test_python();
    test_builtins();
    ok(!library_search("/nowhere/libmade.so.1") && !*library_problem(), "a path is no name to search for");
    test_problem();
    return done_testing();
}
