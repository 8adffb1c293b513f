#!/bin/sh
# What each part of the design does on real texts: imports two corpora, asks 200 searches of
# every kind with EXPLAIN ANALYZE, and adds up what each filter was given and let through.
#
#	go build ./cmd/simdb && sh bench/parts.sh CORPORA [DIR]
#
# CORPORA has nsf.jsonl.gz and linuxdoc.jsonl.gz; DIR gets the stores, by default bin/parts.
# It prints the tables of bench/trials.md. SIMDB names the command, by default ./simdb.
set -e
simdb=${SIMDB:-./simdb}
corpora=$1
dir=${2:-bin/parts}
mkdir -p "$dir"

# ids of 200 documents at equal distances
ids() {
	n=$($simdb query --format tsv "$1" "SELECT count(*) FROM docs" | tail -1)
	$simdb query --format tsv "$1" "SELECT id FROM docs" | tail -n +2 |
		awk -v step=$((n / 200)) 'NR % step == 1 && c++ < 200'
}

# statements makes one of each id
statements() {
	awk -v what="$2" -v before="$3" '{ gsub(/\047/, "\047\047"); print before "SIMILAR TO \047" $0 "\047 " what ";" }' "$1"
}

# ask answers statements; that an access is approximate is said once for all in the table
ask() {
	$simdb query --format tsv "$1" - 2>"$dir/said" || grep -v '^approximate' "$dir/said" >&2
}

# sums adds up plans and prints a row for each filter, in the order of the plan
sums() {
	awk -F '\t' -v row="$1" '
	$1 == "filter" {
		split($2, a, ": "); split(a[2], n, " in, "); name = a[1]
		if (!(name in used)) order[++names] = name
		used[name]++; given[name] += n[1]; left[name] += n[2] + 0
	}
	$1 == "access" { if (!($2 in way)) ways = ways (ways ? ", " : "") $2; way[$2]++ }
	$1 == "verified" { verified += $2 }
	$1 == "matches" { matches += $2 }
	$1 == "recall" { recall += $2; recalls++ }
	END {
		for (i = 1; i <= names; i++) {
			name = order[i]
			printf "| %s | %s | %s | %d | %d | %d | %.3f %% |\n", row, ways, name, used[name], given[name], left[name], given[name] ? 100 * (given[name] - left[name]) / given[name] : 0
		}
		printf "| %s | %s | *verified, matches* |  | %d | %d |  |\n", row, ways, verified, matches
		if (recalls) printf "| %s | %s | *recall* | %d |  | %.4f |  |\n", row, ways, recalls, recall / recalls
	}'
}

echo "| corpus | asked | access | filter | searches | sets in | sets out | removed |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
for corpus in nsf linuxdoc; do
	db=$dir/$corpus.simdb
	rm -rf "$db"
	$simdb import --quiet "$db" "$corpora/$corpus.jsonl.gz"
	$simdb import --quiet --in intervals --with "intervals = 'paper'" "$db" "$corpora/$corpus.jsonl.gz"
	ids "$db" >"$dir/ids"
	for what in \
		"WHERE sim >= 0.3" "WHERE sim >= 0.5" "WHERE sim >= 0.8" "WHERE sim >= 0.95" \
		"IN intervals USING jaccard(access='interval') WHERE sim >= 0.5" \
		"USING jaccard(access='signature') WHERE sim >= 0.5" \
		"USING multiset WHERE sim >= 0.8" "USING repetition WHERE sim >= 0.8" \
		"USING containment WHERE sim >= 0.8" "USING containment(of='doc') WHERE sim >= 0.8" "NEAREST 10" \
		"USING simhash WHERE sim >= 0.95" \
		"USING simhash(access='rotated') WHERE sim >= 0.95" "USING simhash(access='rotated') WHERE sim >= 0.8"; do
		statements "$dir/ids" "$what" "EXPLAIN ANALYZE " | ask "$db" | sums "$corpus | \`$what\`"
	done
	for what in "WHERE sim >= 0.8" "USING simhash WHERE sim >= 0.95"; do
		$simdb query --format tsv "$db" "EXPLAIN ANALYZE SIMILAR PAIRS $what" | sums "$corpus | \`SIMILAR PAIRS $what\`"
	done
done

echo
echo "| corpus | 200 searches | looked up in the cache of bags | found there |"
echo "| --- | --- | --- | --- |"
for corpus in nsf linuxdoc; do
	db=$dir/$corpus.simdb
	ids "$db" >"$dir/ids"
	for times in once twice; do
		{
			statements "$dir/ids" "WHERE sim >= 0.5" ""
			if [ $times = twice ]; then statements "$dir/ids" "WHERE sim >= 0.5" ""; fi
			echo "SHOW STATS"
		} | ask "$db" |
			awk -F '\t' -v row="$corpus | $times" '$1 == "cache_hits" { hits = $2 } $1 == "cache_misses" { misses = $2 }
			END { printf "| %s | %d | %d |\n", row, hits + misses, hits }'
	done
done
