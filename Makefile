# Everything here is a plain go command; read it rather than run it blindly.
# The race detector needs cgo, nothing else does.
export CGO_ENABLED ?= 0
SIMDB_CORPORA ?= $(abspath ../shared/corpora)
export SIMDB_CORPORA

.PHONY: all build test race lint verify verify-short bench lab plots fuzz-short demo clean

all: lint test

build:
	go build ./cmd/simdb

test:
	go test ./...

race:
	CGO_ENABLED=1 go test -race -short ./text ./shingle ./index ./wal ./ingest ./engine ./query .

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -d .; exit 1; }
	go vet ./...
	go tool -modfile=tools/go.mod staticcheck ./...

# Every answer against brute force: all of nsf and linuxdoc.
verify:
	go run ./bench/exact -churn -kept $(SIMDB_CORPORA)/nsf.jsonl.gz $(SIMDB_CORPORA)/linuxdoc.jsonl.gz

# The same on fewer documents of each, as CI runs it.
verify-short:
	go run ./bench/exact -churn -kept -unit word -n 6000 $(SIMDB_CORPORA)/nsf.jsonl.gz $(SIMDB_CORPORA)/linuxdoc.jsonl.gz
	go run ./bench/exact -churn -unit char -n 3000 $(SIMDB_CORPORA)/nsf.jsonl.gz $(SIMDB_CORPORA)/linuxdoc.jsonl.gz

# The figures of bench/floors/RESULTS.md.
bench:
	go run ./bench/floors -o bench/floors/RESULTS.md $(SIMDB_CORPORA)/linuxdoc.jsonl.gz

# The papers' experiments: bench/*/RESULTS.md and the CSV files beside them.
lab: build
	./simdb lab si --out bench/si $(SIMDB_CORPORA)/roth >/dev/null
	./simdb lab plagiarism --out bench/plagiarism $(SIMDB_CORPORA)/nsf.jsonl.gz >/dev/null
	./simdb lab content --pack --force --out bench/content $(SIMDB_CORPORA)/roth bin/content >/dev/null
	./simdb lab repetition --out bench/repetition $(SIMDB_CORPORA) >/dev/null
	./simdb lab measures --out bench/measures $(SIMDB_CORPORA) >/dev/null

# Their figures, as SVG beside the CSV files.
plots:
	cd bench/plots && go run . $(PLOTS)

PLOTS ?= ../plagiarism/by_k.csv ../si/k.csv ../measures/roc.csv

# Ten seconds for every fuzz target there is.
fuzz-short:
	@set -e; for p in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime 10s $$p; \
	  done; \
	done

demo: build
	rm -rf demo.simdb
	./simdb import demo.simdb testdata/demo

clean:
	rm -rf simdb demo.simdb bin
