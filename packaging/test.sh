#!/usr/bin/env bash
# The hook for pre-commit, the action and the Debian package, each used as its users do. Without
# what it needs it says so; with CI=true it fails.
#
#	./test.sh SIMDB
set -euo pipefail
simdb=$(realpath "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
missing() {
	echo "$1 cannot be had here, so $2 was not tried" >&2
	if [ "${CI:-}" = true ]; then exit 1; fi
}
# said FILE PATTERN…: each pattern is in a file.
said() {
	local file=$1 pattern
	shift
	for pattern in "$@"; do grep -qF -- "$pattern" "$file" || { echo "no '$pattern' in:" && cat "$file" && exit 1; }; done
}
mkdir "$dir/bin" "$dir/hook" "$dir/repo"
path=$PATH
ln -s "$simdb" "$dir/bin/simdb"
export PATH="$dir/bin:$PATH" PRE_COMMIT_HOME="$dir/cache" GIT_CONFIG_GLOBAL="$dir/gitconfig" GIT_CONFIG_NOSYSTEM=1
unset GITHUB_ACTIONS PRE_COMMIT_FROM_REF
git config --global user.name test
git config --global user.email test@example.org
git config --global safe.directory '*'

# The repository that the hook is in, as it is now, and one of texts.
(cd "$root" && git ls-files -zco --exclude-standard | tar -c --null -T -) | tar -xC "$dir/hook"
cd "$dir/hook"
git init -q && git add . && git commit -qm hook
cd "$dir/repo"
git init -q -b main
cp "$root/testdata/demo/lecture.txt" "It's 100%, a lecture.txt"
cp "$root/testdata/demo/shingles.txt" .
git add . && git commit -qm texts
git checkout -qb branch

if python3 -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --target "$dir/python" pre-commit==4.7.0; then
	export PYTHONPATH="$dir/python"
	printf 'repos:\n- repo: %s\n  rev: %s\n  hooks:\n  - id: new-texts\n' "$dir/hook" "$(git -C "$dir/hook" rev-parse HEAD)" >.pre-commit-config.yaml
	git add . && git commit -qm config
	python3 -m pre_commit install >/dev/null
	{ echo "My notes."; cat shingles.txt; } >notes.md
	cp "It's 100%, a lecture.txt" other.rs # no text that is looked at
	git add .
	if git commit -qm copy >../out 2>&1; then echo "a copy was taken" && exit 1; fi
	said ../out "notes.md:1: is like shingles.txt: sim 0.9" "notes.md:2: as shingles.txt:1, "
	printf -- '---\ntitle: notes\n---\n\n' | cat - notes.md >-head.md && git rm -qf --cached notes.md && git add -- ./-head.md
	if "$root/packaging/new-texts.sh" '*.md' '*.txt' >../out 2>&1; then echo "a copy was taken" && exit 1; fi
	said ../out "-head.md:6: as shingles.txt:1, "
	if "$root/packaging/new-texts.sh" -s 0,8 '*.md' '*.txt' >../out 2>&1 || [ $? != 2 ]; then echo "a wrong -s does not end with 2" && cat ../out && exit 1; fi
	git rm -qf -- ./-head.md && git add notes.md
	git mv shingles.txt moved.md && git rm -qf notes.md && echo "One more line." >>moved.md && git add .
	git commit -qm "moved, and changed" >../out 2>&1 || { cat ../out && exit 1; }
	echo "ok: the hook"

	# The step of the action, as a runner would run it; it builds the command.
	{ echo "My notes."; cat "It's 100%, a lecture.txt"; } >copy.md
	git add . && git commit -qnm copy
	python3 -c '
import sys, yaml
action = yaml.safe_load(open(sys.argv[1]))
step, = action["runs"]["steps"]
assert step["env"] == {name.upper(): "${{ inputs.%s }}" % name for name in action["inputs"]}
print("SIM=%s; PATHS=\"%s\"" % (action["inputs"]["sim"]["default"], action["inputs"]["paths"]["default"]))
print(step["run"])' "$root/action.yml" >../step
	action() { env PATH="$path" GITHUB_ACTIONS=true GITHUB_ACTION_PATH="$dir/hook" "$@" bash -c 'set -a; . ../step' >../out 2>&1; }
	action BASE=main FAIL=false || { cat ../out && exit 1; }
	said ../out "::warning file=copy.md,line=2::as It's 100%25, a lecture.txt:1, "
	if action BASE=main FAIL=true; then echo "the action did not fail" && exit 1; fi
	said ../out "::error file=copy.md,line=1::is like "
	if action BASE=nothing FAIL=false; then echo "the action has no base" && exit 1; fi
	said ../out "the base is not here: fetch it"
	echo "ok: the action"
else
	missing "the Python package pre-commit" "the hook"
fi

# The package, unpacked and not installed, so that nothing of this machine is changed.
if command -v dpkg-deb >/dev/null; then
	cd "$root"
	make -s deb VERSION=0.0.1 >/dev/null
	dpkg-deb -x "bin/simdb_0.0.1_$(go env GOARCH).deb" "$dir/deb"
	rm "bin/simdb_0.0.1_$(go env GOARCH).deb"
	"$dir/deb/usr/bin/simdb" demo >"$dir/out" 2>&1 || { cat "$dir/out" && exit 1; }
	cd "$dir/deb/usr/share"
	for file in man/man1/simdb-import.1.gz bash-completion/completions/simdb zsh/vendor-completions/_simdb \
		fish/vendor_completions.d/simdb.fish doc/simdb/copyright doc/simdb/licences/Go/LICENSE; do
		[ -s $file ] || { echo "the Debian package lacks $file" && exit 1; }
	done
	echo "ok: the Debian package"
else
	missing dpkg-deb "the Debian package"
fi
