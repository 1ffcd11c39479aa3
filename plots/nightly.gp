# SPDX-License-Identifier: Apache-2.0
# The trend of nightly runs: each series' time over that of its first night (logarithmic; up is slower), a block a series:
# night, ratio, state (0 good, 1 confirmed slower, 2 machine changed, 3 other), date. Called by `raingauge nightly` with data, out
# and heading set. Nights that went red are marked below.
if (!exists("data")) data = "trend-host.dat"
if (!exists("out")) out = "trend-host"
if (!exists("heading")) heading = "host"
stats data using 1:2 nooutput
blocks = STATS_blocks
first = STATS_min_x
last = STATS_max_x
low = STATS_min_y < 0.95 ? STATS_min_y / 1.03 : 0.92
high = STATS_max_y > 1.05 ? STATS_max_y * 1.03 : 1.09
span = last > first ? last - first : 1
step = span > 20 ? ceil(span / 20.0) : 1
set logscale y
set xrange [first - 0.04 * span : last + 0.04 * span]
set yrange [low / (high / low) ** 0.08 : high]
set xtics step
set ytics (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.3, 1.5, 2, 3, 5)
set grid y
set key below left Left reverse samplen 2 maxrows 12 font ",9"
unset xlabel
set ylabel "time over that of the first night (up: slower)"
set title "raingauge nightly, machine ".heading.", night by night" noenhanced
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#888888" dt 2
foot = low / (high / low) ** 0.04
series = 'for [i=0:blocks-1] data index i using 1:2 with linespoints lw 1.5 pt 7 ps 0.6 title columnheader(1) noenhanced'
red = 'data index 0 using ($3==1 ? $1 : NaN):(foot) with points pt 9 ps 1.6 lc rgb "#c00000" title "confirmed slower"'
moved = 'data index 0 using ($3==2 ? $1 : NaN):(foot) with points pt 5 ps 1.3 lc rgb "#d08000" title "machine changed"'
other = 'data index 0 using ($3==3 ? $1 : NaN):(foot) with points pt 6 ps 1.2 lc rgb "#606060" title "not confirmed, or not whole"'
set terminal svg size 1000,640 font "Helvetica,12" background "white"
set output out.".svg"
eval "plot ".series.", ".red.", ".moved.", ".other
set terminal pngcairo size 1400,900 font "Helvetica,13"
set output out.".png"
eval "plot ".series.", ".red.", ".moved.", ".other
