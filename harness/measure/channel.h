/* SPDX-License-Identifier: Apache-2.0 */
/* channel: framed messages over a socket pair between the parent and its workers, or over pipes (of sshd) to another
 * machine. A message is a kind and a packet; a packet is a row of values that is read back in the order it was written.
 * Both ends are one binary on machines of one kind: no byte order, no versions. A packet that does not fit its reader
 * is marked broken, never read past its end. Each message carries a number: that of an answer is that of its request,
 * so that an answer which nobody asked for is distinguished from one that was. */
#pragma once
#include "harness/base/text.h"
#include "harness/plug/sample.h"

#include <stdbool.h>
#include <stdint.h>

struct packet {
    struct text bytes;
    size_t at;       /* reading position */
    bool broken;     /* a read went past the end */
    uint64_t number; /* sent with the message, and set by one that is received; packet_clear keeps it */
};
void packet_free(struct packet *p);
void packet_clear(struct packet *p);
void packet_int(struct packet *p, int64_t v);
void packet_real(struct packet *p, double v);
void packet_bytes(struct packet *p, const void *from, size_t n);
void packet_str(struct packet *p, const char *s); /* NULL is sent as "" */
int64_t packet_get_int(struct packet *p);         /* 0 when broken */
double packet_get_real(struct packet *p);
const void *packet_get_bytes(struct packet *p, size_t *n);    /* inside the packet, not aligned; NULL when broken */
const char *packet_get_str(struct packet *p);                 /* inside the packet, 0-terminated; "" when broken */
void packet_sample(struct packet *p, const struct sample *s); /* without its score */
/* False: it is cut short, or no measurer of ours gives such a one. */
bool packet_get_sample(struct packet *p, struct sample *out);

enum channel_status {
    CHANNEL_OK,
    CHANNEL_CLOSED, /* the other end is gone */
    CHANNEL_LATE,   /* the deadline passed */
    CHANNEL_FORGED  /* no message of ours: of an impossible length; worker_handle: that nobody asked for */
};
#define CHANNEL_FOREVER 1e300
bool channel_pair(int fds[2]); /* close-on-exec */
/* deadline: in clock_now() seconds. After anything but OK the stream may stand in the middle of a message: close it. */
enum channel_status channel_send(int fd, int kind, const struct packet *p, double deadline);
enum channel_status channel_receive(int fd, int *kind, struct packet *p, double deadline);
/* Exactly n bytes, without a header. */
enum channel_status channel_take(int fd, void *to, size_t n, double deadline);
/* Waits until one of n descriptors (-1: skipped) can be read; its index, or -1 when the deadline passed. A readable one
 * is preferred to a passed deadline, so that a stopped and continued parent does not take an answer for a time-out. */
int channel_wait(const int *fds, int n, double deadline);
/* Descriptors as ancillary data: up to 4. */
bool channel_send_fds(int fd, const int *fds, int n);
bool channel_receive_fds(int fd, int *fds, int n);
