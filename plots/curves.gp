# SPDX-License-Identifier: Apache-2.0
# Best so far over the wall clock, in seconds.
data = ARG1; out = ARG2; heading = ARG3; folder = ARG4; stamp = ARG5; arms = int(ARG6); panels = int(ARG8); forms = ARG9
axis = "wall clock, s"
load folder."/best_so_far.gp"
