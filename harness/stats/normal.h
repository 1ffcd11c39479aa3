/* SPDX-License-Identifier: Apache-2.0 */
/* normal: the standard normal distribution, for intervals and for drawing test data. */
#pragma once

/* Phi(z), exact in the lower tail too. */
double normal_cdf(double z);
/* The z with Phi(z) = p, to about 1e-15; -infinity and infinity at 0 and 1, NaN outside. */
double normal_quantile(double p);
/* The z that leaves (1 - confidence) in both tails together: 1.96 for 0.95. */
double normal_two_sided(double confidence);
