/* SPDX-License-Identifier: Apache-2.0 */
/* link: the connection to the program that measures on a remote machine. It is made anew when it is lost, and the
 * request in flight is made again. */
#pragma once
#include "harness/measure/channel.h"
#include "harness/measure/remote/ssh.h"
#include "harness/measure/remote/wire.h"

struct link {
    const struct remote_host *host;
    const struct measure_options *options;
    struct arena *arena; /* emptied with every connection */
    struct ssh ssh;
    bool open;
    bool lost;       /* given up, or not to be believed: why has the reason of all that follows */
    double since;    /* when it was lost; 0: an answer has come since */
    uint64_t number; /* of the last request */
    struct packet packet;
    struct err why;
    /* What the remote measurer said when it was opened. */
    struct limits limits;
    int build_workers;
    struct text about; /* JSON object of the host */
};

/* Fails at once where a connection cannot be made. */
MUST_CHECK bool link_open(struct link *l, struct err *err);
void link_close(struct link *l);

struct link_request {
    int kind;
    /* Writes what the request holds into the packet; anew for each connection. NULL: nothing. */
    void (*write)(void *ctx, struct packet *p);
    /* Read the last answer, which is of the same kind (NULL: it holds nothing), and those of WIRE_SAMPLE before it
     * (NULL: there are none). False: nobody of ours wrote it, with the reason. */
    bool (*read)(void *ctx, struct packet *p, struct err *err);
    bool (*read_sample)(void *ctx, struct packet *p, struct err *err);
    void *ctx;
};
/* False: measuring broke on the remote machine, the connection is lost for good (EXIT_INTERRUPTED), or what came was
 * no answer (EXIT_INVALID). */
MUST_CHECK bool link_ask(struct link *l, const struct link_request *r, struct err *err);
/* While an answer is read: asks for no more of a batch. */
void link_stop_batch(struct link *l);
