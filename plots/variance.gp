# SPDX-License-Identifier: Apache-2.0
# Kernel by kernel, a panel a network: the explorer's time over the arm's, from the search records (hollow) and from launches of
# fresh processes (filled: red when the t-test distinguishes them). Logarithmic ordinate. A block a network; columns: number of the
# kernel, ratio of the records, ratio of the launches, 1 when distinguished, label.
data = ARG1; out = ARG2; heading = ARG3; folder = ARG4; stamp = ARG5; forms = ARG9
load folder."/style.gp"
stats data using 1:2 nooutput
stats data using (valid(3) ? $3 : $2) name "LAUNCH" nooutput
blocks = STATS_blocks
bottom = low(LAUNCH_min < STATS_min_y ? LAUNCH_min : STATS_min_y) / 1.1
top = high(LAUNCH_max > STATS_max_y ? LAUNCH_max : STATS_max_y) * 1.1
set logscale y
set yrange [bottom : top]
set xrange [0.5 : STATS_max_x + 0.5]
set xtics 1
eval "set ytics (".ticks(bottom, top).")"
set xlabel "kernel"
set ylabel "explorer's time / the arm's: up, the arm is faster"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#909090" dt 2
do for [form in forms] {
    eval terminal(form, 640, 340 * blocks + 60)
    set multiplot layout blocks, 1 title (page ? "" : heading.": programs kernel by kernel\n") noenhanced
    do for [i=0:blocks-1] {
        plot data index i using 1:2 with points lc rgb "#808080" pt 6 ps 0.9 title columnheader(1) noenhanced, \
            data index i using 1:($4 == 0 ? $3 : NaN) skip 1 with points lc rgb "#4477aa" pt 7 ps 0.7 title "launches, p above 0.05", \
            data index i using 1:($4 == 1 ? $3 : NaN) skip 1 with points lc rgb red pt 7 ps 0.7 title "launches, p at most 0.05", \
            for [k=i:(page ? i : -1)] data index k using 1:2:5 @hover
    }
    unset multiplot
    unset output
}
