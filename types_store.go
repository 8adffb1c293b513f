package simdb

// The types of what is opened and stored.
// The comments are copies, made by go test . -run TestTypesAreDocumented -update.

import (
	"github.com/simdb/simdb/engine"
)

// Options of Open; nil and the zero value are the defaults.
//
//	type Options struct {
//		MustExist   bool         // fail with fs.ErrNotExist rather than create the store
//		ReadOnly    bool         // show it as it is now, beside others that read it and one that writes, and write nothing in its directory. Changes are ErrReadOnly
//		InMemory    bool         // keep all in memory, until Close; the path names nothing
//		CacheBytes  int64        // memory for decoded sets; 0 means 36 MiB
//		MemoryBytes int64        // memory for imports, builds, joins and recovery, roughly; 0 means 256 MiB. One text always goes, however long
//		Shared      *Shared      // what this store has together with others of the process; then it says CacheBytes and MemoryBytes. nil means nothing
//		MaxDocBytes int64        // largest text that Put takes; 0 means 16 MiB, and none is above 4 GiB − 1
//		Logger      *slog.Logger // nil means silent
//		Convert     Convert      // what Open does with texts that were read with other Unicode tables; "" means ConvertNewer
//
//		// KeepLog, unless nil, sets which log segments the store keeps from now on as history,
//		// for Tail, ExtendBackup and RestoreTo; the zero value is none, as at first. The store
//		// remembers it, for every program that opens it to write.
//		KeepLog *KeepLog
//
//		OpenProgress func(OpenProgress) // told how far Open has come where it takes long; nil means nobody
//
//		// Entities finds what paragraphs name, for the measure entities; nil means the
//		// built-in extractor. A collection that keeps what one has found opens only with one of
//		// the same Name.
//		Entities *EntityExtractor
//
//		// SegmentSets is how many sets a fresh posting segment has; 0 means 4,096, and at most
//		// 1,048,576 will do. A test of a
//		// program makes it small, so that few documents have segments, merges and a tail.
//		SegmentSets uint32
//		// contains filtered or unexported fields
//	}
type Options = engine.Options

// Convert says what Open does with a store whose texts were read with the Unicode
// tables of another Go release: letters that were unassigned then may be read otherwise.
// It then reads all texts again, which takes as long as an import.
//
//	type Convert string
type Convert = engine.Convert

// OpenProgress says how far Open has come. Total is about what there is.
//
//	type OpenProgress struct {
//		Step        string // StepReplay, StepReadAgain or StepRepair
//		Done, Total int64
//	}
type OpenProgress = engine.OpenProgress

// Document is one stored text.
//
//	type Document struct {
//		Collection string   // "" means "docs"
//		ID         string   // any non-empty string of at most 4 kB
//		Text       string   // need not be valid UTF-8; stored as it is
//		Tokens     []string // where the collection has unit = 'token', and only there: what shingles are made of, as it is
//		Meta       Meta     // may be nil
//	}
type Document = engine.Document

// Meta holds a document's other fields: what encoding/json makes of an object,
// with numbers as json.Number, int, int64 or float64. Text in it is valid UTF-8, objects
// and arrays nest 10,000 deep at most, the object itself counted, and all of it is 1 MiB
// of JSON at most.
//
//	type Meta map[string]any
type Meta = engine.Meta

// Batch is a group of operations that become visible together or not at all.
// The zero value is empty and ready. Not safe for concurrent use.
//
//	type Batch struct {
//		// contains filtered or unexported fields
//	}
//
// Its methods:
//
//	func (b *Batch) Delete(collection, id string)
//	    Delete removes a document. One that is not there is no error, and BatchStats does not count
//	    it: what is wanted is that it is gone. A collection that is not there is ErrNoCollection.
//
//	func (b *Batch) Dropped() []Dropped
//	    Dropped lists the puts that a similar document kept out, in the order of the batch. It
//	    is there once Commit has returned, or Load has acknowledged the batch.
//
//	func (b *Batch) Evicted() []Dropped
//	    Evicted lists the documents that puts of the batch took the place of, in the order of the
//	    batch, then by id. Op is the place of the put, ID the document that is gone, and Match
//	    the new one. It is there when Dropped is.
//
//	func (b *Batch) Len() int
//	    Len is the number of operations.
//
//	func (b *Batch) Note(name string, value []byte)
//	    Note keeps a value under a name, for DB.Note to read: how far an import came,
//	    in the same batch as its documents. A nil value removes it, an empty one does not.
//
//	func (b *Batch) Put(d Document)
//	    Put adds a document; an equal id replaces.
//
//	func (b *Batch) PutNew(d Document)
//	    PutNew adds a document whose id is not there when its turn comes. If it is, the whole
//	    batch is refused with ErrExists.
//
//	func (b *Batch) PutReplacingSimilar(d Document, q Search, onlyLonger bool)
//	    PutReplacingSimilar adds a document and removes those that are similar to it, as
//	    PutUnlessSimilar means it. If onlyLonger is set it does so only if the text is longer, in
//	    bytes, than that of every one of them; else the document is dropped. Evicted tells what was
//	    removed.
//
//	func (b *Batch) PutUnlessSimilar(d Document, q Search)
//	    PutUnlessSimilar adds a document, unless one of another id is similar to it: one that
//	    is stored then, or was put by an earlier operation of the batch. An equal id replaces.
//	    q names the measure and the threshold. Jaccard is the default; 0 as a threshold means
//	    the unique_sim of the collection if it has one, else 0.8. The measures of sets will do,
//	    by the collection's own k, and SimHash. By a measure that is not symmetric, the new
//	    document is the query. A text without shingles is similar to nothing. Dropped tells what
//	    did not take effect.
//
//	func (b *Batch) UpdateMeta(collection, id string, meta Meta)
//	    UpdateMeta changes fields of a document's metadata, if the document is there. A nil
//	    value removes its field. After a Put of the same document in the batch it changes what
//	    that puts.
type Batch = engine.Batch

// BatchStats says what a batch did. An operation that a later one on the same
// id in the same batch overrides counts as superseded only. Dropped counts the
// puts that something similar kept out.
//
//	type BatchStats struct{ Inserted, Replaced, Deleted, Updated, Superseded, Dropped int }
type BatchStats = engine.BatchStats

// Settings are fixed when a collection is created.
//
//	type Settings struct {
//		Unit      string // "word" (default), "char", or "token": documents bring their tokens
//		K         int    // 0 means 3 for words, 5 for characters
//		Intervals string // "" or "none", "paper", or '1-10,11-20,…'
//		UniqueSim string `json:",omitempty"` // no two documents may resemble each other so much or more; "" means they may
//
//		// Index names the metadata fields, at most 16, whose values are indexed, so that a
//		// WHERE finds the few documents that it keeps: "year, author.name".
//		Index string `json:",omitempty"`
//
//		// What is kept of every text for the measures of the papers. Without it they
//		// are answered all the same, by reading every text.
//		SI       string `json:",omitempty"` // similarity indexes, at most 4, as sketch.ParseSI reads them: "m43b k40, m3b k16"
//		Versions bool   `json:",omitempty"` // fingerprints of sentences
//		Entities bool   `json:",omitempty"` // fingerprints of what paragraphs name
//		Words    bool   `json:",omitempty"` // word frequencies
//		Patricia bool   `json:",omitempty"` // passages
//
//		// What the built-in extractor of entities knows beside its rules: names, one a line,
//		// and groups of terms for one thing, one group a line with commas between. They are
//		// the texts themselves, at most 1 MiB each. A collection with lists uses no other extractor.
//		Gazetteer string `json:",omitempty"`
//		Synonyms  string `json:",omitempty"`
//	}
type Settings = engine.Settings

// CollectionInfo describes a collection.
//
//	type CollectionInfo struct {
//		Name      string
//		Settings  Settings
//		Documents int64
//		Sets      int64 // distinct shingle bags
//		TextBytes int64
//		Implied   bool // docs before it is made, by its first document or by CreateCollection
//	}
type CollectionInfo = engine.CollectionInfo

// DocInfo is what is known of a document without reading its text.
//
//	type DocInfo struct {
//		ID        string
//		Meta      Meta
//		TextBytes int64
//		Shingles  int64       // distinct
//		SimHash   uint64      // valid when Shingles > 0
//		SI        []SIValue // similarity indexes, in the order of the collection's settings
//	}
type DocInfo = engine.DocInfo

// SIValue is SI in the package it comes from. SI is a similarity index of a document; a text may be too short to have one.
//
//	type SIValue struct {
//		Value int64
//		Valid bool
//	}
type SIValue = engine.SI

// Snapshot is a repeatable view of the store: every call on it sees the same
// documents, whatever is written meanwhile. Close it soon: it keeps what is
// overwritten from being freed. Safe for concurrent use.
//
//	type Snapshot struct {
//		// contains filtered or unexported fields
//	}
//
// Its methods:
//
//	func (s *Snapshot) Close() error
//	    Close lets the snapshot go. Calls after it return ErrClosed; calls and loops
//	    over rows that are under way go on to their end, also one that Close is
//	    called from, and the last of them frees what the snapshot keeps.
//
//	func (s *Snapshot) Clusters(ctx context.Context, q Search) (*Result[ClusterMember], error)
//	    Clusters finds the connected components of two or more documents: largest
//	    first, then by smallest id; members by id. It needs the edges of a spanning
//	    forest only, so a clump of equal documents costs no pairs. Where the measure
//	    is not symmetric, similarity in either direction connects.
//
//	func (s *Snapshot) Collection(name string) (CollectionInfo, error)
//	    Collection describes one; ErrNotFound if there is none of that name.
//
//	func (s *Snapshot) Collections() []CollectionInfo
//	    Collections describes all collections, by name.
//
//	func (s *Snapshot) Compare(ctx context.Context, a, b Target, in []string) ([]Comparison, error)
//	    Compare scores two targets by every measure, those with arguments by their
//	    defaults; see CompareBy.
//
//	func (s *Snapshot) CompareBy(ctx context.Context, a, b Target, in []string, methods []Method) ([]Comparison, error)
//	    CompareBy scores two targets by methods, in their order; none means all. a is
//	    the query and b the document, read by the analysis of the first collection
//	    named (docs if none).
//
//	func (s *Snapshot) Dedupe(ctx context.Context, q Search, keep Keep) (*Result[Duplicate], error)
//	    Dedupe finds the documents of groups that similar pairs tie together, and which of
//	    them stay: going through a group in the order of keep, a document stays unless one
//	    that stays already is similar to it. So none goes that is not similar to one that
//	    stays, and no two that stay are similar. Rows come group by group, those of one in
//	    the order of keep.
//
//	func (s *Snapshot) Documents(ctx context.Context, collection string) iter.Seq2[Document, error]
//	    Documents is Infos with the texts.
//
//	func (s *Snapshot) Evidence(t Target, in []string) (func(context.Context, Relation) (Evidence, error), error)
//	    Evidence returns a function that finds the evidence of rows about a target. It keeps what
//	    it reads of the target for the next row, and is for one goroutine.
//
//	func (s *Snapshot) Explain(ctx context.Context, t Target, q Search) (*Plan, error)
//	    Explain says how Similar would go, without searching.
//
//	func (s *Snapshot) ExplainClusters(ctx context.Context, q Search) (*Plan, error)
//	    ExplainClusters says how Clusters would go, without joining.
//
//	func (s *Snapshot) ExplainDedupe(ctx context.Context, q Search, keep Keep) (*Plan, error)
//	    ExplainDedupe says how Dedupe would go, without joining.
//
//	func (s *Snapshot) ExplainPairs(ctx context.Context, q Search) (*Plan, error)
//	    ExplainPairs says how Pairs would go, without joining. With a limit, Pairs tries
//	    high thresholds first: this is the plan of the first try.
//
//	func (s *Snapshot) ExplainRelated(ctx context.Context, t Target, q Relations) (*Plan, error)
//	    ExplainRelated says how Related would go, without searching.
//
//	func (s *Snapshot) Fields(ctx context.Context, collection string, most int) ([]string, error)
//	    Fields returns the names of the top-level metadata fields that occur in a
//	    collection, sorted. Once it knows more than most it returns what it knows; 0 means any
//	    number.
//
//	func (s *Snapshot) Get(collection, id string) (Document, error)
//	    Get returns a stored document; ErrNotFound if there is none of that id.
//
//	func (s *Snapshot) IDs(ctx context.Context, collection, prefix string) iter.Seq2[string, error]
//	    IDs goes through the ids of a collection that begin with a prefix, in their order, bytewise.
//	    It costs as much as there are such ids, not as there are documents.
//
//	func (s *Snapshot) IDsWhere(ctx context.Context, collection string, f *Fields) (ids []string, index string, ok bool, err error)
//	    IDsWhere returns the ids of the documents of a collection that may meet a condition on
//	    their metadata, ascending, and what plans call the index that knows them. It reports
//	    false where no index helps.
//
//	func (s *Snapshot) Info(collection, id string) (DocInfo, error)
//	    Info describes a document; ErrNotFound if there is none of that id.
//
//	func (s *Snapshot) Infos(ctx context.Context, collection string) iter.Seq2[DocInfo, error]
//	    Infos goes through a collection in the order of ids, bytewise.
//
//	func (s *Snapshot) InfosFrom(ctx context.Context, collection, from string) iter.Seq2[DocInfo, error]
//	    InfosFrom is Infos from the first id that is from or comes after it. To reach it takes no
//	    longer in a large collection.
//
//	func (s *Snapshot) Mark(ctx context.Context) (string, error)
//	    Mark is DB.Mark for the moment of the snapshot. Who takes the mark of the snapshot
//	    that Pairs is asked of misses nothing the next time.
//
//	func (s *Snapshot) Notes(ctx context.Context, prefix string) iter.Seq2[Note, error]
//	    Notes goes through the notes whose names begin with a prefix, by name, bytewise.
//
//	func (s *Snapshot) Pairs(ctx context.Context, q Search) (*Result[PairMatch], error)
//	    Pairs finds all similar pairs: sim descending, then (a, b) ascending. Candidates
//	    and edges take what the memory setting allows. Beyond that it holds 64 bytes
//	    for each set, and the similar pairs of distinct sets at one level of sim with
//	    their ids, not the rows.
//
//	func (s *Snapshot) Passages(ctx context.Context, a, b Target, in []string, args Args) ([]Passage, error)
//	    Passages lists what two texts have in common: the matches of more than
//	    args.Min characters that measure.Patricia counts, a being the query, in the
//	    order of b. Both are read as measure.Patricia reads them; offsets are those of
//	    the texts as stored.
//
//	func (s *Snapshot) Related(ctx context.Context, t Target, q Relations) (*Result[Relation], error)
//	    Related finds what is related to the target: the strongest kind first, then by score
//	    descending, then by id. A kind is searched for when the rows before it are read. The ids of
//	    the rows are held in memory until the last is read. ErrNotFound if the target's id is in
//	    none of the collections.
//
//	func (s *Snapshot) Sentences(ctx context.Context, a, b Target, in []string, args Args) ([]SentencePair, error)
//	    Sentences lists the sentences of a that have one within args.Bits in b, each
//	    with the nearest, in the order of a.
//
//	func (s *Snapshot) Similar(ctx context.Context, t Target, q Search) (*Result[Match], error)
//	    Similar finds the documents similar to the target: sim descending, then id
//	    ascending. A stored target does not match itself. ErrNotFound if the target's
//	    id is in none of the collections.
//
//	func (s *Snapshot) SimilarEach(ctx context.Context, targets []Target, q Search) ([]*Result[Match], error)
//	    SimilarEach is Similar for several targets: results[i] is what targets[i]
//	    alone would be answered. Flat scans of fingerprints go on together, eight to
//	    one pass over memory.
//
//	func (s *Snapshot) Sources(ctx context.Context, t Target, q Sources) (Cover, error)
//	    Sources covers the target by passages of the documents. The passages of a document are
//	    those that Coverage counts, if one of them has more than 2 Min characters, or more than a
//	    tenth of the target. Of all passages the longest is taken first; of equals the one of the
//	    document that has most of the target in all, then the one that begins first in the target,
//	    then the one of the first id and collection. No character is counted twice. The target is no
//	    source of itself. ErrNotFound if the target's id is in none of the collections.
//
//	func (s *Snapshot) Spread(ctx context.Context, collection string, n int) ([]string, error)
//	    Spread returns the ids of up to n documents that stand for a collection: they were first
//	    written at equal distances in its life. Of documents with equal shingles it knows one, and
//	    of those without any none.
type Snapshot = engine.Snapshot

// Dropped is a put of a batch that did not take effect, because of a similar document.
//
//	type Dropped struct {
//		Op      int             // which operation of the batch, counted from 0
//		ID      string          // of the document that was to be put
//		Match   Match           // what was there when its turn came, or was put by the same batch
//		Measure Measure // of the match: that of the condition, or Jaccard for unique_sim
//	}
type Dropped = engine.Dropped

// SimilarError refuses a put into a collection with unique_sim: another document is
// too similar. errors.Is(err, ErrSimilar) holds for it.
//
//	type SimilarError struct {
//		Collection, ID string // of the document that was to be put
//		UniqueSim      string // the setting
//		Match          Match  // what is there
//	}
//
// Its methods:
//
//	func (e *SimilarError) Error() string
//
//	func (e *SimilarError) Is(target error) bool
//	    Is makes it an ErrSimilar.
type SimilarError = engine.SimilarError

// Note is what Batch.Note has kept.
//
//	type Note struct {
//		Name  string
//		Value []byte
//	}
type Note = engine.Note

// EntityExtractor finds what a paragraph names, for the measure entities.
//
//	type EntityExtractor struct {
//		// Name tells this extractor from every other, also from its other versions.
//		Name string
//		// Entities returns the names in order, with repetition; equal ones are equal strings.
//		// It must give the same answer each time, and is called from many goroutines.
//		Entities func(paragraph string) []string
//	}
//
// Its methods:
//
//	func (x *EntityExtractor) Check() error
//	    Check refuses an extractor that is not whole. nil is the built-in one.
type EntityExtractor = engine.EntityExtractor
