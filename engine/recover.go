package engine

// Recovery after a crash: it applies the log records that Pebble lacks, with the code of a
// commit (docs/decisions/0001).

import (
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/host"
	"github.com/simdb/simdb/engine/internal/record"
	"github.com/simdb/simdb/engine/internal/view"
)

// replayWindow bounds the bytes of log records derived concurrently; the room for analyses
// bounds their texts.
const replayWindow = 8 << 20

// recovery applies the log records that Pebble lacks. Sets get the same numbers again,
// because the next number is in the same Pebble batch as its set.
type recovery struct {
	db     *DB
	window []replayed
	bytes  int   // of the records in the window
	texts  int64 // memory for their analysis

	read, total int64 // approximate bytes of the log
}

// replayed is a log record during recovery.
type replayed struct {
	seq    uint64
	logged []record.Operation
	ops    []operation // nil until derived
}

// replay brings the store up to the end of its log, and starts a new log.
func (db *DB) replay() error {
	before := db.seq
	r := recovery{db: db}
	_, r.total = db.disk.Bytes()
	// Before the replay, because an active writer may close in the meantime.
	unclosed := db.opts.ReadOnly && r.total > 0 && db.disk.Unclosed()
	end, err := db.disk.Replay(before, r.add)
	if err == nil {
		err = r.flush()
	}
	if err != nil {
		return err
	}
	if end.Dropped > 0 && !db.opts.ReadOnly { // with a reader, the tail may be a writer's record in progress
		db.opts.Logger.Warn("the log ended in a record that was never acknowledged", "bytes", end.Dropped)
	}
	seq, documents := db.counted()
	if unclosed && seq > before {
		db.opts.Logger.Warn("the store was not closed; what its log has was recovered in memory, and will be each time until it is opened to write", "records", seq-before)
	}
	return db.disk.Begin(db.shared.Closing, seq, seq > before, end, documents)
}

// add decodes a record into the window, and flushes the window when it is full.
func (r *recovery) add(seq uint64, payload []byte) error {
	if err := r.db.shared.Closing.Err(); err != nil {
		return err
	}
	payload = append([]byte(nil), payload...)
	_, all, err := record.DecodeOperations(payload)
	if err != nil {
		return fmt.Errorf("log record %d: %w", seq, err)
	}
	w := replayed{seq: seq, logged: all}
	settings, texts := false, int64(0)
	for _, o := range all {
		texts += r.db.shared.Codec.TextBytes(o.Text) * view.AnalysisBytes
		settings = settings || o.Kind == record.OpCreate || o.Kind == record.OpDrop || o.Kind == record.OpDictionary
	}
	if settings || r.texts+texts > r.db.shared.AnalysisRoom() { // later records depend on the settings
		if err := r.flush(); err != nil {
			return err
		}
	}
	r.read += int64(len(payload))
	r.db.opts.OpenProgress(api.OpenProgress{Step: api.StepReplay, Done: min(r.read, r.total), Total: r.total})
	r.window = append(r.window, w)
	r.bytes, r.texts = r.bytes+len(payload), r.texts+texts
	if settings || r.bytes > replayWindow {
		return r.flush()
	}
	return nil
}

// flush derives the records of the window on all cores, and applies them in order.
func (r *recovery) flush() error {
	var g errgroup.Group
	g.SetLimit(host.Workers())
	for i := range r.window {
		g.Go(func() error { return r.derive(&r.window[i]) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, w := range r.window {
		if err := r.db.shared.Closing.Err(); err != nil {
			return err
		}
		if err := r.db.applyAgain(w.seq, w.ops); err != nil {
			return fmt.Errorf("log record %d: %w", w.seq, err)
		}
	}
	r.window, r.bytes, r.texts = nil, 0, 0
	return nil
}

// derive decodes a record into operations, which analyses its texts again.
func (r *recovery) derive(w *replayed) (err error) {
	w.ops = make([]operation, len(w.logged))
	for i := range w.logged {
		if w.ops[i], err = r.operation(w.seq, &w.logged[i]); err != nil {
			return err
		}
	}
	return nil
}

// applyAgain plans and applies a log record.
func (db *DB) applyAgain(seq uint64, ops []operation) error {
	if err := db.observers.replay(db, ops); err != nil {
		return err
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	p := &plan{prepared: prepared{ops: ops}, seq: seq, again: true}
	if err := db.observers.plan(db, p); err != nil {
		return err
	}
	_, err := db.apply(p)
	return err
}

// byNumber returns the collection with a number, or nil.
func (db *DB) byNumber(n uint32) *collection {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, c := range db.collections {
		if c.Number == n {
			return c
		}
	}
	return nil
}
