# SPDX-License-Identifier: Apache-2.0
# What all figures share: arguments, colours, ticks, terminals. The arguments come from harness/report/render/figure.h: data, out
# (without suffix), heading, folder of the scripts, stamp, coloured blocks, published blocks, panels, forms ("svg png", or "page": an
# SVG whose points have labels). A script copies them into variables of these names, loads this file, and draws once for each form.
set encoding utf8
set datafile missing "NaN"
set border 3 lc rgb "#808080"
set tics nomirror scale 0.5 textcolor rgb "#404040"
set grid lt 1 lc rgb "#ececec" lw 0.6
set key above left Left reverse vertical maxrows 4 samplen 2 spacing 1.05 width 1 font ",11"
set errorbars 0
grey = "#c0c0c0"
red = "#c03000"
paper_colour = "#505050"
# Colours that people with any colour vision distinguish (P. Tol's bright and muted sets).
set linetype 1 lc rgb "#c03000" pt 7
set linetype 2 lc rgb "#4477aa" pt 5
set linetype 3 lc rgb "#228833" pt 9
set linetype 4 lc rgb "#aa3377" pt 13
set linetype 5 lc rgb "#997700" pt 11
set linetype 6 lc rgb "#117799" pt 15
set linetype 7 lc rgb "#666666" pt 4
set linetype 8 lc rgb "#882255" pt 6
set linetype 9 lc rgb "#44aa99" pt 8
set linetype 10 lc rgb "#332288" pt 10
set linetype 11 lc rgb "#202020" pt 2
# With more arms than colours the colours come again, with other points.
again = "#c03000 #4477aa #228833 #aa3377 #997700 #117799 #666666 #882255 #44aa99 #332288"
do for [i=1:10] { set linetype (i + 11) lc rgb word(again, i) pt i }
set linetype cycle 21
page = forms eq "page"
# Labels to the points of a page, by the last column; they are not seen until they are pointed at.
hover = "skip 1 with labels hypertext point pt 7 ps 1 lc rgb '#ff000000' noenhanced notitle"
# Ticks of a logarithmic axis from a to b, as dense as its span allows.
decade(m) = sprintf("%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,", m, 1.1*m, 1.2*m, 1.3*m, 1.4*m, 1.6*m, 1.8*m, 2*m, 2.5*m, 3*m, 3.5*m, 4*m, 5*m, 6*m, 7*m, 8.5*m)
near(step) = (NEAR = "", sum [n=-15:15] (NEAR = NEAR.sprintf("%g,", 1 + n * step), 0), NEAR."1e9") # around 1, where ratios are
ticks(a, b) = a < 1 && b > 1 && b / a < 1.15 ? near(0.02) : a < 1 && b > 1 && b / a < 1.35 ? near(0.05) : b / a < 2.5 ? decade(10**floor(log10(a))).decade(10**(floor(log10(a)) + 1))."1e9" : \
    b / a < 12 ? "0.01,0.02,0.05,0.1,0.2,0.3,0.5,0.7,1,1.5,2,3,5,7,10,15,20,30,50,70,100,150,200,300,500,700,1000,1500,2000,3000,5000" : \
    b / a < 2000 ? "0.001,0.002,0.005,0.01,0.02,0.05,0.1,0.2,0.5,1,2,5,10,20,50,100,200,500,1000,2000,5000,10000,20000,50000" : \
    "0.0001,0.001,0.01,0.1,1,10,100,1000,10000,100000,1000000"
low(v) = v < 1 ? v : 1
high(v) = v > 1 ? v : 1
# An interval of few seeds may be so wide that nothing else could be read: it is cut beyond a factor of 1.5.
least(bar, point) = bar < point / 1.5 ? point / 1.5 : bar < point ? bar : point
most(bar, point) = bar > point * 1.5 ? point * 1.5 : bar > point ? bar : point
# Of so many units in width and height: an SVG for pages, a PNG of twice the size.
terminal(form, w, h) = form ne "png" ? \
    sprintf("set terminal svg size %d,%d font 'Helvetica,13' background 'white' dynamic; set output out.'.svg'", w, h) : \
    sprintf("set terminal pngcairo size %d,%d font 'Helvetica,13' fontscale 2 linewidth 2 pointscale 2 background 'white'; set output out.'.png'", 2 * w, 2 * h)
if (strlen(stamp)) { set label 1 stamp at graph 0.5, graph 0.5 center rotate by 30 font sprintf(",%d", 550 / strlen(stamp)) tc rgb "#f0d6d6" back noenhanced }
