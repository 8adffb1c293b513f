#!/usr/bin/env bash
# A share of a stage of simdb scale on a machine that has nothing in common with the others but a
# bucket: what was done is copied from it, and what is done here is copied to it.
#
#	rclone copy s3:bucket/input /data/input                   # on each machine, to one path
#	simdb scale plan /data/work /data/input/*.jsonl.gz        # on one of them
#	rclone copy /data/work s3:bucket/work
#	./objects.sh s3:bucket/work /data/work analyse 3/8        # each share, stage after stage
#	rclone copy s3:bucket/work /data/work && simdb scale collect /data/work
#
# The files go before the records that tell of them. An object is there as a whole or not at all, so
# a share that was killed, or runs twice, harms nothing.
set -euo pipefail
bucket=$1 work=$2 stage=$3 share=$4
rclone copy "$bucket" "$work"
"${SIMDB:-simdb}" scale "$stage" --task "$share" "$work"
mkdir -p "$work/$stage" # a share may have no task
rclone copy --exclude '*.tmp' --exclude '*.json' "$work/$stage" "$bucket/$stage"
rclone copy --include '/*.json' "$work/$stage" "$bucket/$stage"
