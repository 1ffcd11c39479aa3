# SPDX-License-Identifier: Apache-2.0
# One arm at several k, each kernel alike: kernel speedup over the explorer's full run against k, logarithmic axes. Blocks: the
# geometric mean over kernels, what is published, then the kernels; columns: k, kernel speedup, its 95 %, k, 0, label.
# A circle is where a kernel's line begins late: at lower k the arm has no program of it.
data = ARG1; out = ARG2; heading = ARG3; folder = ARG4; stamp = ARG5; paper = int(ARG7); forms = ARG9
load folder."/style.gp"
stats data using 1:2 nooutput
stats data index 0 using 3:4 name "BAR" nooutput
blocks = STATS_blocks
first = 1 + paper
bottom = least(BAR_min_x, STATS_min_y)
top = most(BAR_max_y, STATS_max_y)
set logscale xy
set xrange [STATS_min_x / 1.3 : STATS_max_x * 1.9]
set yrange [low(bottom) / 1.05 : high(top) * 1.05]
set xtics (1, 3, 10, 30, 100, 300, 1000, 3000, 10000)
eval "set ytics (".ticks(low(bottom), high(top)).")"
set xlabel "k: records of the kernel that the arm may see"
set ylabel "kernel speedup: up is faster"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#909090" dt 2
set title heading noenhanced
do for [form in forms] {
    eval terminal(form, 640, 520)
    plot for [i=first:blocks-1] data index i using 1:2 with linespoints lc rgb grey lw 0.8 pt 7 ps 0.25 notitle, \
        NaN with lines lc rgb grey lw 0.8 title sprintf("%d kernels", blocks - first), \
        for [i=first:blocks-1] data index i using 1:($0 == 0 && $1 > STATS_min_x ? $2 : NaN) skip 1 with points lc rgb "#707070" pt 6 ps 0.8 notitle, \
        for [i=1:paper] data index i using 1:2 with linespoints lc rgb paper_colour lw 1.4 dt 2 pt 5 ps 0.6 title columnheader(1) noenhanced, \
        data index 0 using 1:2:3:4 skip 1 with yerrorbars lc rgb red lw 1.2 pt 0 notitle, \
        data index 0 using 1:2 with linespoints lc rgb red lw 2.2 pt 7 ps 0.8 title columnheader(1) noenhanced, \
        for [i=0:(page ? blocks-1 : -1)] data index i using 1:2:7 @hover
    unset output
}
