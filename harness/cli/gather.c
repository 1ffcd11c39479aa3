/* SPDX-License-Identifier: Apache-2.0 */
/* gather: the tables of the branches, and what this binary was linked with. */
#include "harness/cli/gather.h"

#include "harness/base/process.h"
#include "models/models.h"
#include "search/searchers.h"
#include "targets/cpu/codegen.h"
#include "targets/targets.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <protobuf-c/protobuf-c.h>
#include <sqlite3.h>
#include <unistd.h>
#include <yaml.h>
#ifdef HAVE_XGBOOST
#include <xgboost/c_api.h>
#endif
#ifdef HAVE_PAPI
#include <papi.h>
#endif
#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

struct registry gather_registry(void)
{
    return (struct registry){.searchers = searchers_table(),
                             .models = models_table(),
                             .targets = targets_table(),
                             .collectors = collectors_table()};
}

#ifdef HAVE_LLVM
static void print_llvm(void *with)
{
    struct text number = {0};
    struct err why = {0}; /* target cpu tells it */
    (void)with;
    if (codegen_version(&number, &why))
        (void)!write(STDOUT_FILENO, text_str(&number), number.len);
}

/* Asked in a process of its own: LLVM takes 40 MiB and is never unloaded, and a campaign's workers have their own. */
static void put_llvm(cJSON *out)
{
    const struct process_spec spec = {.run = print_llvm, .out = PROCESS_CAPTURE};
    struct process p = {0};
    struct err why = {0};
    if (process_run(&spec, INFINITY, &p, &why) && p.out.len)
        json_put_str(out, "llvm", text_str(&p.out));
    process_close(&p);
}
#endif

cJSON *gather_versions(void)
{
    struct text number = {0};
    cJSON *out = json_object();
    json_put_str(out, "sqlite", sqlite3_libversion());
    json_put_str(out, "libyaml", yaml_get_version_string());
    json_put_str(out, "cjson", cJSON_Version());
    json_put_str(out, "protobuf-c", protobuf_c_version());
#ifdef HAVE_LLVM
    put_llvm(out);
#endif
#ifdef HAVE_XGBOOST
    int a, b, c;
    XGBoostVersion(&a, &b, &c);
    text_clear(&number);
    text_printf(&number, "%d.%d.%d", a, b, c);
    json_put_str(out, "xgboost", text_str(&number));
#endif
#ifdef HAVE_PAPI
    text_clear(&number);
    text_printf(&number, "%d.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION),
                PAPI_VERSION_REVISION(PAPI_VERSION));
    json_put_str(out, "papi", text_str(&number));
#endif
#ifdef HAVE_OPENBLAS
    json_put_str(out, "openblas", openblas_get_config());
#endif
    json_put_str(out, "compiler",
#ifdef __clang__
                 "clang " __clang_version__
#else
                 "gcc " __VERSION__
#endif
    );
    text_free(&number);
    return out;
}

const char *gather_features(void)
{
    return ""
#ifdef HAVE_LLVM
           "+llvm "
#else
           "-llvm "
#endif
#ifdef HAVE_XGBOOST
           "+xgboost "
#else
           "-xgboost "
#endif
#ifdef HAVE_PAPI
           "+papi "
#else
           "-papi "
#endif
#ifdef HAVE_OPENBLAS
           "+openblas "
#else
           "-openblas "
#endif
#ifdef HAVE_ONEDNN
           "+onednn "
#else
           "-onednn "
#endif
#ifdef HAVE_OPENCL
           "+opencl"
#else
           "-opencl"
#endif
        ;
}
