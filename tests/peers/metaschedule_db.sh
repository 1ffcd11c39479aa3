#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# metaschedule_db: runs metaschedule_db.py with TVM 0.16 (wheel.bash says where from). Arguments are metaschedule_db.py's (--help).
set -u
. "$(dirname "$0")/wheel.bash"
"$found" "$(dirname "$0")/metaschedule_db.py" "$@"
