# SPDX-License-Identifier: Apache-2.0
# What conditions do to the same programs: a row a condition, its mean speedup and 95 %, logarithmic abscissa. A block a
# condition; columns: speedup, low, high, 1 when by fresh launches, label.
data = ARG1; out = ARG2; heading = ARG3; folder = ARG4; stamp = ARG5; forms = ARG9
load folder."/style.gp"
stats data using 2:3 nooutput
blocks = STATS_blocks
left = low(STATS_min_x) / 1.05
right = high(STATS_max_y) * 1.05
set logscale x
set xrange [left : right]
set yrange [-blocks + 0.5 : 0.5]
eval "set xtics (".ticks(left, right).")"
set ytics noenhanced
set xlabel "kernel speedup: right is faster"
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lc rgb "#909090" dt 2
unset key
set title heading noenhanced
do for [form in forms] {
    eval terminal(form, 640, 130 + 40 * blocks)
    plot for [i=0:blocks-1] data index i using 1:(-i):2:3:yticlabel(columnheader(1)) with xerrorbars lc rgb "#4477aa" lw 1.6 pt 7 ps 0, \
        for [i=0:blocks-1] data index i using ($4 == 1 ? $1 : NaN):(-i) skip 1 with points lc rgb "#4477aa" pt 7 ps 0.9, \
        for [i=0:blocks-1] data index i using ($4 == 0 ? $1 : NaN):(-i) skip 1 with points lc rgb "#4477aa" pt 6 ps 0.9, \
        for [i=0:(page ? blocks-1 : -1)] data index i using 1:(-i):5 @hover
    unset output
}
