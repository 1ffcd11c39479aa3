/* SPDX-License-Identifier: Apache-2.0 */
/* gather: the tables of the branches, and what this binary was linked with. */
#include "harness/cli/gather.h"

#include "models/models.h"
#include "search/searchers.h"
#include "targets/targets.h"

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <yaml.h>
#ifdef HAVE_LLVM
#include <llvm-c/Core.h>
#endif
#ifdef HAVE_XGBOOST
#include <xgboost/c_api.h>
#endif
#ifdef HAVE_PAPI
#include <papi.h>
#endif
#ifdef HAVE_OPENBLAS
#include <cblas.h>
#endif

struct registry gather_kit(void)
{
    return (struct registry){.searchers = searchers_table(),
                             .models = models_table(),
                             .targets = targets_table(),
                             .collectors = collectors_table()};
}

void gather_versions(struct text *out)
{
    text_printf(out, "\"sqlite\": \"%s\", \"libyaml\": \"%s\", \"cjson\": \"%s\"", sqlite3_libversion(),
                yaml_get_version_string(), cJSON_Version());
#ifdef HAVE_LLVM
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    text_printf(out, ", \"llvm\": \"%u.%u.%u\"", major, minor, patch);
#endif
#ifdef HAVE_XGBOOST
    int a, b, c;
    XGBoostVersion(&a, &b, &c);
    text_printf(out, ", \"xgboost\": \"%d.%d.%d\"", a, b, c);
#endif
#ifdef HAVE_PAPI
    text_printf(out, ", \"papi\": \"%d.%d.%d\"", PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION),
                PAPI_VERSION_REVISION(PAPI_VERSION));
#endif
#ifdef HAVE_OPENBLAS
    text_add(out, ", \"openblas\": ");
    text_json(out, openblas_get_config());
#endif
    text_printf(out, ", \"compiler\": \"%s\"",
#ifdef __clang__
                "clang " __clang_version__
#else
                "gcc " __VERSION__
#endif
    );
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
           "+onednn"
#else
           "-onednn"
#endif
        ;
}
