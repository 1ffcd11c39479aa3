#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# exported: runs exported.py with TVM 0.16 (wheel.bash says where from). Arguments are exported.py's (--help).
set -u
. "$(dirname "$0")/wheel.bash"
"$found" "$(dirname "$0")/exported.py" "$@"
