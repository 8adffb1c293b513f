#!/usr/bin/env bash
# simdb mcp with clients that others have written: the Python client over both transports, the
# program of docs/guide/agents.md, and the conformance checks of the protocol. Without these
# packages, or a way to install them, it says so; with CI=true it fails.
#
#	./test.sh SIMDB
set -euo pipefail
cd "$(dirname "$0")"
simdb=$(realpath "$1")
guide=$(realpath ../../../../docs/guide/agents.md)
demo=$(realpath ../../../../testdata/demo)
client=$PWD/client.py
dir=$(mktemp -d)
pid=
trap 'if [ -n "$pid" ]; then kill "$pid"; fi; rm -rf "$dir"' EXIT
cd "$dir"
mkdir bin
ln -s "$simdb" bin/simdb
export PATH="$dir/bin:$PATH"
missing() {
	echo "$1 cannot be had here, so $2 was not tried" >&2
	if [ "${CI:-}" = true ]; then exit 1; fi
}
simdb import --quiet corpus.simdb "$demo"

if python3 -m pip install --quiet --root-user-action=ignore --disable-pip-version-check --target python mcp==2.3.0; then
	for list in json python; do
		sed -n "/^\`\`\`$list\$/,/^\`\`\`\$/p" "$guide" | sed '/^```/d' >"guide.$list"
	done
	mv guide.json servers.json
	sed -n 's/^# //p' guide.python | sed '1d' >want
	PYTHONPATH=python python3 guide.python | diff want -
	echo "ok: the client of the guide"
	PYTHONPATH=python python3 "$client" corpus.simdb
else
	missing "the Python package mcp" "the client in Python"
fi

# Those checks that need nothing of a server but the protocol: others ask for tools of their own.
# They need Node 22, which comes as a package too.
if npm install --silent --no-audit --no-fund --prefix checks @modelcontextprotocol/conformance@0.1.16 node@22; then
	simdb mcp --addr 127.0.0.1:0 corpus.simdb >address &
	pid=$!
	until grep -q mcp address; do
		kill -0 "$pid"
		sleep 0.1
	done
	for check in server-initialize ping tools-list resources-list prompts-list logging-set-level dns-rebinding-protection; do
		checks/node_modules/node/bin/node checks/node_modules/@modelcontextprotocol/conformance/dist/index.js \
			server --url "$(cat address)" --scenario "$check" >said 2>&1 || { cat said; exit 1; }
		grep -q '^Passed: \([1-9][0-9]*\)/\1, 0 failed, 0 warnings' said || { cat said; exit 1; }
		echo "ok: $check"
	done
else
	missing "the npm package @modelcontextprotocol/conformance" "the protocol"
fi
