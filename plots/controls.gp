# SPDX-License-Identifier: Apache-2.0
# The control arms stand beside Table 3's: its figure, from the script of that name in the same folder.
if (!exists("folder")) folder = "plots"
if (!exists("data")) data = "results/controls/short/figure.dat"
if (!exists("out")) out = "controls"
if (!exists("heading")) heading = "controls"
load folder."/table3.gp"
