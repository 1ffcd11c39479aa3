#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# landscape: runs landscape.py with TVM 0.16 (wheel.bash says where from). Arguments are landscape.py's (--help).
set -u
. "$(dirname "$0")/wheel.bash"
"$found" "$(dirname "$0")/landscape.py" "$@"
