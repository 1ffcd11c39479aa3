# SPDX-License-Identifier: Apache-2.0
# The figure of a race: best so far over trials, those of all kernels of a network together.
data = ARG1; out = ARG2; heading = ARG3; folder = ARG4; stamp = ARG5; arms = int(ARG6); panels = int(ARG8); forms = ARG9
axis = "trials"
load folder."/best_so_far.gp"
