package history

// Reading the history while another process may write the store: without locks, and without
// writing. A log segment may move or disappear at any moment.

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

// pollPause is the interval between two checks for new records.
const pollPause = 50 * time.Millisecond

// Past reads the history and the log of a store, up to the last synced record. Safe for
// concurrent use.
type Past struct {
	Keep api.KeepLog // the store's setting
	fs   vfs.FS
	path string
}

// OpenPast opens the history of a store with the setting keep. ErrNotKept if the store keeps
// none.
func OpenPast(f vfs.FS, path string, keep api.KeepLog) (*Past, error) {
	p := &Past{Keep: keep, fs: f, path: path}
	_, err := p.settings()
	return p, err
}

// settings reads SETTINGS; ErrNotKept if it is missing.
func (p *Past) settings() (settings, error) {
	s, err := readSettings(p.fs, p.fs.PathJoin(p.path, Name, SettingsName))
	if errors.Is(err, fs.ErrNotExist) {
		return s, fault.NotKept("the store keeps no history: set how much to keep with simdb keep-log or Options.KeepLog")
	}
	return s, err
}

// files returns the segments of history and log by first record. It lists the log first: a
// segment that moves in between appears twice, and is dropped once, instead of being missed.
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

// Range returns the readable records: those after oldest, up to newest.
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
		// A segment begins only after all earlier records are synced.
		last := files[len(files)-1]
		oldest, newest = max(oldest, files[0].First-1), max(newest, last.First-1, last.Last)
	}
	return oldest, max(oldest, newest), nil
}

// KeptBytes returns the total length of the kept segments.
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
	Payload []byte // valid until the next record
}

// Settings holds the settings for decoding the records that follow.
type Settings struct {
	Of    [][]byte // before the first record of Records
	Until uint64   // Of includes all changes of settings up to this record
}

// Records iterates over the records after since, in order. It first calls begin with the
// settings. It then also yields some records up to since, because they may change settings; the
// caller skips them. Without follow the loop ends after the last record that was synced when
// the loop began; with follow it ends when ctx ends.
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

// pastReader is the state of a loop over records.
type pastReader struct {
	*Past
	ctx  context.Context
	next uint64 // the record to read
	upTo uint64 // records up to here are synced

	file wal.File // the open segment
	in   *wal.Reader
}

// close closes the open segment, if any.
func (r *pastReader) close() {
	if r.in != nil {
		r.in.Close() // a failed close of a file read loses nothing
		r.in = nil
	}
}

// begin opens the first segment and passes the settings before it to tell. SETTINGS covers all
// kept segments but none of the log, so reading starts at the first log segment at the latest.
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
		if errors.Is(err, fs.ErrNotExist) && tries < 100 { // moved since
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

// find returns the segment that contains the next record, or will contain it.
func (r *pastReader) find() (wal.File, error) {
	var gap error
	for range 3 { // a segment that begins between the two listings is in neither
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

// open replaces the open segment.
func (r *pastReader) open(f wal.File) error {
	r.close()
	in, err := wal.OpenFile(r.fs, f)
	if err != nil {
		return LogError(err)
	}
	r.file, r.in = f, in
	return nil
}

// await reports whether the next record is synced. With follow it waits until it is.
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

// read returns the next record, which is synced. It opens the next segment at the end of this
// one.
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
			return Record{}, fault.Corrupt("%s begins with record %d, want record %d", file.Path, file.First, r.next)
		}
	}
}

// LogError maps the errors of package wal to ErrCorrupt and ErrFormatTooNew.
func LogError(err error) error {
	switch {
	case errors.Is(err, wal.ErrCorrupt) && !errors.Is(err, api.ErrCorrupt):
		return fault.Corrupt("%w", err)
	case errors.Is(err, wal.ErrTooNew):
		return fmt.Errorf("%w: %w; open it with the version of simdb that wrote it, or a later one", api.ErrFormatTooNew, err)
	}
	return err
}
