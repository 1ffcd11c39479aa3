# SPDX-License-Identifier: Apache-2.0
# Droplet's acceptance test: kernel speedup over the explorer's full run against the cost of exploiting (both axes logarithmic).
# Filled: the better of what was found and the seed, re-timed where there was a shoot-out; hollow: what the exploiter found itself.
# Called by `raingauge report threshold --write` with data, out and heading set; blocks of the data file: all networks, then each
# network.
if (!exists("data")) data = "results/threshold/short/figure.dat"
if (!exists("out")) out = "threshold"
if (!exists("heading")) heading = "threshold"
stats data index 0 using 1:2 nooutput
stats data index 0 using 3 name "OWN" nooutput
stats data index 0 using 5:6 name "BAR" nooutput
low(v) = v < 1 ? v : 1
high(v) = v > 1 ? v : 1
set logscale xy
set xrange [STATS_min_x / 1.5 : STATS_max_x * 2.5]
bottom = STATS_min_y < OWN_min ? STATS_min_y : OWN_min
# Intervals of few seeds may be so wide that nothing else could be read: they are cut beyond a factor of 1.5.
least = BAR_min_x < bottom / 1.5 ? bottom / 1.5 : (BAR_min_x < bottom ? BAR_min_x : bottom)
most = BAR_max_y > STATS_max_y * 1.5 ? STATS_max_y * 1.5 : (BAR_max_y > STATS_max_y ? BAR_max_y : STATS_max_y)
set yrange [low(least) / 1.1 : high(most) * 1.1]
set grid
set key below
set bmargin 6
set xlabel "cost of exploitation alone, summed record cost in seconds (all kernels): further left, less search"
set ylabel "kernel speedup over the explorer's full run: further up, faster"
set title "Droplet's acceptance test: ".heading noenhanced
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#888888" dt 2
set ytics (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 2, 3, 5)
set xtics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000)
shown = 'data index 0 using 1:3 skip 1 with points lc rgb "#808080" pt 6 ps 1.3 title "own records", "" index 0 using 1:5:(0):($6 - $5) skip 1 with vectors nohead lc rgb "#c03000" lw 1 title "its 95 %", "" index 0 using 1:2 skip 1 with points lc rgb "#c03000" pt 7 ps 1.3 title "with the seed", "" index 0 using 1:2:4 skip 1 with labels left offset 0.6,0.4 rotate by 25 font ",10" noenhanced notitle'
set terminal svg size 1000,720 font "Helvetica,12" background "white"
set output out.".svg"
eval "plot ".shown
set terminal pngcairo size 1400,1000 font "Helvetica,13"
set output out.".png"
eval "plot ".shown
