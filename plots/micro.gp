# SPDX-License-Identifier: Apache-2.0
# The micro-kernels, one line a kernel (moved aside a little, so that bars of 95 % over seeds can be told apart): speedup of
# DPAnsor-k over the full Ansor run against k (both axes logarithmic). Called by `raingauge report micro --write` with data, out and
# heading set; a block of the data file for each kernel.
if (!exists("data")) data = "results/micro/short/figure.dat"
if (!exists("out")) out = "micro"
if (!exists("heading")) heading = "micro"
stats data using 1:2 nooutput
blocks = STATS_blocks
low(v) = v < 1 ? v : 1
high(v) = v > 1 ? v : 1
set logscale xy
set yrange [low(STATS_min_y) / 1.1 : high(STATS_max_y) * 1.1]
set xrange [STATS_min_x / 1.2 : STATS_max_x * 1.2]
set grid
set key below center horizontal
set bmargin 6
set xlabel "k: Ansor records of the kernel that the seed is taken from"
set ylabel "kernel speedup over the full Ansor run: further up, faster"
set title "Droplet from the best of Ansor's first k records: ".heading noenhanced
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#888888" dt 2
set xtics (1, 2, 5, 10, 25, 50, 100, 200, 300, 1000)
set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 2, 3, 5)
lines = 'for [i=0:blocks-1] data index i using ($1 * 1.012 ** i):4:(0):($5 - $4) skip 1 with vectors nohead lt i+1 lw 1 notitle, for [i=0:blocks-1] "" index i using ($1 * 1.012 ** i):2 with linespoints lt i+1 lw 2 pt 7 ps 0.9 title columnheader(1) noenhanced'
set terminal svg size 1000,720 font "Helvetica,12" background "white"
set output out.".svg"
eval "plot ".lines
set terminal pngcairo size 1400,1000 font "Helvetica,13"
set output out.".png"
eval "plot ".lines
