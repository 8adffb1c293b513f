package main

// import --scale: what the stages of simdb scale read becomes databases, one for each part of
// their input, which answer searches together.

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/scale"
)

const (
	scaleNote  = "scale/part"   // of which part a database is, and how it reads texts
	scaleDone  = "scale/copied" // all of a database that is a part of the input has been copied
	scaleBatch = 4 << 20        // bytes of text that are copied at once
)

// besideScale are the flags of import that go with --scale.
var besideScale = []string{"scale", "with", "resume", "quiet", "memory"}

// scaleShards makes the databases of a work directory.
type scaleShards struct {
	*importer
	plan   scale.Plan
	dir    string
	memory int64
	bar    *progress
	begin  time.Time

	read, superseded int64
	rejects          scale.Rejects
}

// runScale is import --scale.
func (im *importer) runScale(cmd *cobra.Command, work, dir string) error {
	other := ""
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(besideScale, f.Name) {
			other = f.Name
		}
	})
	if other != "" {
		return usagef("--scale reads what the manifest of %s names, and in its way: --%s does not go with it", work, other)
	}
	if dir == "" {
		return errUnnamed
	}
	j, err := scale.Open(work, simdb.Version, nil)
	if err != nil {
		return err
	}
	plan := j.Plan()
	if s := im.options.Settings; s.Unit != "" && s.Unit != plan.Unit || s.K != 0 && s.K != plan.K {
		return usagef("--with names another unit or k than %s has: unit = '%s', k = %d", work, plan.Unit, plan.K)
	}
	im.options.Settings.Unit, im.options.Settings.K = plan.Unit, plan.K
	im.options.Into = api.DefaultCollection
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	defer lessGarbage()()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	s := &scaleShards{importer: im, plan: plan, dir: dir, memory: memoryOf(cmd), bar: newProgress(im.stderr, im.quiet), begin: time.Now()}
	err = s.all(ctx)
	s.bar.clear()
	if err != nil {
		return interrupted(err, "what was stored is safe: run the same import with --resume to go on")
	}
	if !im.quiet {
		fmt.Fprintf(im.stderr, "imported %s into %s · superseded %s · %.1f s\n", count(s.read, "document"), count(int64(len(plan.Inputs)), "database"),
			thousands(s.superseded), time.Since(s.begin).Seconds())
	}
	if s.rejects.Count > 0 {
		return failf(exitIncomplete, "%s rejected, everything else is stored; the first: %s", count(s.rejects.Count, "record"), s.rejects.First)
	}
	return nil
}

// path is the database of a part. The names are in the order of the parts.
func (s *scaleShards) path(part int) string {
	digits := max(4, len(fmt.Sprint(len(s.plan.Inputs)-1)))
	return filepath.Join(s.dir, fmt.Sprintf("shard-%0*d.simdb", digits, part))
}

func (s *scaleShards) all(ctx context.Context) error {
	for i := range s.plan.Inputs {
		if err := s.shard(ctx, i); err != nil {
			return err
		}
		s.bar.draw(int64(i+1), int64(len(s.plan.Inputs)), fmt.Sprintf("database %d of %d", i+1, len(s.plan.Inputs)), time.Since(s.begin))
	}
	return s.supersede(ctx)
}

// shard makes the database of a part.
func (s *scaleShards) shard(ctx context.Context, part int) (err error) {
	db, err := openOrCreate(ctx, s.path(part), &simdb.Options{MaxDocBytes: s.options.MaxDocBytes, MemoryBytes: s.memory})
	if err != nil {
		return err
	}
	defer closeInto(db, &err)
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

// claim notes of which part a database is, and refuses one of something else.
func (s *scaleShards) claim(ctx context.Context, db *simdb.DB, part int) error {
	want, err := json.Marshal(struct {
		Input scale.Input
		Unit  string
		K     int
	}{s.plan.Inputs[part], s.plan.Unit, s.plan.K})
	if err != nil {
		return err
	}
	have, err := db.Note(scaleNote)
	if err != nil || string(have) == string(want) {
		return err
	}
	if have != nil || db.Metrics().Documents > 0 {
		return failf(exitRejected, "%s is not the database of this part of the input; name another directory", s.path(part))
	}
	var b simdb.Batch
	b.Note(scaleNote, want)
	_, err = db.Commit(ctx, &b)
	return err
}

// records imports a file of records, or the lines that begin in a part of it.
func (s *scaleShards) records(ctx context.Context, db *simdb.DB, in scale.Input) error {
	if err := unchanged(in); err != nil {
		return err
	}
	o := s.options
	o.OnReject = func(r api.Reject) {
		if s.rejects.Count++; s.rejects.Count == 1 {
			s.rejects.First = rejectedIn(in, r)
		}
	}
	var stats api.ImportStats
	var err error
	if in.To == 0 {
		stats, err = db.Import(ctx, []string{in.Path}, o)
	} else {
		stats, err = importLines(ctx, db, in, o)
	}
	s.read += stats.Imported + stats.Replaced
	return err
}

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
	return db.ImportReader(ctx, in.Path, lines, o)
}

// copy copies the documents of a database, with their metadata.
func (s *scaleShards) copy(ctx context.Context, db *simdb.DB, in scale.Input) error {
	if done, err := db.Note(scaleDone); err != nil || done != nil && s.options.Resume {
		return err
	}
	if err := db.CreateCollection(ctx, api.DefaultCollection, s.options.Settings); err != nil && !isExists(err) {
		return err
	}
	var b simdb.Batch
	size := 0
	err := scaleDocuments(ctx, in.Path, s.memory, func(d api.Document) error {
		d.Collection, d.Tokens = api.DefaultCollection, nil
		b.Put(d)
		s.read++
		if size += len(d.Text); size < scaleBatch {
			return nil
		}
		_, err := db.Commit(ctx, &b)
		b, size = simdb.Batch{}, 0
		return err
	})
	if err != nil {
		return err
	}
	b.Note(scaleDone, []byte{})
	_, err = db.Commit(ctx, &b)
	return err
}

// supersede deletes documents of which a later part has one of the same id, as a later document
// of an id replaces the one before.
func (s *scaleShards) supersede(ctx context.Context) error {
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

func (s *scaleShards) remove(ctx context.Context, part int, ids []string) (err error) {
	if len(ids) == 0 {
		return nil
	}
	db, err := openExisting(ctx, s.path(part), false, s.memory)
	if err != nil {
		return err
	}
	defer closeInto(db, &err)
	for some := range slices.Chunk(ids, 1000) {
		if err := db.Delete(ctx, api.DefaultCollection, some...); err != nil {
			return err
		}
		s.superseded += int64(len(some))
	}
	return nil
}
