# Everything here is a plain go command; read it rather than run it blindly.
# The race detector needs cgo, nothing else does.
export CGO_ENABLED ?= 0
SIMDB_CORPORA ?= $(abspath ../shared/corpora)
export SIMDB_CORPORA

.PHONY: all build asm test race race-short nightly lint verify verify-short bench bench-big bench-peers bench-peers-only bench-exact bench-report bench-smoke bench-kernels notices licences cross tidy vulncheck release-files image deb extra lab lab-check plots fuzz-short torture oracle wheel wheels python demo clean

all: lint test

build:
	go build ./cmd/simdb

# The kernels in assembly and their declarations, from what generates them.
asm:
	cd tools/asm && go run ./hamming -out ../../internal/sketch/hamming_amd64.s -stubs ../../internal/sketch/hamming_amd64.go -pkg sketch

test:
	go test ./...

# Where goroutines are. Of the engine's tests those are left out that make very many
# calls, one after the other: they would take a quarter of an hour. RACE_SKIP= runs them too.
# The tag leaves out a library in C that Pebble has an equal of in Go, which is what runs
# without cgo: compiling it took longer than some of the tests.
RACE := go test -race -short -tags pebblegozstd -timeout 40m
RACE_SKIP ?= BruteForce|Crash|Flipped|Spoilt|Faults|DiskFull|Restore|Salvage|Golden|Damage|History|Tail|Alike|OneTextAlwaysGoes|SlowDisk|EqualScans|FeaturesTogether|FrequentSentences|EqualsDefinition|WithoutIndex|EqualDocuments
race:
	CGO_ENABLED=1 $(RACE) -run 'Merge|Fetch|Table|Views' ./index
	CGO_ENABLED=1 $(RACE) -skip 'Corpus|LoseNothing' ./index/join
	CGO_ENABLED=1 $(RACE) -skip 'Expan|CallsEndWithTheirContext' ./wal ./internal/ingest ./load ./web .
	CGO_ENABLED=1 $(RACE) -run Shards ./query
	CGO_ENABLED=1 $(RACE) -skip '$(RACE_SKIP)' ./engine/...

# The packages with goroutines of their own, without the engine as a whole, which takes longest. Of the
# engine's rooms these are the tests that open no store.
RACE_ROOMS := LikePuts|CutShort|OpenOnFullDisk|AscendingTables|LockEnds|LockHolds|LockOutlives|ManifestFails|ReadBesideOpen|PinsTell|Alias|Clump|EdgeList|EdgeInARun|KnownIDs|LevelParts|JoinScratch|BatchesHave|Codec|Comes?Back|MetaIs|SettingsOf|SetRecord|NearPrints|SegmentsAreMapped|Places|Apart|Cache|Fuzz
race-short:
	CGO_ENABLED=1 $(RACE) -skip 'Corpus|LoseNothing|Expan' ./index/join ./wal ./internal/ingest
	CGO_ENABLED=1 $(RACE) -run 'Concurrent|Parallel|Goroutines|Together|Close|$(RACE_ROOMS)' ./engine/...

# Both columns of CI.
nightly:
	CI_FULL=1 .ci/run

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -d .; exit 1; }
	go vet ./...
	go tool -modfile=tools/go.mod staticcheck ./...
	cd bench && go vet ./... && go tool -modfile=../tools/go.mod staticcheck ./...

# Every answer against brute force: all of nsf and linuxdoc.
verify:
	go -C bench run ./exact -churn -kept $(SIMDB_CORPORA)/nsf.jsonl.gz $(SIMDB_CORPORA)/linuxdoc.jsonl.gz

# The same on fewer documents of each, as CI runs it.
verify-short:
	go -C bench run ./exact -churn -kept -unit word -n 6000 $(SIMDB_CORPORA)/nsf.jsonl.gz $(SIMDB_CORPORA)/linuxdoc.jsonl.gz
	go -C bench run ./exact -churn -unit char -n 3000 $(SIMDB_CORPORA)/nsf.jsonl.gz $(SIMDB_CORPORA)/linuxdoc.jsonl.gz

# How fast simdb is, alone: bench/RESULTS.md. BENCH names sizes or measurements,
# for instance BENCH='-n 10000 -only search'; docs/benchmarks.md has the rest.
bench:
	rm -f bench/speed/raw.jsonl
	go -C bench run ./speed $(BENCH)
	$(MAKE) bench-report

# Ten million documents, beside what bench has measured: an hour, 60 GB of disk.
bench-big:
	go -C bench run ./speed -n 10000000 $(BENCH)
	$(MAKE) bench-report

# simdb alone and then beside its peers; PEERS as BENCH.
bench-peers: bench bench-peers-only

bench-peers-only: bench/peers/venv/installed
	rm -f bench/peers/raw.jsonl
	cd bench/peers && go run . $(PEERS)
	$(MAKE) bench-report

bench/peers/venv/installed: bench/peers/requirements.txt
	python3 -m venv bench/peers/venv
	bench/peers/venv/bin/pip install -q -r bench/peers/requirements.txt
	touch $@

# simdb beside tools that find near-duplicates, on real texts: EXACT='-n 100000 realtext.jsonl'.
# text-dedup asks for Spark, which its MinHash works without.
bench-exact: bench/peers/dedupe/venv/installed
	bench/peers/dedupe/venv/bin/python bench/peers/dedupe/run.py $(EXACT)

bench/peers/dedupe/venv/installed: bench/peers/dedupe/requirements.txt
	python3 -m venv bench/peers/dedupe/venv
	bench/peers/dedupe/venv/bin/pip install -q -r bench/peers/dedupe/requirements.txt
	bench/peers/dedupe/venv/bin/pip install -q --no-deps text-dedup==0.4.0
	touch $@

# The report of what was measured last, with its figures.
bench-report:
	go -C bench run ./speed -report .
	cd bench/plots && go run . ../growth*.csv

# All of it on a few documents, to see that it works; no figures are kept.
bench-smoke: bench/peers/venv/installed
	mkdir -p bin
	rm -f bin/smoke.jsonl bin/smoke-peers.jsonl
	go -C bench run ./speed -n 500,1000 -raw ../bin/smoke.jsonl
	cd bench/peers && go run . -n 500 -containment 500 -fingerprints 10000 -rounds 1 -raw ../../bin/smoke-peers.jsonl
	! grep '"failed"' bin/smoke-peers.jsonl

# Every benchmark of the packages that computing is done in.
KERNELS ?= ./internal/phrase ./internal/text ./internal/shingle ./internal/sketch ./index/... ./wal ./engine
bench-kernels:
	mkdir -p bin
	go test -run '^$$' -bench . -benchmem -count 6 $(KERNELS) | tee bin/kernels.txt
	go run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da bin/kernels.txt

# Whose work the command links, and the full texts of their licences.
notices:
	go -C tools run ./notices -out ../THIRD_PARTY_NOTICES.md

licences:
	mkdir -p bin
	rm -rf bin/licences
	go -C tools run ./notices -texts ../bin/licences

# What vets and builds on the platforms of a release, with all tests.
PLATFORMS := darwin/amd64 darwin/arm64 freebsd/amd64 freebsd/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64
cross:
	for p in $(PLATFORMS); do GOOS=$${p%/*} GOARCH=$${p#*/} go vet ./... && for m in bench examples sqldriver; do GOOS=$${p%/*} GOARCH=$${p#*/} go -C $$m vet ./... || exit; done || exit; done

# Every module lists what it needs, and no more.
MODULES := . tools tools/asm lab bench bench/peers bench/plots examples sqldriver web/browser
tidy:
	for m in $(MODULES); do go -C $$m mod tidy -diff || exit; done

# Known weaknesses. It reads the database of the Go project over the network, or
# what VULNDB names: -db file:///folder.
vulncheck:
	for m in $(MODULES); do go -C $$m run golang.org/x/vuln/cmd/govulncheck@v1.9.0 $(VULNDB) ./... || exit; done

# What the archives of a release hold beside the binary.
release-files: licences
	rm -rf bin/release
	mkdir -p bin/release/completions
	mv bin/licences bin/release/licences
	go run ./cmd/simdb man bin/release/man
	go run ./cmd/simdb completion bash >bin/release/completions/simdb.bash
	go run ./cmd/simdb completion zsh >bin/release/completions/_simdb
	go run ./cmd/simdb completion fish >bin/release/completions/simdb.fish
	go run ./cmd/simdb completion powershell >bin/release/completions/simdb.ps1

# Of what version, and for which processor, the image and the Debian package are.
VERSION ?= $(shell sed -n 's/^const Version = "v\(.*\)"/\1/p' internal/version/version.go)
ARCH ?= $(shell go env GOARCH)

# An image of linux for Docker; BUILDER may be podman, or buildah bud.
BUILDER ?= docker build
image:
	mkdir -p bin/image/data
	GOOS=linux GOARCH=$(ARCH) go build -trimpath -ldflags='-s -w' -o bin/image/simdb ./cmd/simdb
	$(BUILDER) --platform linux/$(ARCH) -t simdb -t simdb:$(VERSION) .

# A Debian package: bin/simdb_VERSION_ARCH.deb.
deb: release-files
	packaging/deb.sh $(VERSION) $(ARCH)

# What a release has beside its archives, in bin/extra: Debian packages, images and wheels.
SAVE ?= docker save -o
extra:
	rm -rf bin/extra bin/*.deb
	mkdir -p bin/extra
	for a in amd64 arm64; do $(MAKE) deb image ARCH=$$a && \
	  $(SAVE) bin/extra/simdb-$(VERSION)-image-$$a.tar simdb:$(VERSION) || exit; done
	gzip -9n bin/extra/*.tar
	mv bin/*.deb bin/extra/
	python3 python/wheel_of_simdb.py bin/extra

# The papers' experiments: lab/*/RESULTS.md and the CSV files beside them.
LAB = go -C lab run .
lab:
	$(LAB) si -out si $(abspath $(SIMDB_CORPORA))/roth >/dev/null
	$(LAB) plagiarism -out plagiarism $(abspath $(SIMDB_CORPORA))/nsf.jsonl.gz >/dev/null
	$(LAB) content -pack -force -out content $(abspath $(SIMDB_CORPORA))/roth $(abspath bin/content) >/dev/null
	$(LAB) repetition -out repetition $(abspath $(SIMDB_CORPORA)) >/dev/null
	$(LAB) measures -out measures $(abspath $(SIMDB_CORPORA)) >/dev/null
	$(LAB) edits -out edits $(abspath $(SIMDB_CORPORA))/nsf.jsonl.gz >/dev/null
	$(LAB) halves -out halves $(abspath $(SIMDB_CORPORA)) >/dev/null

# The results that are kept, compared with what the code gives now. Times may
# differ. TestKeptResults of each says which part takes too long to repeat.
lab-check:
	CI=true SIMDB_TORTURE=ci go -C lab test -count 1 -run '^TestKeptResults$$' ./...

# Their figures, as SVG beside the CSV files.
plots:
	cd bench/plots && go run . $(PLOTS)

PLOTS ?= $(addprefix ../../lab/, plagiarism/by_k.csv si/k.csv measures/roc.csv) $(addprefix ../../lab/edits/, replaced.csv mistyped.csv moved.csv left-out.csv inside.csv)

# So many executions of every fuzz target there is: a time would also count the
# compiling. No more than a hundred go to making one input smaller, as go test by
# default takes a minute for that and, where goroutines run, never gets done.
FUZZ ?= 10000x
fuzz-short:
	@set -e; packages=$$(go list ./...); for p in $$packages; do \
	  targets=$$(go test -list '^Fuzz' $$p); \
	  for f in $$(echo "$$targets" | grep '^Fuzz' || true); do \
	    echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZ) -fuzzminimizetime 100x $$p; \
	  done; \
	done

# The long column of the tests of durability: days on one core. It can be ended at
# any time and goes on with the rows that are not done; bin/torture/table.md is what
# it has come to. ROWS='D1 C1=5000' runs these rows, the second with so many tries.
# Then stores and statements are drawn and held against definitions, without end; the
# seeds are printed. make oracle does that alone.
# Every fuzz target for ten minutes is: make fuzz-short FUZZ=10m.
torture:
	go -C bench run ./torture -out ../bin/torture $(ROWS)
	$(MAKE) oracle

SEED ?= $(shell date +%s)000
oracle: build
	go -C bench run ./oracle -simdb ../simdb -seed $(SEED) -stores 0

# The package for Python: the wheel of this machine, those of all platforms, and all its tests.
wheel:
	mkdir -p bin/wheels
	python3 -c 'import sys; sys.path.insert(0, "python"); import wheel_of_simdb; print(wheel_of_simdb.build_wheel("bin/wheels"))'

wheels:
	python3 python/wheel_of_simdb.py bin/wheels

python:
	python/check

demo: build
	rm -rf demo.simdb
	./simdb import demo.simdb testdata/demo

clean:
	rm -rf simdb demo.simdb bin
