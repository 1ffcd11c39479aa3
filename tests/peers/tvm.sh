#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tvm: runs tvmpeer.py with TVM 0.16 (wheel.bash says where from). Arguments are tvmpeer.py's (--help).
set -u
. "$(dirname "$0")/wheel.bash"
"$found" "$(dirname "$0")/tvmpeer.py" "$@"
