/* SPDX-License-Identifier: Apache-2.0 */
/* channel: stream sockets, a header of kind and length, then the packet. */
#include "harness/measure/channel.h"

#include "harness/base/clock.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CHANNEL_FDS = 4, WAIT_MAX = 514 };
#define MESSAGE_MAX (UINT64_C(1) << 30)

struct header {
    uint64_t n, number;
    int64_t kind;
};

void packet_free(struct packet *p)
{
    text_free(&p->bytes);
    *p = (struct packet){.number = p->number};
}

void packet_clear(struct packet *p)
{
    text_clear(&p->bytes);
    p->at = 0;
    p->broken = false;
}

void packet_int(struct packet *p, int64_t v)
{
    text_addn(&p->bytes, (const char *)&v, sizeof v);
}

void packet_real(struct packet *p, double v)
{
    text_addn(&p->bytes, (const char *)&v, sizeof v);
}

void packet_bytes(struct packet *p, const void *from, size_t n)
{
    packet_int(p, (int64_t)n);
    if (n)
        text_addn(&p->bytes, from, n);
}

void packet_str(struct packet *p, const char *s)
{
    packet_bytes(p, s ? s : "", s ? strlen(s) + 1 : 1);
}

static const char *packet_take(struct packet *p, size_t n)
{
    if (p->broken || n > p->bytes.len - p->at) {
        p->broken = true;
        return NULL;
    }
    const char *from = p->bytes.s + p->at;
    p->at += n;
    return from;
}

int64_t packet_get_int(struct packet *p)
{
    int64_t v = 0;
    const char *from = packet_take(p, sizeof v);
    if (from)
        memcpy(&v, from, sizeof v);
    return v;
}

double packet_get_real(struct packet *p)
{
    double v = 0;
    const char *from = packet_take(p, sizeof v);
    if (from)
        memcpy(&v, from, sizeof v);
    return v;
}

const void *packet_get_bytes(struct packet *p, size_t *n)
{
    int64_t size = packet_get_int(p);
    *n = 0;
    if (size < 0)
        p->broken = true;
    const char *from = packet_take(p, (size_t)size);
    if (from)
        *n = (size_t)size;
    return from;
}

const char *packet_get_str(struct packet *p)
{
    size_t n;
    const char *s = packet_get_bytes(p, &n);
    if (s && n && s[n - 1] == 0)
        return s;
    p->broken = true;
    return "";
}

void packet_sample(struct packet *p, const struct sample *s)
{
    packet_int(p, s->outcome);
    packet_str(p, s->message);
    packet_bytes(p, s->seconds, sizeof *s->seconds * (size_t)s->nseconds);
#define X(name, below_0) packet_real(p, s->name);
    SAMPLE_NUMBERS(X)
#undef X
}

bool packet_get_sample(struct packet *p, struct sample *out)
{
    size_t n;
    int64_t outcome = packet_get_int(p);
    *out = (struct sample){.outcome = OUTCOME_WRONG_ANSWER, .model_score = NAN};
    snprintf(out->message, sizeof out->message, "%.199s", packet_get_str(p));
    const void *seconds = packet_get_bytes(p, &n);
    bool fine = outcome >= 0 && outcome < OUTCOME_COUNT && n % sizeof *out->seconds == 0 &&
                n <= (outcome == OUTCOME_OK ? sizeof out->seconds : 0);
    if (fine) {
        out->outcome = (enum outcome)outcome;
        out->nseconds = (int)(n / sizeof *out->seconds);
        for (int i = 0; i < out->nseconds; i++) {
            memcpy(&out->seconds[i], (const char *)seconds + i * sizeof *out->seconds, sizeof *out->seconds);
            fine = fine && out->seconds[i] >= 0 && isfinite(out->seconds[i]);
        }
    }
#define X(name, below_0)                                                                                               \
    out->name = packet_get_real(p);                                                                                    \
    fine = fine && isfinite(out->name) && (below_0 || out->name >= 0);
    SAMPLE_NUMBERS(X)
#undef X
    return fine && !p->broken;
}

bool channel_pair(int fds[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0;
}

static int milliseconds_left(double deadline)
{
    double left = (deadline - clock_now()) * 1e3;
    if (left <= 0)
        return 0;
    return left > 1e6 ? 1000000 : (int)left + 1;
}

/* OK when the descriptor is ready for events (or has failed, which the following call will tell). */
static enum channel_status channel_ready(int fd, short events, double deadline)
{
    for (;;) {
        struct pollfd one = {.fd = fd, .events = events};
        int left = milliseconds_left(deadline);
        int n = poll(&one, 1, left);
        if (n > 0)
            return CHANNEL_OK;
        if (n < 0 && errno != EINTR)
            return CHANNEL_CLOSED;
        if (n == 0 && left == 0)
            return CHANNEL_LATE;
    }
}

enum channel_status channel_send(int fd, int kind, const struct packet *p, double deadline)
{
    size_t len = p ? p->bytes.len : 0;
    struct header h = {.n = len, .number = p ? p->number : 0, .kind = kind};
    size_t done = 0, all = sizeof h + len;
    while (done < all) {
        struct iovec part[2] = {{&h, sizeof h}, {len ? p->bytes.s : NULL, len}};
        struct iovec *from = part;
        int parts = len ? 2 : 1;
        if (done >= sizeof h) {
            part[1].iov_base = p->bytes.s + (done - sizeof h);
            part[1].iov_len = all - done;
            from = part + 1;
            parts = 1;
        } else {
            part[0].iov_base = (char *)&h + done;
            part[0].iov_len = sizeof h - done;
        }
        enum channel_status ready = channel_ready(fd, POLLOUT, deadline);
        if (ready != CHANNEL_OK)
            return ready;
        struct msghdr message = {.msg_iov = from, .msg_iovlen = (size_t)parts};
        ssize_t n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == ENOTSOCK)
            n = writev(fd, from, parts);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return CHANNEL_CLOSED;
        done += n > 0 ? (size_t)n : 0;
    }
    return CHANNEL_OK;
}

enum channel_status channel_take(int fd, void *to, size_t n, double deadline)
{
    for (size_t done = 0; done < n;) {
        enum channel_status ready = channel_ready(fd, POLLIN, deadline);
        if (ready != CHANNEL_OK)
            return ready;
        ssize_t got = recv(fd, (char *)to + done, n - done, MSG_DONTWAIT);
        if (got < 0 && errno == ENOTSOCK) /* a pipe: of sshd */
            got = read(fd, (char *)to + done, n - done);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return CHANNEL_CLOSED;
        done += got > 0 ? (size_t)got : 0;
    }
    return CHANNEL_OK;
}

/* The text grows with what has come, so that a wild length cannot take memory that was never sent. */
enum channel_status channel_receive(int fd, int *kind, struct packet *p, double deadline)
{
    struct header h;
    packet_clear(p);
    enum channel_status status = channel_take(fd, &h, sizeof h, deadline);
    if (status != CHANNEL_OK)
        return status;
    if (h.n > MESSAGE_MAX)
        return CHANNEL_FORGED;
    *kind = (int)h.kind;
    p->number = h.number;
    char part[1 << 16];
    for (size_t left = h.n; left > 0;) {
        size_t n = left < sizeof part ? left : sizeof part;
        status = channel_take(fd, part, n, deadline);
        if (status != CHANNEL_OK)
            return status;
        text_addn(&p->bytes, part, n);
        left -= n;
    }
    return CHANNEL_OK;
}

int channel_wait(const int *fds, int n, double deadline)
{
    struct pollfd all[WAIT_MAX];
    if (n > WAIT_MAX)
        n = WAIT_MAX;
    for (int i = 0; i < n; i++)
        all[i] = (struct pollfd){.fd = fds[i], .events = POLLIN}; /* poll skips negative descriptors */
    for (;;) {
        int left = milliseconds_left(deadline);
        int ready = poll(all, (nfds_t)n, left);
        for (int i = 0; ready > 0 && i < n; i++)
            if (all[i].revents)
                return i;
        if (ready == 0 && left == 0)
            return -1;
    }
}

bool channel_send_fds(int fd, const int *fds, int n)
{
    char byte = 0;
    union {
        char room[CMSG_SPACE(CHANNEL_FDS * sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = CMSG_SPACE((size_t)n * sizeof(int))};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
    memcpy(CMSG_DATA(c), fds, (size_t)n * sizeof(int));
    ssize_t sent;
    do
        sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

bool channel_receive_fds(int fd, int *fds, int n)
{
    char byte;
    union {
        char room[CMSG_SPACE(CHANNEL_FDS * sizeof(int))];
        struct cmsghdr align;
    } control = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    ssize_t got;
    do
        got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *c = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!c || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN((size_t)n * sizeof(int)))
        return false;
    memcpy(fds, CMSG_DATA(c), (size_t)n * sizeof(int));
    return true;
}
