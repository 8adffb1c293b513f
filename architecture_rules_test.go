package simdb_test

// The rules of ARCHITECTURE.md that a test can hold: which folder may import which, and
// which folder may import a module.

// mayImport lists the folders that each folder may import, in the order in which data flows:
// a folder imports only folders that stand before it. simdb.go stands for the root package.
const mayImport = `
api:
internal/text:
internal/keys:
internal/version:
internal/worker:
internal/guard:
internal/torture:
wal:
code: api
internal/ingest: api
internal/rendition:
internal/pdftext: internal/rendition
internal/corpus:
internal/realtext: internal/corpus
internal/alltests:
internal/phrase:
internal/progress: api
internal/meter: api
observe: api
internal/slack:
internal/budget:
internal/shingle: internal/text
internal/sketch: internal/text internal/shingle
internal/entity: internal/text internal/sketch
internal/measure: api internal/text internal/shingle internal/sketch
internal/drawn: api internal/text internal/shingle internal/measure
internal/notes: internal/text
internal/params:
index: api internal/shingle internal/sketch internal/measure
index/join: api internal/progress internal/shingle internal/sketch internal/measure index
internal/scale: api internal/text internal/shingle internal/sketch internal/measure index index/join
engine/internal/fault: api internal/version
engine/internal/host:
engine/internal/record: api internal/text internal/keys internal/phrase internal/shingle internal/sketch
	internal/entity internal/measure index engine/internal/fault engine/internal/host
engine/internal/durable: engine/internal/fault
engine/internal/history: api wal engine/internal/fault engine/internal/durable
engine/internal/disk: api internal/keys internal/version internal/worker wal engine/internal/fault
	engine/internal/host engine/internal/durable engine/internal/history
engine/internal/segment: api internal/keys internal/measure index engine/internal/fault engine/internal/host
	engine/internal/record engine/internal/durable engine/internal/disk
engine/internal/groups: api internal/keys index/join engine/internal/fault engine/internal/record engine/internal/disk
engine/internal/view: api internal/progress internal/keys internal/shingle internal/sketch internal/measure index
	engine/internal/fault engine/internal/host engine/internal/record engine/internal/disk engine/internal/segment
	engine/internal/groups
engine/internal/search: api internal/progress internal/text internal/keys internal/shingle internal/sketch
	internal/measure index engine/internal/fault engine/internal/host engine/internal/record engine/internal/disk
	engine/internal/segment engine/internal/view
engine/internal/salvage: api internal/progress internal/keys wal engine/internal/fault engine/internal/record
	engine/internal/history engine/internal/disk
engine/internal/check: api internal/progress internal/keys internal/measure index engine/internal/fault
	engine/internal/host engine/internal/record engine/internal/disk engine/internal/segment engine/internal/view
engine/internal/pairs: api internal/progress internal/keys internal/shingle internal/sketch internal/measure index
	index/join engine/internal/fault engine/internal/host engine/internal/record engine/internal/disk
	engine/internal/segment engine/internal/groups engine/internal/view engine/internal/search
engine/internal/condition: api internal/keys internal/shingle internal/measure index engine/internal/fault
	engine/internal/host engine/internal/record engine/internal/disk engine/internal/segment engine/internal/view
	engine/internal/search
engine/internal/inside: api engine/internal/disk engine/internal/segment engine/internal/view
engine: api internal/budget internal/progress internal/keys internal/worker wal internal/phrase internal/shingle internal/measure
	index engine/internal/fault engine/internal/host engine/internal/record engine/internal/history
	engine/internal/disk engine/internal/segment engine/internal/view engine/internal/search
	engine/internal/salvage engine/internal/check engine/internal/pairs engine/internal/condition
	engine/internal/groups engine/internal/inside
engine/internal/testmodel: api internal/text internal/shingle internal/sketch internal/entity internal/measure
	engine/internal/search
engine/internal/enginetest: api internal/text internal/keys internal/shingle internal/measure internal/torture index
	engine engine/internal/record engine/internal/disk engine/internal/segment engine/internal/view
	engine/internal/search engine/internal/inside engine/internal/testmodel
query/syntax: api
query/value: api engine query/syntax
query/plan: api internal/measure engine query/syntax query/value
query/run: api internal/measure engine query/syntax query/value query/plan
query/shards: api engine query/syntax query/value query/plan
query: query/shards query/value query/syntax query/run query/plan api internal/measure engine
simdb.go: query/shards api internal/budget internal/meter internal/version engine query internal/measure
load/internal/dump:
load: api internal/ingest engine simdb.go load/internal/dump
internal/overview: api simdb.go
web: api simdb.go load internal/overview internal/params
internal/report:
internal/evaluate: api internal/report internal/text internal/shingle internal/sketch internal/entity internal/measure
	simdb.go
render: api internal/rendition simdb.go
testdata:
cmd/simdb/internal/exit: api
cmd/simdb/internal/output: api internal/progress cmd/simdb/internal/exit
cmd/simdb/internal/columnar: api
cmd/simdb/internal/command: api internal/ingest load simdb.go cmd/simdb/internal/exit cmd/simdb/internal/output
cmd/simdb/internal/session: api query/syntax query simdb.go cmd/simdb/internal/exit cmd/simdb/internal/output
cmd/simdb/internal/scale: api internal/ingest internal/scale load query simdb.go cmd/simdb/internal/exit
	cmd/simdb/internal/output cmd/simdb/internal/columnar cmd/simdb/internal/command
cmd/simdb/internal/load: api internal/ingest load internal/pdftext query render simdb.go
	cmd/simdb/internal/exit cmd/simdb/internal/output cmd/simdb/internal/columnar cmd/simdb/internal/command
	cmd/simdb/internal/scale
cmd/simdb/internal/search: api internal/ingest load simdb.go testdata cmd/simdb/internal/exit cmd/simdb/internal/output
	cmd/simdb/internal/command cmd/simdb/internal/session cmd/simdb/internal/load internal/overview
cmd/simdb/internal/maintain: api internal/ingest load query simdb.go cmd/simdb/internal/exit cmd/simdb/internal/output
	cmd/simdb/internal/columnar cmd/simdb/internal/command cmd/simdb/internal/session cmd/simdb/internal/load
cmd/simdb/internal/verify: api internal/ingest internal/overview internal/shingle internal/text query simdb.go
	cmd/simdb/internal/exit cmd/simdb/internal/output cmd/simdb/internal/columnar cmd/simdb/internal/command
	cmd/simdb/internal/load
cmd/simdb/internal/shell: api query/syntax query simdb.go cmd/simdb/internal/exit cmd/simdb/internal/output
	cmd/simdb/internal/command cmd/simdb/internal/session cmd/simdb/internal/load cmd/simdb/internal/maintain
cmd/simdb/internal/serve: query simdb.go web cmd/simdb/internal/exit cmd/simdb/internal/output cmd/simdb/internal/command
	cmd/simdb/internal/load
cmd/simdb/internal/agent: api internal/notes internal/params simdb.go web cmd/simdb/internal/exit cmd/simdb/internal/command
	cmd/simdb/internal/serve
cmd/simdb/internal/evaluate: internal/report internal/evaluate simdb.go cmd/simdb/internal/exit
	cmd/simdb/internal/output cmd/simdb/internal/command
cmd/simdb: api internal/budget internal/slack code simdb.go cmd/simdb/internal/exit cmd/simdb/internal/output
	cmd/simdb/internal/command cmd/simdb/internal/scale cmd/simdb/internal/load cmd/simdb/internal/search
	cmd/simdb/internal/maintain cmd/simdb/internal/shell cmd/simdb/internal/serve cmd/simdb/internal/agent
	cmd/simdb/internal/evaluate cmd/simdb/internal/verify
`

// importedBy lists, for each module of others, the folders that may import it.
const importedBy = `
github.com/cockroachdb/pebble/v2: engine/internal/disk engine/internal/salvage engine/internal/segment
	engine/internal/groups engine/internal/view engine/internal/search engine engine/internal/enginetest
github.com/cockroachdb/pebble/v2/vfs: wal engine/internal/host engine/internal/durable engine/internal/history
	engine/internal/disk engine/internal/salvage engine/internal/segment engine/internal/pairs engine
	engine/internal/inside engine/internal/enginetest
github.com/dgraph-io/ristretto/v2: engine/internal/view
github.com/RoaringBitmap/roaring/v2: index engine/internal/groups engine/internal/search engine/internal/pairs engine
github.com/cespare/xxhash/v2: internal/text internal/shingle internal/measure internal/ingest internal/scale cmd/simdb/internal/verify
	engine/internal/record
github.com/alecthomas/chroma/v2: code
github.com/clipperhouse/uax29/v2: internal/text
golang.org/x/text: internal/text internal/ingest internal/rendition
golang.org/x/net: internal/rendition cmd/simdb/internal/verify
github.com/wlynxg/chardet: internal/rendition
github.com/ledongthuc/pdf: internal/pdftext
github.com/ulikunitz/xz: internal/ingest
github.com/klauspost/compress: internal/scale engine/internal/record internal/ingest cmd/simdb/internal/columnar
github.com/parquet-go/parquet-go: cmd/simdb/internal/output cmd/simdb/internal/columnar
github.com/apache/arrow-go/v18: cmd/simdb/internal/output cmd/simdb/internal/columnar
github.com/google/flatbuffers: cmd/simdb/internal/columnar
github.com/andybalholm/brotli: cmd/simdb/internal/columnar
github.com/pierrec/lz4/v4: cmd/simdb/internal/columnar
github.com/bmatcuk/doublestar/v4: internal/ingest
github.com/go-json-experiment/json: internal/ingest cmd/simdb/internal/columnar
golang.org/x/sync: index index/join internal/scale engine/internal/segment engine/internal/view engine/internal/search
	engine/internal/check engine/internal/pairs engine/internal/condition engine engine/internal/enginetest
	query/shards load internal/evaluate cmd/simdb/internal/columnar
golang.org/x/sys: internal/sketch engine/internal/host engine/internal/disk
github.com/fsnotify/fsnotify: cmd/simdb/internal/load
github.com/spf13/cobra: cmd/simdb/internal/output cmd/simdb/internal/command cmd/simdb/internal/session
	cmd/simdb/internal/scale cmd/simdb/internal/load cmd/simdb/internal/search cmd/simdb/internal/maintain
	cmd/simdb/internal/shell cmd/simdb/internal/serve cmd/simdb/internal/agent cmd/simdb/internal/evaluate
	cmd/simdb/internal/verify cmd/simdb
github.com/modelcontextprotocol/go-sdk: cmd/simdb/internal/agent
github.com/google/jsonschema-go: cmd/simdb/internal/agent
github.com/spf13/pflag: cmd/simdb/internal/command cmd/simdb/internal/scale cmd/simdb/internal/load cmd/simdb
github.com/clipperhouse/displaywidth: cmd/simdb/internal/output cmd/simdb/internal/search
golang.org/x/term: cmd/simdb/internal/output cmd/simdb/internal/shell
`
