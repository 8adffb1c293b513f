#!/usr/bin/env bash
# The stages of simdb scale as Slurm job arrays, each after the one before.
#
#	simdb scale plan /shared/work /shared/input/*.jsonl.gz
#	./slurm.sh /shared/work 64    # submits all stages with 64 shares each
#
# A share that fails, or whose node does, is submitted again by Slurm (--requeue); what is
# done is not done again. MEM is for plans with another --memory. If a stage ends with 5, a file was damaged: submit everything again.
set -euo pipefail
work=$1 shares=${2:-16}
after=()
for stage in analyse order deal join clusters; do
	n=$shares
	case $stage in clusters) n=1 ;; esac
	id=$(sbatch --parsable --requeue --job-name "simdb-$stage" --array "1-$n" --cpus-per-task 1 --mem "${MEM:-1500M}" \
		--output "$work/slurm-%x-%a.log" "${after[@]}" \
		--wrap "simdb scale $stage --task \$SLURM_ARRAY_TASK_ID/$n '$work'")
	after=(--dependency "afterok:$id")
	echo "$stage: job $id, $n shares"
done
