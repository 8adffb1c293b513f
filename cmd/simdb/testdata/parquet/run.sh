#!/usr/bin/env bash
# Round trips of Parquet and Arrow with pyarrow and duckdb, which come from PyPI.
# Usage: run.sh SIMDB
set -euo pipefail
skip() {
	echo "parquet round trips: skipped, because $1"
	[ "${CI:-}" != true ] || exit 1
	exit 0
}
simdb=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v python3 >/dev/null || skip "there is no python3"
python3 -m venv "$dir/venv" || skip "python3 has no venv"
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check pyarrow==26.0.1 duckdb==2.0.1 || skip "pip cannot install pyarrow and duckdb"
TMPDIR=$dir "$dir/venv/bin/python" "$(dirname "$0")/roundtrip.py" "$simdb"
