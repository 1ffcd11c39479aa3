/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_contention: what other programs, and the hypervisor, took of the CPU time of the processors that this process
 * may use, while something ran here (load and steal time). What this process used, its children and theirs, is not the
 * others'. By Linux's /proc. */
#pragma once

#define CPU_CONTENTION_MOST 0.05 /* the share above which the times of a campaign's searches do not count */

struct cpu_contention { /* CPU seconds */
    double others_s, stolen_s;
    double whole_s; /* what these processors had, idle or not; 0: not known, then all are */
};
struct cpu_contention_mark {
    double busy_s, stolen_s, whole_s; /* of these processors since boot; whole_s 0: not known */
    double own_s;                     /* of this process and its descendants, dead ones too */
};
struct cpu_contention_mark cpu_contention_mark(void);
/* Since then. Readings are rounded to clock ticks: small ones may be negative, and sums come out right. */
struct cpu_contention cpu_contention_since(const struct cpu_contention_mark *m);
/* Share of whole_s that went to others and to the host, at least 0; NAN: not known. */
double cpu_contention_share(const struct cpu_contention *c);
