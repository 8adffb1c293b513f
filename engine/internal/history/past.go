package history

// Reading the history beside whoever writes the store: files are only read, and nothing
// is locked. A log segment may be moved or deleted at any moment.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/fault"
	"github.com/simdb/simdb/wal"
)

// pollPause is how long is waited before the log is looked at again.
const pollPause = 50 * time.Millisecond

// Past is the history of a store, and its log, up to what is synced.
type Past struct {
	Keep api.KeepLog // what the store is to keep
	fs   vfs.FS
	path string
}

// OpenPast opens the history of a store, which keeps so much of it. It is ErrNotKept if
// the store keeps none.
func OpenPast(f vfs.FS, path string, keep api.KeepLog) (*Past, error) {
	p := &Past{Keep: keep, fs: f, path: path}
	_, err := p.settings()
	return p, err
}

func (p *Past) settings() (settings, error) {
	s, err := readSettings(p.fs, p.fs.PathJoin(p.path, Name, SettingsName))
	if errors.Is(err, fs.ErrNotExist) {
		return s, fault.NotKept("the store keeps no history: say how much it is to keep with simdb keep-log or Options.KeepLog")
	}
	return s, err
}

// files lists the segments there are, of the log and kept ones, by their first record. The
// log is listed first: a segment that is moved meanwhile is met twice, and not missed.
func (p *Past) files() ([]wal.File, error) {
	live, err := wal.Files(p.fs, p.fs.PathJoin(p.path, LogName))
	if err != nil {
		return nil, err
	}
	files, err := wal.Files(p.fs, p.fs.PathJoin(p.path, Name))
	if err != nil {
		return nil, err
	}
	for _, l := range live {
		if n := len(files); n == 0 || files[n-1].First < l.First {
			files = append(files, l)
		}
	}
	return files, nil
}

// Range says which records can be read: those after oldest, up to newest.
func (p *Past) Range() (oldest, newest uint64, err error) {
	s, err := p.settings()
	if err != nil {
		return 0, 0, err
	}
	files, err := p.files()
	if err != nil {
		return 0, 0, err
	}
	newest, err = wal.Mark(p.fs, p.fs.PathJoin(p.path, LogName))
	if err != nil {
		return 0, 0, err
	}
	oldest = s.Since
	if len(files) > 0 {
		// A segment is begun when all before it is synced.
		last := files[len(files)-1]
		oldest, newest = max(oldest, files[0].First-1), max(newest, last.First-1, last.Last)
	}
	return oldest, max(oldest, newest), nil
}

// KeptBytes is how long the kept segments are in all.
func (p *Past) KeptBytes() (n int64, err error) {
	files, err := wal.Files(p.fs, p.fs.PathJoin(p.path, Name))
	for _, f := range files {
		n += f.Bytes
	}
	return n, err
}

// Record is a record of the log.
type Record struct {
	Seq     uint64
	Payload []byte // valid until the next one
}

// Settings says what the records after since are read with.
type Settings struct {
	Of    [][]byte // before the first record of Records
	Until uint64   // what records up to here change is in Of already
}

// Records goes through the records after since, in order. settings is told first how
// they are read, and then gets some of the records before them, as they may change that:
// the caller leaves out what is at or below since. The loop ends with the last record that
// was synced when it got there, or, if it follows, with the context.
func (p *Past) Records(ctx context.Context, since uint64, follow bool, begin func(Settings) error) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		r := pastReader{Past: p, ctx: ctx, next: since + 1}
		defer r.close()
		if err := r.begin(begin); err != nil {
			yield(Record{}, err)
			return
		}
		for {
			more, err := r.await(follow)
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !more {
				return
			}
			record, err := r.read()
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// pastReader is a loop over records.
type pastReader struct {
	*Past
	ctx  context.Context
	next uint64 // number of the record to read
	upTo uint64 // records up to here are synced

	file wal.File // that is being read
	in   *wal.Reader
}

func (r *pastReader) close() {
	if r.in != nil {
		r.in.Close() // it was only read
		r.in = nil
	}
}

// begin finds the segment to begin with. What is kept apart of the settings tells of all
// segments before it: of those in the log nothing is, so they are all read.
func (r *pastReader) begin(tell func(Settings) error) error {
	for tries := 0; ; tries++ {
		file, err := r.find()
		if err != nil {
			return err
		}
		if file.Last == 0 {
			files, err := r.files()
			if err != nil {
				return err
			}
			for i := len(files) - 1; i >= 0 && files[i].Last == 0; i-- {
				file = files[i]
			}
		}
		err = r.open(file)
		if errors.Is(err, fs.ErrNotExist) && tries < 100 { // moved meanwhile
			continue
		}
		if err != nil {
			return err
		}
		kept, err := r.settings()
		if err != nil {
			return err
		}
		out := Settings{Until: max(kept.Since, file.First-1)}
		for _, s := range kept.Of {
			if s.Seq <= out.Until {
				out.Of = append(out.Of, s.Settings)
			}
		}
		r.next = file.First
		return tell(out)
	}
}

// find returns the segment with the next record, or the one that will have it.
func (r *pastReader) find() (wal.File, error) {
	var gap error
	for range 3 { // while one is moved, it may seem to be nowhere
		oldest, newest, err := r.Range()
		if err != nil {
			return wal.File{}, err
		}
		if r.next <= oldest {
			return wal.File{}, fault.NotKept("record %d is no longer kept: the history begins after record %d", r.next, oldest)
		}
		if r.next > newest+1 {
			return wal.File{}, fault.Invalid("there is no record %d yet: the last one is %d", r.next-1, newest)
		}
		files, err := r.files()
		if err != nil {
			return wal.File{}, err
		}
		for i, f := range files {
			after := i+1 == len(files)
			switch {
			case f.First > r.next:
				gap = fault.Corrupt("records %d to %d are missing before %s", r.next, f.First-1, f.Path)
			case f.Last >= r.next, f.Last == 0 && (after || files[i+1].First > r.next):
				return f, nil
			default:
				gap = fault.Corrupt("record %d is missing after %s", r.next, f.Path)
				continue
			}
			break
		}
		if gap == nil {
			gap = fault.Corrupt("record %d is missing: there is no log segment in %s", r.next, r.path)
		}
	}
	return wal.File{}, gap
}

func (r *pastReader) open(f wal.File) error {
	r.close()
	in, err := wal.OpenFile(r.fs, f)
	if err != nil {
		return LogError(err)
	}
	r.file, r.in = f, in
	return nil
}

// await waits until the next record is synced. It says whether there is one.
func (r *pastReader) await(follow bool) (bool, error) {
	for first := r.upTo == 0; ; {
		if err := r.ctx.Err(); err != nil {
			return false, err
		}
		if r.next <= r.upTo {
			return true, nil
		}
		if !follow && !first {
			return false, nil
		}
		_, newest, err := r.Range()
		if err != nil {
			return false, err
		}
		r.upTo = max(r.upTo, newest)
		if r.next <= r.upTo || !follow {
			return r.next <= r.upTo, nil
		}
		select {
		case <-r.ctx.Done():
		case <-time.After(pollPause):
		}
	}
}

// read reads the next record, which is synced, from the next segment if this one has
// ended.
func (r *pastReader) read() (Record, error) {
	for tries := 0; ; tries++ {
		var damage error
		if r.in != nil && (r.file.Last == 0 || r.next <= r.file.Last) {
			seq, payload, err := r.in.Next()
			if err == nil {
				r.next = seq + 1
				return Record{seq, payload}, nil
			}
			if damage = LogError(err); !errors.Is(damage, api.ErrCorrupt) {
				return Record{}, err
			}
		}
		file, err := r.find()
		if err != nil {
			return Record{}, errors.Join(damage, err)
		}
		if damage != nil && (file.First != r.next || file.Path == r.file.Path) {
			return Record{}, damage
		}
		err = r.open(file)
		if errors.Is(err, fs.ErrNotExist) && tries < 100 {
			continue
		}
		if err != nil {
			return Record{}, err
		}
		if file.First != r.next {
			return Record{}, fault.Corrupt("%s begins with record %d, record %d was to be read", file.Path, file.First, r.next)
		}
	}
}

// LogError says what an error of the log is to a store.
func LogError(err error) error {
	switch {
	case errors.Is(err, wal.ErrCorrupt) && !errors.Is(err, api.ErrCorrupt):
		return fault.Corrupt("%w", err)
	case errors.Is(err, wal.ErrTooNew):
		return fmt.Errorf("%w: %w; open it with the version of simdb that wrote it, or a later one", api.ErrFormatTooNew, err)
	}
	return err
}
