/* SPDX-License-Identifier: Apache-2.0 */
/* models: two lines per model: its declaration and its row. */
#include "models/models.h"

extern const struct model model_exec, model_mlp, model_moa, model_pacm, model_random, model_sa, model_tlp;
#ifdef HAVE_XGBOOST
extern const struct model model_xgb;
#endif

static const struct model *const table[] = {
#ifdef HAVE_XGBOOST
    &model_xgb,
#endif
    &model_sa,  &model_pacm, &model_moa, &model_mlp, &model_tlp, &model_random, &model_exec, NULL,
};

const struct model *const *models_table(void)
{
    return table;
}
