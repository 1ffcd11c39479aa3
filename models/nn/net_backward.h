/* SPDX-License-Identifier: Apache-2.0 */
/* net_backward: the gradient of a loss by a network's parameters. */
#pragma once
#include "models/nn/net_pass.h"

/* Of the last forward pass: slope[i] is the derivative of a loss by score i; gradient[k] becomes that by parameter k.
 */
void net_backward(struct net_pass *p, const float *slope, float *gradient);
