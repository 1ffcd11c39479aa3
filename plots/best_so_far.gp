# SPDX-License-Identifier: Apache-2.0
# Best so far, a panel a network: the sum of the best kernels against `axis`, logarithmic axes; the explorer, or a race's first arm,
# is black, of several seeds the line is the median and the band their range. Blocks of each panel: the network and what the first arm
# ends with (dotted; 0: not known), then each of the arms; columns: seconds or trials, ms, least, largest, and at a line's end 1
# and its label. Loaded by curves.gp and race.gp.
load folder."/style.gp"
columns = panels > 1 ? 2 : 1
lines = (panels + columns - 1) / columns
width = columns == 1 ? 640 : 900
across = columns == 1 ? 3 : 4
head = page ? 0 : 30
legend = 22 + 20 * ((arms + across - 1) / across) # height of the legend, which all panels share
height = head + legend + 290 * lines
set xlabel axis offset 0,0.5
set ylabel "ms" offset 1,0
set linetype 1 lc rgb "#202020"
set linetype 11 lc rgb "#c03000"
do for [i=12:21] { set linetype i lc rgb word(again, i - 11) dt (6, 3) }
set lmargin 9
do for [form in forms] {
    eval terminal(form, width, height)
    set multiplot title (page ? "" : heading.": sum of the best kernels so far, as tuned") noenhanced
    set origin 0, 1 - (head + legend + 0.0) / height
    set size 1, (legend + 0.0) / height
    set key center center horizontal maxrows 100 maxcols across font ",11"
    unset arrow
    unset logscale
    set xrange [0:1]
    set yrange [0:1]
    unset border
    unset tics
    unset xlabel
    unset ylabel
    plot for [i=1:arms] data index i using (2):2 with lines lt i lw 2 title columnheader(1) noenhanced
    set border 3 lc rgb "#808080"
    set tics nomirror scale 0.5 textcolor rgb "#404040"
    set xlabel axis offset 0,0.5
    set ylabel "ms" offset 1,0
    set key above left Left reverse vertical maxrows 1 font ",11"
    set size 1.0 / columns, 290.0 / height
    do for [p=0:panels-1] {
        set origin (p % columns) / (columns + 0.0), 1 - (head + legend + 290.0 * (p / columns + 1)) / height
        from = p * (arms + 1)
        unset logscale
        set xrange [*:*]
        set yrange [*:*]
        stats data index from+1:from+arms using 1:2 name "S" nooutput
        stats data index from+1:from+arms using 3 name "LOW" nooutput
        stats data index from+1:from+arms using 4 name "HIGH" nooutput
        stats data index from using 2 name "T" nooutput
        set logscale xy
        set xrange [S_min_x / 1.1 : S_max_x * 1.1]
        bottom = T_min > 0 && T_min < LOW_min ? T_min : LOW_min
        top = S_max_y > HIGH_max ? S_max_y : HIGH_max
        set yrange [bottom / 1.05 : top * 1.05]
        eval "set xtics nomirror (".ticks(S_min_x, S_max_x).")"
        eval "set ytics nomirror (".ticks(bottom, top).")"
        unset arrow
        if (T_min > 0) { set arrow 1 from graph 0, first T_min to graph 1, first T_min nohead lc rgb "#606060" dt 3 lw 1.5 }
        plot for [i=1:arms] data index from+i using 1:3:4 skip 1 with filledcurves lt i fs transparent solid 0.15 noborder notitle, \
            data index from using (S_min_x):(bottom) with lines lc rgb "#606060" dt 3 lw 1.5 title columnheader(1) noenhanced, \
            for [i=1:arms] data index from+i using 1:2 with lines lt i lw (i == 1 ? 2 : 1.2) notitle, \
            for [i=1:(page ? arms : 0)] data index from+i using ($5 == 1 ? $1 : NaN):2:6 @hover
    }
    unset multiplot
    unset output
}
