# SPDX-License-Identifier: Apache-2.0
# Kernel speedup against search speedup of DPAnsor-k over the full Ansor run, one labelled point per k (both axes logarithmic).
# Called by `raingauge report table3 --write` with data, out and heading set; blocks of the data file: mean, paper, networks.
if (!exists("data")) data = "results/table3/short/figure.dat"
if (!exists("out")) out = "table3"
if (!exists("heading")) heading = "table3"
stats data using 1:2 nooutput
blocks = STATS_blocks
set logscale xy
set grid
set key outside right top samplen 2
set xlabel "search speedup over full Ansor (summed record cost; right is less search)"
set ylabel "kernel speedup over full Ansor (kernel sums; up is faster)"
set title "Droplet from the best of Ansor's first k records, by k: ".heading noenhanced
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#888888" dt 2
set arrow 2 from first 1, graph 0 to first 1, graph 1 nohead lc rgb "#888888" dt 2
set xtics (0.5, 1, 2, 3, 5, 10, 20, 50, 100)
set ytics (0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.5, 2, 3)
set offsets graph 0.05, graph 0.05, graph 0.08, graph 0.08
draw = 'plot for [i=2:blocks-1] data index i using 1:2 with linespoints lw 1 pt 6 ps 0.6 title columnheader(1) noenhanced, data index 1 using 1:2 with linespoints lc rgb "#999999" lw 2 pt 5 ps 0.8 title columnheader(1) noenhanced, "" index 1 using 1:2:(sprintf("%d", $3)) skip 1 with labels offset 0,-0.9 font ",9" tc rgb "#777777" notitle, data index 0 using 1:2 with linespoints lc rgb "#c03000" lw 3 pt 7 ps 1.1 title columnheader(1) noenhanced, "" index 0 using 1:2:(sprintf("k=%d", $3)) skip 1 with labels offset 0,0.9 font ",10" tc rgb "#c03000" notitle'
set terminal svg size 1000,640 font "Helvetica,12" background "white"
set output out.".svg"
eval draw
set terminal pngcairo size 1400,900 font "Helvetica,13"
set output out.".png"
eval draw
