/* SPDX-License-Identifier: Apache-2.0 */
/* remote: measuring on another machine. The functions are those of measure.h, which calls them when the options name a
 * host; what they do there is what measure.h does here, by the same code (server.h). */
#pragma once
#include "harness/base/cpu_contention.h"
#include "harness/measure/measured_batch.h"
#include "harness/measure/remote/wire.h"

struct remote;
MUST_CHECK bool remote_open(const struct measure_options *o, struct remote **out, struct limits *limits,
                            struct err *err);
/* When the connection is lost, the candidates without a sample are measured again. */
MUST_CHECK bool remote_batch(struct remote *r, struct measured_batch *b, struct err *err);
MUST_CHECK bool remote_again(struct remote *r, const struct candidate *c, const struct regime *regime,
                             struct sample *out, struct err *err);
MUST_CHECK bool remote_count(struct remote *r, const struct candidate *c, const struct regime *regime,
                             struct counter_list *out, struct sample *s, struct err *err);
MUST_CHECK bool remote_sliced(struct remote *r, struct sliced_run *run, struct err *err);
double remote_peak_flops(struct remote *r); /* 0: the connection is lost, too */
int remote_build_workers(const struct remote *r);
void remote_describe(struct remote *r, cJSON *object);
cJSON *remote_host_about(const struct remote *r);          /* its host.h as JSON */
struct cpu_contention remote_contention(struct remote *r); /* all 0: not known */
void remote_close(struct remote *r);
