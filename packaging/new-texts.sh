#!/bin/sh
# Names the texts that a commit or a branch adds to a git repository and that are like others in it:
#
#	new-texts.sh [-s SIM] [-b BASE] [-w] [PATHSPEC…]
#
# It looks at what is staged. What it compares goes to a store that is gone afterwards, so what was
# deleted or renamed is not in the way. A file that is changed is not new. It ends with 1 if a text
# is similar, or with -w only warns, and with 2 if it could not look. The three most similar ones are
# named, the passages are those of the first. The command simdb is built from here where none is on the path.
set -eu
export LC_ALL=C # numbers have a point
sim=0.8 base=${PRE_COMMIT_FROM_REF:-HEAD} level=error
while getopts s:b:w flag; do
	case $flag in
	s) sim=$OPTARG ;;
	b) base=$OPTARG ;;
	w) level=warning ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
here=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v simdb >/dev/null; then
	[ -x "$here/bin/simdb" ] || (cd "$here" && CGO_ENABLED=0 go build -o bin/simdb ./cmd/simdb)
	PATH=$here/bin:$PATH
fi
cd "$(git rev-parse --show-toplevel)"
if [ "$base" = HEAD ] && [ -e "$(git rev-parse --git-path MERGE_HEAD)" ]; then
	exit 0 # what a merge brings is not new
elif ! git rev-parse --quiet --verify HEAD >/dev/null; then
	base=$(git hash-object -t tree /dev/null) # the first commit
elif ! base=$(git merge-base "$base" HEAD 2>/dev/null); then # what others have added since is not new
	echo "new-texts: the base is not here: fetch it, or check out with fetch-depth: 0" >&2
	exit 2
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
git diff --cached -z --name-only --find-renames --diff-filter=A "$base" -- "$@" | git checkout-index -z --stdin --prefix="$dir/new/"
[ -d "$dir/new" ] || exit 0
git ls-files -z -- "$@" | git checkout-index -z --stdin --prefix="$dir/docs/"
simdb shell -c 'CREATE COLLECTION new; CREATE COLLECTION docs' "$dir/db" >/dev/null || exit 2
for c in new docs; do
	simdb import --quiet --in $c "$dir/db" "$dir/$c" || [ $? = 3 ] || exit 2 # what cannot be read is named
done

# rows STATEMENT FILE: its rows, without the head
rows() {
	simdb query --format tsv "$dir/db" "$1" >"$dir/answer" || exit 2
	sed 1d "$dir/answer" >"$2"
}
# line FILE TEXT: the line of a file that a text begins in, or 1: marks may be between its words
line() { grep -n -m 1 -F -e "$2" "$dir/docs/$1" | sed 's/:.*//' | grep . || echo 1; }
# say FILE LINE MESSAGE: as editors name places, or as GitHub wants it
say() {
	if [ "${GITHUB_ACTIONS:-}" = true ]; then
		printf '::%s file=%s,line=%s::%s\n' $level "$(printf %s "$1" | sed 's/%/%25/g; s/:/%3A/g; s/,/%2C/g')" "$2" "$(printf %s "$3" | sed 's/%/%25/g')"
	else
		printf '%s:%s: %s\n' "$1" "$2" "$3"
	fi
}
tab=$(printf '\t') told=
rows "SIMILAR PAIRS IN new AGAINST docs WHERE sim >= $sim AND a != b RETURNING a, b, sim" "$dir/pairs"
awk -F "$tab" '++n[$1] <= 3' "$dir/pairs" | sort -s -t "$tab" -k 1,1 >"$dir/most"
while IFS=$tab read -r a b s; do
	say "$a" 1 "is like $b: sim $(printf %.3f "$s")"
	case $a$b in *\\*) continue ;; esac # TSV writes such a name in another way
	[ "$a" != "$told" ] || continue
	told=$a
	quoted="'$(printf %s "$a" | sed "s/'/''/g")' WITH '$(printf %s "$b" | sed "s/'/''/g")'"
	rows "COMPARE $quoted IN docs USING patricia(min=40) SHOW PASSAGES" "$dir/passages"
	while IFS=$tab read -r _ _ _ _ chars text; do
		text=$(printf %.60s "${text%%\\*}" | iconv -c -f UTF-8 -t UTF-8) # up to what is escaped, such as the end of a line
		say "$a" "$(line "$a" "$text")" "as $b:$(line "$b" "$text"), $chars characters: $text"
	done <"$dir/passages"
done <"$dir/most"
[ ! -s "$dir/pairs" ] || [ $level = warning ]
