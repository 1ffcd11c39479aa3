# SPDX-License-Identifier: Apache-2.0
# Kernel speedup against search speedup of DPAnsor-k over the full Ansor run, one labelled point per k (both axes logarithmic).
# Called by `raingauge report table3 --write` with data, out and heading set; blocks of the data file: mean, paper, networks.
if (!exists("data")) data = "results/table3/short/figure.dat"
if (!exists("out")) out = "table3"
if (!exists("heading")) heading = "table3"
stats data using 1:2 nooutput
blocks = STATS_blocks
low(v) = v < 1 ? v : 1
high(v) = v > 1 ? v : 1
set logscale xy
set xrange [low(STATS_min_x) / 1.15 : high(STATS_max_x) * 1.15]
set yrange [low(STATS_min_y) / 1.15 : high(STATS_max_y) * 1.15]
set grid
set key outside right top vertical Left reverse samplen 2 font ",11"
set linetype cycle 8
set xlabel "search speedup over the full Ansor run (summed record cost): further right, less search"
set ylabel "kernel speedup over the full Ansor run (kernel sums, winners re-timed where they were): further up, faster"
set title "Droplet from the best of Ansor's first k records of each kernel: ".heading noenhanced
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#888888" dt 2
set arrow 2 from first 1, graph 0 to first 1, graph 1 nohead lc rgb "#888888" dt 2
set xtics (0.2, 0.5, 1, 2, 3, 5, 10, 20, 30, 50, 100)
set ytics (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75, 2, 3, 5)
networks = 'for [i=2:blocks-1] data index i using 1:2 with linespoints lw 1 pt (i-2)/8+4 ps 0.7 title columnheader(1) noenhanced'
paper = 'data index 1 using 1:2 with linespoints lc rgb "#808080" lw 2 pt 5 ps 0.9 title columnheader(1) noenhanced, "" index 1 using 1:2:(sprintf("%d", $3)) skip 1 with labels offset 0,-0.9 font ",10" tc rgb "#606060" notitle'
ours = 'data index 0 using 1:2:4:5 skip 1 with yerrorbars lc rgb "#c03000" lw 1.5 pt 0 notitle, data index 0 using 1:2 with linespoints lc rgb "#c03000" lw 3 pt 7 ps 1.2 title columnheader(1) noenhanced, "" index 0 using 1:2:(sprintf("k=%d", $3)) skip 1 with labels left offset 0.9,0.5 font ",11" tc rgb "#c03000" notitle'
set terminal svg size 1000,720 font "Helvetica,12" background "white"
set output out.".svg"
eval "plot ".networks.", ".paper.", ".ours
set terminal pngcairo size 1400,1000 font "Helvetica,13"
set output out.".png"
eval "plot ".networks.", ".paper.", ".ours
