#!/bin/sh
# Starts a worker of program batch for a runner on this machine, as -environment_type PROCESS
# wants it: Beam's boot program, which fetches the program and starts it. Prism puts quotes around
# the worker's name, which boot does not understand.
#
# BATCH_BOOT is the path of boot, if it is not in PATH. BATCH_WORKER_DIR is where it writes files.
dir=${BATCH_WORKER_DIR:-${TMPDIR:-/tmp}/batch-worker}
mkdir -p "$dir" && cd "$dir" || exit 1
id=${1#--id=}
id=${id#\'}
id=${id%\'}
shift
exec "${BATCH_BOOT:-boot}" --id="$id" --semi_persist_dir="$dir" "$@"
