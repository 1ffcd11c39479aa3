# SPDX-License-Identifier: Apache-2.0
# Kernel by kernel: DPAnsor's winner over Ansor's, from the search records (hollow) and from launches of fresh processes (filled:
# red when the t-test tells them apart). Logarithmic ordinate. Called by `raingauge report variance --write` with data, out and
# heading set; a block of the data file for each network.
if (!exists("data")) data = "results/variance/short/figure.dat"
if (!exists("out")) out = "variance"
if (!exists("heading")) heading = "variance"
stats data using 1:2 nooutput
blocks = STATS_blocks
low(v) = v < 1 ? v : 1
high(v) = v > 1 ? v : 1
set logscale y
set yrange [low(STATS_min_y) / 1.3 : high(STATS_max_y) * 1.3]
set xrange [0.5 : STATS_max_x + 0.5]
set grid
set xtics 1
set xlabel "kernel"
set ylabel "Ansor's time / DPAnsor's: further up, DPAnsor is faster"
set ytics (0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 2, 3, 5)
set key top right
draw = 'data index i using 1:2 skip 1 with points lc rgb "#808080" pt 6 ps 1.2 title "search records", "" index i using 1:($4 == 0 ? $3 : NaN) skip 1 with points lc rgb "#3060a0" pt 7 ps 0.9 title "launches, not told apart", "" index i using 1:($4 == 1 ? $3 : NaN) skip 1 with points lc rgb "#c03000" pt 7 ps 0.9 title "launches, p at most 0.05"'
do for [form = 0:1] {
    if (form == 0) { set terminal svg size 1000, 380 * blocks + 60 font "Helvetica,12" background "white"; set output out.".svg" }
    if (form == 1) { set terminal pngcairo size 1400, 520 * blocks + 80 font "Helvetica,13"; set output out.".png" }
    set multiplot layout blocks, 1 title "Winners kernel by kernel: ".heading noenhanced
    do for [i = 0:blocks - 1] {
        set title system(sprintf("grep -v '^[0-9]' '%s' | grep . | sed -n %dp | tr -d '\"'", data, i + 1)) noenhanced
        set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#888888" dt 2
        eval "plot ".draw
    }
    unset multiplot
}
