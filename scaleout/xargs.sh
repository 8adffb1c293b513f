#!/usr/bin/env bash
# The stages of simdb scale as processes of this machine.
#
#	simdb scale plan work.scale part-*.jsonl.gz
#	./xargs.sh work.scale 8
set -euo pipefail
work=$1 shares=${2:-$(nproc)}
for stage in analyse order deal join clusters; do
	seq "$shares" | xargs -P "$shares" -I '{}' "${SIMDB:-simdb}" scale "$stage" --task "{}/$shares" "$work"
done
