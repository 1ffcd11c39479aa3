# SPDX-License-Identifier: Apache-2.0
# The trend of nightly runs: each series' time over that of its first night (logarithmic; up is slower), pinned programs above,
# searches and their cost a trial below. A block a series: night, ratio, state (0 good, 1 confirmed slower, 2 machine changed, 3
# other), date, panel (1 or 2), accepted (0 or 1). Called by `raingauge nightly` with data, out and heading. Nights that went
# red are marked at the foot, an accepted night begins at a vertical line; the grey band is the least change that can alarm, 3 %.
data = ARG1; out = ARG2; heading = ARG3
NAMED = 12 # series with a colour and a name; more are grey
stats data using 1:2 nooutput
blocks = STATS_blocks
first = STATS_min_x
last = STATS_max_x
low = STATS_min_y < 0.95 ? STATS_min_y / 1.03 : 0.92
high = STATS_max_y > 1.05 ? STATS_max_y * 1.03 : 1.09
span = last > first ? last - first : 1
step = span > 20 ? ceil(span / 20.0) : 1
foot = low / (high / low) ** 0.04
array names[2] = ["", ""]
array others[2] = ["", ""]
do for [i = 0:blocks-1] {
    stats data index i using 5 nooutput
    p = int(STATS_min)
    if (words(names[p]) < NAMED) { names[p] = names[p]." ".i } else { others[p] = others[p]." ".i }
}
array titles[2] = ["pinned programs", "searches (their best programs; cost of a trial)"]

set logscale y
set xrange [first - 0.04 * span : last + 0.04 * span]
set yrange [low / (high / low) ** 0.08 : high]
set xtics step nomirror scale 0.5
set ytics (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.3, 1.5, 2, 3, 5) nomirror scale 0.5
set border 3 lc rgb "#808080"
set grid y lt 1 lc rgb "#e4e4e4"
set bars small
set linetype 1 lc rgb "#1f6fb4" pt 7
set linetype 2 lc rgb "#d1600a" pt 5
set linetype 3 lc rgb "#2a8f3c" pt 9
set linetype 4 lc rgb "#8a4fb0" pt 13
set linetype 5 lc rgb "#b8860b" pt 11
set linetype 6 lc rgb "#00868b" pt 6
set linetype 7 lc rgb "#c2408f" pt 4
set linetype 8 lc rgb "#6b5a3e" pt 8
set linetype 9 lc rgb "#5a6acf" pt 12
set linetype 10 lc rgb "#7a9a01" pt 10
set linetype 11 lc rgb "#404040" pt 2
set linetype 12 lc rgb "#3fa7d6" pt 1
set linetype cycle 12
set style fill solid 1 noborder
set object 1 rectangle from graph 0, first 1/1.03 to graph 1, first 1.03 fc rgb "#f1f1f1" fs solid noborder behind
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#a0a0a0" lw 1
set key below left Left reverse samplen 2 maxcols 3 font ",9" spacing 1.1

draw(p) = (words(others[p]) ? "for [i in others[".p."]] data index int(i) using 1:2 with lines lc rgb '#bbbbbb' notitle, " : "").\
    "for [i in names[".p."]] data index int(i) using 1:2 with linespoints lw 1.4 ps 0.7 title columnheader(1) noenhanced, ".marks
marks = 'data index 0 using ($3==1 ? $1 : NaN):(foot) with points pt 9 ps 1.6 lc rgb "#c00000" title "night confirmed slower", '.\
    'data index 0 using ($3==2 ? $1 : NaN):(foot) with points pt 5 ps 1.2 lc rgb "#d08000" title "machine changed", '.\
    'data index 0 using ($3==3 ? $1 : NaN):(foot) with points pt 6 ps 1.2 lc rgb "#606060" title "not confirmed, or not whole", '.\
    'data index 0 using ($6==1 ? $1 : NaN):(high) with impulses lc rgb "#909090" lw 1 dt 2 title "accepted: a new normal"'
page = 'set multiplot layout 2,1 title "raingauge nightly, machine ".heading.", night by night" font ",13" noenhanced; '.\
    'do for [p = 1:2] { set title titles[p] font ",11" offset 0,-0.5 noenhanced; '.\
    'if (words(names[p])) { eval "plot ".draw(p) } }; unset multiplot'
set ylabel "time over that of the first night (up: slower)" font ",11"
set terminal svg size 1000,900 font "Helvetica,12" background "white"
set output out.".svg"
eval page
set terminal pngcairo size 1400,1200 font "Helvetica,13"
set output out.".png"
eval page
