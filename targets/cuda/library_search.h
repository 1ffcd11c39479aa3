/* SPDX-License-Identifier: Apache-2.0 */
/* library_search: finds NVIDIA's libraries where they may lie. Neither the toolkit nor its Python packages tell the
 * loader where they are, and containers mount the driver in a folder of their own. */
#pragma once

/* A handle of dlopen(3); NULL: it is nowhere, or cannot be loaded. name: with its version ("libnvrtc.so.13"), or a
 * path. As the loader finds it (LD_LIBRARY_PATH), else in CUDA's folders (CUDA_HOME, CUDA_PATH, /usr/local/cuda), in
 * those of driver mounts, and in NVIDIA's Python packages: of VIRTUAL_ENV, CONDA_PREFIX, each python3 of PATH, the
 * user, /opt. */
void *library_search(const char *name);
/* The first of several that is found; they end with NULL. Else the problem is that of the first one that has one. */
void *library_search_any(const char *const *names);
/* Why the last one searched for cannot be loaded although it is there (a library that it needs is missing), after ": ";
 * "": it is nowhere. */
const char *library_problem(void);
/* The file that it was opened from; "": not known. */
const char *library_path(void *handle);
/* Opens `name` in the folder that the library lies in, if it is there. For what the library opens by name itself later,
 * and does not look for beside itself: what is open is found. */
void library_beside(void *handle, const char *name);
