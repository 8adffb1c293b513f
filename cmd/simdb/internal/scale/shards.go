package scale

// import --scale imports each part of the input of simdb scale into a database of its own. The
// databases answer searches together.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/command"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/scale"
	"github.com/simdb/simdb/load"
)

const (
	partNote   = "scale/part"   // part of a database, with its settings
	copiedNote = "scale/copied" // marks a part that is a database as copied completely
	copyBytes  = 4 << 20        // text per batch of a copy
)

// besideScale lists the flags of import that may accompany --scale.
var besideScale = []string{"scale", "with", "resume", "quiet", "memory"}

// shards creates the databases of a work directory.
type shards struct {
	options api.ImportOptions
	plan    scale.Plan
	dir     string
	memory  int64
	bar     *output.Progress
	begin   time.Time

	read, superseded int64
	rejects          scale.Rejects
}

// Import runs import --scale: it imports the parts of the work directory work into databases in
// dir. It can be repeated after an interruption.
func Import(ctx context.Context, cmd *cobra.Command, work, dir string, o api.ImportOptions, quiet bool) error {
	if err := command.OnlyWith(cmd, "scale", besideScale); err != nil {
		return err
	}
	if dir == "" {
		return command.ErrUnnamed
	}
	j, err := scale.Open(work, simdb.Version, nil)
	if err != nil {
		return err
	}
	plan := j.Plan()
	if s := o.Settings; s.Unit != "" && s.Unit != plan.Unit || s.K != 0 && s.K != plan.K {
		return exit.Usagef("--with names another unit or k than %s has: unit = '%s', k = %d", work, plan.Unit, plan.K)
	}
	o.Settings.Unit, o.Settings.K = plan.Unit, plan.K
	o.Into = api.DefaultCollection
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	s := &shards{options: o, plan: plan, dir: dir, memory: command.MemoryOf(cmd), bar: output.NewProgress(stderr, quiet), begin: time.Now()}
	err = s.all(ctx)
	s.bar.Clear()
	if err != nil {
		return exit.Interrupted(err, "what was stored is safe: run the same import with --resume to go on")
	}
	if !quiet {
		fmt.Fprintf(stderr, "imported %s into %s · superseded %s · %.1f s\n", output.Count(s.read, "document"), output.Count(int64(len(plan.Inputs)), "database"),
			output.Thousands(s.superseded), time.Since(s.begin).Seconds())
	}
	if s.rejects.Count > 0 {
		return exit.Failf(exit.Incomplete, "%s rejected, everything else is stored; the first: %s", output.Count(s.rejects.Count, "record"), s.rejects.First)
	}
	return nil
}

// path returns the path of the database of a part. Names sort in the order of the parts.
func (s *shards) path(part int) string {
	digits := max(4, len(fmt.Sprint(len(s.plan.Inputs)-1)))
	return filepath.Join(s.dir, fmt.Sprintf("shard-%0*d.simdb", digits, part))
}

// all creates the databases of all parts, and then removes superseded documents.
func (s *shards) all(ctx context.Context) error {
	for i := range s.plan.Inputs {
		if err := s.shard(ctx, i); err != nil {
			return err
		}
		s.bar.Draw(int64(i+1), int64(len(s.plan.Inputs)), fmt.Sprintf("database %d of %d", i+1, len(s.plan.Inputs)), time.Since(s.begin))
	}
	return s.supersede(ctx)
}

// shard creates the database of a part.
func (s *shards) shard(ctx context.Context, part int) (err error) {
	db, err := command.OpenOrCreate(ctx, s.path(part), &simdb.Options{MaxDocBytes: s.options.MaxDocBytes, MemoryBytes: s.memory})
	if err != nil {
		return err
	}
	defer command.CloseInto(db, &err)
	in := s.plan.Inputs[part]
	if err := s.claim(ctx, db, part); err != nil {
		return err
	}
	info, err := os.Stat(in.Path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return s.copy(ctx, db, in)
	}
	return s.records(ctx, db, in)
}

// claim records the part of a database, and rejects a database of another part.
func (s *shards) claim(ctx context.Context, db *simdb.DB, part int) error {
	want, err := json.Marshal(struct {
		Input scale.Input
		Unit  string
		K     int
	}{s.plan.Inputs[part], s.plan.Unit, s.plan.K})
	if err != nil {
		return err
	}
	have, err := db.Note(partNote)
	if err != nil || string(have) == string(want) {
		return err
	}
	if have != nil || db.Metrics().Documents > 0 {
		return exit.Failf(exit.Rejected, "%s is not the database of this part of the input; name another directory", s.path(part))
	}
	var b simdb.Batch
	b.Note(partNote, want)
	_, err = db.Commit(ctx, &b)
	return err
}

// records imports a file of records, or the lines that begin in a part of it.
func (s *shards) records(ctx context.Context, db *simdb.DB, in scale.Input) error {
	if err := unchanged(in); err != nil {
		return err
	}
	o := s.options
	o.IDField, o.TextField, o.Tables = in.Fields.ID, in.Fields.Text, tables(in, s.memory)
	o.OnReject = func(r api.Reject) {
		if s.rejects.Count++; s.rejects.Count == 1 {
			s.rejects.First = rejectedIn(in, r)
		}
	}
	var stats api.ImportStats
	var err error
	if !linesOf(in) {
		stats, err = load.Import(ctx, db, []string{in.Path}, o)
	} else {
		stats, err = importLines(ctx, db, in, o)
	}
	s.read += stats.Imported + stats.Replaced
	return err
}

// importLines imports the lines of a part.
func importLines(ctx context.Context, db *simdb.DB, in scale.Input, o api.ImportOptions) (stats api.ImportStats, err error) {
	f, err := os.Open(in.Path)
	if err != nil {
		return stats, err
	}
	defer f.Close()
	lines, err := linesBetween(f, in)
	if err != nil || lines.Size() == 0 {
		return stats, err
	}
	o.Format = "jsonl"
	return load.ImportReader(ctx, db, in.Path, lines, o)
}

// copy copies the documents of a database, with their metadata.
func (s *shards) copy(ctx context.Context, db *simdb.DB, in scale.Input) error {
	if done, err := db.Note(copiedNote); err != nil || done != nil && s.options.Resume {
		return err
	}
	if err := db.CreateCollection(ctx, api.DefaultCollection, s.options.Settings); err != nil && !errors.Is(err, api.ErrExists) {
		return err
	}
	var b simdb.Batch
	size := 0
	err := readDocuments(ctx, in.Path, s.memory, func(d api.Document) error {
		d.Collection, d.Tokens = api.DefaultCollection, nil
		b.Put(d)
		s.read++
		if size += len(d.Text); size < copyBytes {
			return nil
		}
		_, err := db.Commit(ctx, &b)
		b, size = simdb.Batch{}, 0
		return err
	})
	if err != nil {
		return err
	}
	b.Note(copiedNote, []byte{})
	_, err = db.Commit(ctx, &b)
	return err
}

// supersede deletes documents if their id occurs in a later part, just as a later document of an
// import replaces an earlier one.
func (s *shards) supersede(ctx context.Context) error {
	gone, err := s.doubled(ctx)
	if err != nil {
		return err
	}
	for part, ids := range gone {
		if err := s.remove(ctx, part, ids); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes documents of the database of a part.
func (s *shards) remove(ctx context.Context, part int, ids []string) (err error) {
	if len(ids) == 0 {
		return nil
	}
	db, err := command.OpenExisting(ctx, s.path(part), false, s.memory)
	if err != nil {
		return err
	}
	defer command.CloseInto(db, &err)
	for some := range slices.Chunk(ids, 1000) {
		if err := db.Delete(ctx, api.DefaultCollection, some...); err != nil {
			return err
		}
		s.superseded += int64(len(some))
	}
	return nil
}

// idsOf iterates over the ids of an open database, in order.
type idsOf struct {
	id   string
	ok   bool
	next func() (string, error, bool)
}

// step advances to the next id.
func (d *idsOf) step() (err error) {
	d.id, err, d.ok = d.next()
	return err
}

// doubled returns, for each part, the ids that also occur in a later part.
func (s *shards) doubled(ctx context.Context) (gone [][]string, err error) {
	all := make([]*idsOf, len(s.plan.Inputs))
	for i := range all {
		db, err := command.OpenExisting(ctx, s.path(i), true, max(s.memory/int64(len(all)), 1<<20))
		if err != nil {
			return nil, err
		}
		defer db.Close() // read-only: nothing can be lost
		snap, err := db.Snapshot()
		if err != nil {
			return nil, err
		}
		defer snap.Close()
		next, stop := iter.Pull2(snap.IDs(ctx, api.DefaultCollection, ""))
		defer stop()
		all[i] = &idsOf{next: next}
		if err := all[i].step(); err != nil {
			return nil, err
		}
	}
	return doubledIn(all)
}

// doubledIn merges the sorted ids of all parts and returns, for each part, the ids of a later part.
func doubledIn(all []*idsOf) (gone [][]string, err error) {
	gone = make([][]string, len(all))
	for {
		last := -1 // last part with the smallest id
		for i, d := range all {
			if d.ok && (last < 0 || d.id <= all[last].id) {
				last = i
			}
		}
		if last < 0 {
			return gone, nil
		}
		id := all[last].id
		for i, d := range all[:last+1] {
			if !d.ok || d.id != id {
				continue
			}
			if i < last {
				gone[i] = append(gone[i], id)
			}
			if err := d.step(); err != nil {
				return nil, err
			}
		}
	}
}
