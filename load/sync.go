package load

// Sync makes the documents of a folder follow its files. A note for each file is stored in the
// batch of its document, so a killed sync continues where it stopped.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/ingest"
)

// Sync makes the documents of a folder follow its files: it adds new files, replaces the documents
// of changed files, and deletes the documents of files that are gone. It reads a file again if its
// size or time differs, and replaces the document if the text differs. Each file is one text,
// compressed or not; archives and files of records are rejected. The id is the path in the folder.
//
// An error never deletes a document: Sync keeps the documents of unreadable files, of files below
// an unreadable directory, and of rejected files, and deletes nothing if the folder is missing. If
// the folder contains no file at all, like an unmounted one, Sync returns ErrInvalid unless
// DeleteAll is set. Sync does not change documents of another origin: it rejects a file with the id
// of such a document, unless the texts are equal. In a collection with unique_sim, Sync reads all
// files, and rejects the files that the constraint refuses.
//
// The next Sync continues an interrupted one. Two syncs of one folder must not run at the same
// time.
func Sync(ctx context.Context, db *simdb.DB, folder string, o api.SyncOptions) (api.SyncStats, error) {
	y, err := newSyncRun(db, folder, o)
	if err != nil {
		return api.SyncStats{}, fmt.Errorf("sync: %w", err)
	}
	defer y.before.Close()
	defer y.root.Close()
	err = db.Load(ctx, y.batches(ctx), func(b *simdb.Batch, _ api.BatchStats) { y.landed(b) })
	if err == nil && y.refused.Len() > 0 {
		_, err = db.Commit(ctx, &y.refused)
	}
	if err == nil {
		err = y.deleteGone(ctx)
	}
	y.stats.Unchanged += y.same.Load()
	if err != nil {
		err = fmt.Errorf("sync: %w", err)
	}
	return y.stats, err
}

// syncRun is a sync in progress.
type syncRun struct {
	db     *simdb.DB
	o      api.SyncOptions
	folder string // absolute
	root   *os.Root
	begin  string          // name prefix of its notes
	before *simdb.Snapshot // the state before the sync
	into   *destination

	files    atomic.Int64 // seen by the walk
	same     atomic.Int64 // skipped, because size and time are unchanged
	inFlight chan syncReport
	refused  simdb.Batch // deletes the notes of new files that unique_sim refused
	stats    api.SyncStats
}

// syncReport holds the report of a batch until the batch is durable.
type syncReport struct {
	stats    api.SyncStats
	rejects  []api.Reject
	warnings [][2]string
	puts     map[string]syncPut // by id, in a collection with unique_sim
}

// syncPut is a file that unique_sim may refuse.
type syncPut struct {
	doc     ingest.Doc // without its text
	replace bool
}

// syncAhead exceeds the number of batches that Load keeps in flight, so that a send does not
// block.
const syncAhead = 64

// newSyncRun checks the folder and the options, and takes a snapshot of the state before the sync.
func newSyncRun(db *simdb.DB, folder string, o api.SyncOptions) (*syncRun, error) {
	abs, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(abs); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is not a folder", api.ErrInvalid, folder)
	}
	o.Into = cmp.Or(o.Into, api.DefaultCollection)
	o.MaxDocBytes = cmp.Or(o.MaxDocBytes, db.MaxDocBytes())
	y := &syncRun{db: db, o: o, folder: abs, inFlight: make(chan syncReport, syncAhead)}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []string{abs, o.Into, o.Prefix}))
	y.begin = "sync/" + hex.EncodeToString(sum[:16]) + "/"
	if y.root, err = os.OpenRoot(abs); err != nil {
		return nil, err
	}
	if y.before, err = db.Snapshot(); err != nil {
		return nil, errors.Join(err, y.root.Close())
	}
	y.into, err = destinationIn(y.before, o.Into, o.Settings)
	if err == nil && y.into.settings.Unit == "token" {
		err = fmt.Errorf("%w: collection %q has unit = 'token', but files supply no tokens", api.ErrInvalid, o.Into)
	}
	if err != nil {
		return nil, errors.Join(err, y.root.Close(), y.before.Close())
	}
	return y, nil
}

// syncNote is the stored state of a file: its size, time, and a hash of its text.
type syncNote struct {
	size, time int64
	hash       [16]byte
}

// recent is the age below which the time of a file proves nothing: on a file system with a
// resolution of up to two seconds, a further change may leave the time the same. A note omits such
// a time, so that the next sync compares the text.
const recent = 2 * time.Second

// noteOf returns the note for a file and its text.
func noteOf(f *ingest.File, text string) syncNote {
	n := syncNote{size: f.Size, time: f.Time.UnixNano()}
	if time.Since(f.Time) < recent {
		n.time = 0
	}
	sum := sha256.Sum256([]byte(text))
	copy(n.hash[:], sum[:])
	return n
}

// encode returns 16 bytes of hash, 8 bytes of time and a varint of size.
func (n syncNote) encode() []byte {
	b := append([]byte{}, n.hash[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(n.time))
	return binary.AppendUvarint(b, uint64(n.size))
}

// note returns the stored note of a file, nil for a new file.
func (y *syncRun) note(rel string) (*syncNote, error) {
	b, err := y.db.Note(y.begin + rel)
	if err != nil || b == nil {
		return nil, err
	}
	if len(b) < 25 {
		return nil, fmt.Errorf("%w: note %s%s", api.ErrCorrupt, y.begin, rel)
	}
	n := &syncNote{time: int64(binary.BigEndian.Uint64(b[16:]))}
	copy(n.hash[:], b)
	size, _ := binary.Uvarint(b[24:])
	n.size = int64(size)
	return n, nil
}

// take reports whether to read a file: false if it is unchanged and stored. It runs concurrently
// with the batches. In a collection with unique_sim every file is read, because the note of a file
// does not show whether its text was stored.
func (y *syncRun) take(ctx context.Context, f ingest.File) (bool, error) {
	y.files.Add(1)
	if y.into.constrained {
		return true, nil
	}
	n, err := y.note(f.Rel)
	if err != nil || n == nil || n.size != f.Size || n.time != f.Time.UnixNano() {
		return err == nil, err
	}
	there, err := exists(ctx, y.before, y.o.Into, y.o.Prefix+f.Rel)
	if there {
		y.same.Add(1)
	}
	return err == nil && !there, err
}

// batches yields the batches for the files that take selects.
func (y *syncRun) batches(ctx context.Context) iter.Seq2[*simdb.Batch, error] {
	return func(yield func(*simdb.Batch, error) bool) {
		o := ingest.Options{Prefix: y.o.Prefix, Binary: y.o.Binary, MaxDocBytes: y.o.MaxDocBytes, MaxRatio: y.o.MaxRatio,
			Renderer: y.o.Renderer, Exclude: y.o.Exclude, GitIgnore: y.o.GitIgnore,
			Take: func(f ingest.File) (bool, error) { return y.take(ctx, f) }}
		for in, err := range ingest.Read(ctx, []string{y.folder}, o) {
			if err != nil {
				yield(nil, err)
				return
			}
			b, err := y.batch(ctx, in)
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// batch converts a batch of package ingest and queues its report.
func (y *syncRun) batch(ctx context.Context, in *ingest.Batch) (*simdb.Batch, error) {
	b := &simdb.Batch{}
	f := syncReport{rejects: in.Rejects, puts: map[string]syncPut{}}
	code, err := lexAll(in.Docs, func(ingest.Doc) (*api.Settings, error) { return &y.into.settings, nil })
	if err != nil {
		return nil, err
	}
	for i, d := range in.Docs {
		if err := code[i].err; err != nil {
			f.rejects = append(f.rejects, rejected(d, err.Error()))
			continue
		}
		if err := y.document(ctx, b, &f, d, code[i].found); err != nil {
			return nil, err
		}
	}
	select {
	case y.inFlight <- f:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// document adds the changes for one file to a batch: its note, and a put unless the text is stored
// already.
func (y *syncRun) document(ctx context.Context, b *simdb.Batch, f *syncReport, d ingest.Doc, lexed []byte) error {
	known, err := y.note(d.File.Rel)
	if err != nil {
		return err
	}
	there, err := exists(ctx, y.before, y.o.Into, d.ID)
	if err != nil {
		return err
	}
	sum, _ := d.Meta["sha256"].(string) // of a rendered document: equal texts may have different metadata
	now := noteOf(d.File, d.Text+sum)
	same := there && known != nil && known.hash == now.hash
	if there && (known == nil || y.into.constrained) {
		stored, err := y.before.Get(ctx, y.o.Into, d.ID)
		if err != nil {
			return err
		}
		same = stored.Text == d.Text
		if known == nil && !same { // of another origin
			f.rejects = append(f.rejects, rejected(d, "a document of this id did not come from this folder, and has another text; use --prefix or --in, or delete it"))
			return nil
		}
	}
	b.Note(y.begin+d.File.Rel, now.encode())
	switch {
	case same:
		f.stats.Unchanged++
		return nil
	case there:
		f.stats.Replaced++
	default:
		f.stats.Added++
	}
	if !y.into.made {
		if err := y.db.CreateCollection(ctx, y.o.Into, y.o.Settings); err != nil && !errors.Is(err, api.ErrExists) {
			return err
		}
		y.into.made = true
	}
	doc := api.Document{Collection: y.o.Into, ID: d.ID, Text: d.Text, Meta: d.Meta, Lexed: lexed}
	if y.into.constrained {
		b.PutUnlessSimilar(doc)
		d.Text = ""
		f.puts[d.ID] = syncPut{d, there}
	} else {
		b.Put(doc)
	}
	for _, w := range d.Warnings {
		f.warnings = append(f.warnings, [2]string{d.ID, w})
	}
	return nil
}

// landed counts the oldest batch, which has become durable, and reports its rejects and warnings.
func (y *syncRun) landed(b *simdb.Batch) {
	f := <-y.inFlight
	for _, d := range b.Dropped() {
		put := f.puts[d.ID]
		if put.replace {
			f.stats.Replaced--
		} else {
			f.stats.Added--
			y.refused.Note(y.begin+put.doc.File.Rel, nil)
		}
		f.rejects = append(f.rejects, rejected(put.doc, constrainedBy(d.Match)))
	}
	y.stats.Added += f.stats.Added
	y.stats.Replaced += f.stats.Replaced
	y.stats.Unchanged += f.stats.Unchanged
	y.stats.Rejected += int64(len(f.rejects))
	y.stats.NoText += noText(f.rejects)
	passOn(f.rejects, y.o.OnReject, f.warnings, y.o.OnWarning)
}
