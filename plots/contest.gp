# SPDX-License-Identifier: Apache-2.0
# Arms that start from the same records: kernel speedup over the explorer's full run against the arm's own search time, logarithmic
# axes. Blocks: each arm's mean over networks, a point for each k, then the networks with all arms; columns: seconds, kernel
# speedup, its 95 %, k, number of the arm, label.
data = ARG1; out = ARG2; heading = ARG3; folder = ARG4; stamp = ARG5; arms = int(ARG6); forms = ARG9
load folder."/style.gp"
stats data using 1:2 nooutput
blocks = STATS_blocks
bottom = STATS_min_y; top = STATS_max_y
array several[arms]
do for [i=0:arms-1] {
    stats data index i using 3:4 name "BAR" nooutput
    bottom = least(BAR_min_x, bottom); top = most(BAR_max_y, top)
    several[i+1] = BAR_records > 1
}
grey_from = blocks - arms > 1 ? arms : blocks # one network is the mean itself
left = STATS_min_x / 1.3; right = STATS_max_x * 1.3
set logscale xy
set xrange [left : right]
set yrange [low(bottom) / 1.05 : high(top) * 1.05]
eval "set xtics (".ticks(left, right).")"
eval "set ytics (".ticks(low(bottom), high(top)).")"
set key maxrows 6
set xlabel "the arm's own search time, s a network: left is less"
set ylabel "kernel speedup: up is faster"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#909090" dt 2
set title heading noenhanced
do for [form in forms] {
    eval terminal(form, 640, 560)
    plot for [i=grey_from:blocks-1] data index i using 1:2:6 skip 1 with points lc variable pt 7 ps 0.35 notitle, \
        grey_from < blocks ? NaN : 1/0 with points lc rgb "#808080" pt 7 ps 0.35 title (grey_from < blocks ? sprintf("small: each of %d networks", blocks - arms) : ""), \
        for [i=0:arms-1] data index i using 1:2:3:4 skip 1 with yerrorbars lt i+1 lw 1 pt 0 notitle, \
        for [i=0:arms-1] data index i using 1:2 with linespoints lt i+1 lw 1.6 ps 0.9 title columnheader(1) noenhanced, \
        for [i=0:arms-1] data index i using 1:2:(several[i+1] ? sprintf("k=%d", $5) : "") skip 1 with labels left offset 0.7,0.5 font ",9" notitle, \
        for [i=0:(page ? blocks-1 : -1)] data index i using 1:2:7 @hover
    unset output
}
