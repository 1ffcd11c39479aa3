# SPDX-License-Identifier: Apache-2.0
# Best so far, a panel a network: the sum of the best kernels against `axis`, logarithmic axes; the explorer, or a race's first arm,
# is black, of several seeds the line is the median and the band their range. A block a network and arm, in the order of the panels;
# columns: seconds or trials, ms, least, largest. Loaded by curves.gp and race.gp.
load folder."/style.gp"
rows = words(panels)
columns = rows > 1 ? 2 : 1
lines = (rows + columns - 1) / columns
set logscale xy
set xlabel axis offset 0,0.5
set ylabel "ms" offset 1,0
set key maxrows 5 font ",9"
set linetype 1 lc rgb "#202020"
# With more arms than colours the colours come again, in dashes.
again = "#4477aa #228833 #aa3377 #997700 #117799 #666666 #882255 #44aa99 #332288"
do for [i=1:9] { set linetype (i + 10) lc rgb word(again, i) dt (6, 3) }
set linetype cycle 19
do for [form in forms] {
    eval terminal(form, columns == 1 ? 640 : 900, 300 * lines + 40)
    set multiplot layout lines, columns title heading.": sum of the best kernels so far, as tuned\n" noenhanced
    from = 0
    do for [p=1:rows] {
        n = int(word(panels, p))
        unset logscale
        set xrange [*:*]
        set yrange [*:*]
        stats data index from:from + n - 1 using 1:4 name "S" nooutput
        stats data index from:from + n - 1 using 3 name "LOW" nooutput
        set logscale xy
        set xrange [S_min_x / 1.1 : S_max_x * 1.1]
        set yrange [LOW_min / 1.05 : S_max_y * 1.05]
        eval "set xtics (".ticks(S_min_x, S_max_x).")"
        eval "set ytics (".ticks(LOW_min, S_max_y).")"
        plot for [i=from:from+n-1] data index i using 1:3:4 skip 1 with filledcurves lt i-from+1 fs transparent solid 0.15 noborder notitle, \
            for [i=from:from+n-1] data index i using 1:2 with lines lt i-from+1 lw (i == from ? 2 : 1.2) title columnheader(1) noenhanced
        from = from + n
    }
    unset multiplot
    unset output
}
