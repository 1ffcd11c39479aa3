# SPDX-License-Identifier: Apache-2.0
# One arm at several k: kernel speedup against search speedup, both over the explorer's full run on logarithmic axes, and the same
# against k. Blocks: the mean, what is published, then the networks; columns: search speedup, kernel speedup, its 95 %, k, arm,
# label.
data = ARG1; out = ARG2; heading = ARG3; folder = ARG4; stamp = ARG5; paper = int(ARG7); forms = ARG9
load folder."/style.gp"
stats data using 1:2 nooutput
stats data using 5 name "K" nooutput
stats data index 0 using 3:4 name "BAR" nooutput
blocks = STATS_blocks
first = 1 + paper
bottom = least(BAR_min_x, STATS_min_y)
top = most(BAR_max_y, STATS_max_y)
left = low(STATS_min_x) / 1.15; right = high(STATS_max_x) * 1.2
set logscale xy
set yrange [low(bottom) / 1.05 : high(top) * 1.05]
eval "set ytics (".ticks(low(bottom), high(top)).")"
set ylabel "kernel speedup: up is faster"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#909090" dt 2
networks = 'for [i=first:blocks-1] data index i using x:2 with linespoints lc rgb grey lw 0.8 pt 7 ps 0.25 notitle, NaN with lines lc rgb grey lw 0.8 title sprintf("%d networks", blocks - first)'
published = 'for [i=1:paper] data index i using x:2 with linespoints lc rgb paper_colour lw 1.4 dt 2 pt 5 ps 0.6 title columnheader(1) noenhanced'
mean = 'data index 0 using x:2:3:4 skip 1 with yerrorbars lc rgb red lw 1.2 pt 0 notitle, data index 0 using x:2 with linespoints lc rgb red lw 2.2 pt 7 ps 0.8 title columnheader(1) noenhanced'
labels = 'for [i=1:paper] data index i using 1:2:(sprintf("%d", $5)) skip 1 with labels left offset 0.4,0.5 font ",9" tc rgb paper_colour notitle, data index 0 using 1:2:(sprintf("k=%d", $5)) skip 1 with labels right offset -0.7,-0.6 font ",11" tc rgb red notitle'
labelled = 'for [i=0:(page ? blocks-1 : -1)] data index i using x:2:7 '.hover
do for [form in forms] {
    eval terminal(form, 640, 940)
    set multiplot layout 2,1 title (page ? "" : heading.": after the first k records of each kernel\n") noenhanced
    x = 1
    set xrange [left : right]
    eval "set xtics (".ticks(left, right).")"
    set xlabel "search speedup on the wall clock: right is less search"
    set arrow 2 from first 1, graph 0 to first 1, graph 1 nohead lc rgb "#909090" dt 2
    eval "plot ".networks.", ".published.", ".mean.", ".labels.", ".labelled
    unset arrow 2
    x = 5
    set xrange [K_min / 1.3 : K_max * 1.3]
    set xtics (1, 3, 10, 30, 100, 300, 1000, 3000, 10000)
    set xlabel "k: records of each kernel that the arm may see"
    unset key
    eval "plot ".networks.", ".published.", ".mean.", ".labelled
    set key
    unset multiplot
    unset output
}
