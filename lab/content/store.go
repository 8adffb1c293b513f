package content

// This file puts the content into a simdb store, as bytes and as renditions, and
// reads from there what is compared.

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/internal/shingle"
	"github.com/simdb/simdb/internal/sketch"
	"github.com/simdb/simdb/internal/text"
	"github.com/simdb/simdb/load"
)

// Every file is stored twice: as the paper reads it, its bytes whatever they
// are, and as simdb's importer reads it, which unpacks and rejects what is no
// text.
const (
	asBytes     = "bytes"
	asRendition = "rendition"
)

// analysis is how the SimHash reads a text: the paper says k-grams of
// characters, but not how long.
var analysis = shingle.Analysis{Unit: text.Char, K: 5, Form: text.Papers}

// stored is the content in a database.
type stored struct {
	kinds    map[string]string            // by file
	si       map[string]map[string]uint64 // by rendition and file
	rejected map[string]string            // by file, why the importer did not take it
	pairs    map[string][]api.PairMatch   // by rendition: a < b, fingerprint similarity ≥ least
}

// least is the paper's cutoff for the list of pairs, similar its default for
// calling two documents similar.
const (
	least   = 0.70
	similar = 0.80
)

// store puts the files of a folder into a new database and asks it for the pairs.
func store(ctx context.Context, dir string) (s stored, err error) {
	s = stored{map[string]string{}, map[string]map[string]uint64{}, map[string]string{}, map[string][]api.PairMatch{}}
	temp, err := os.MkdirTemp("", "simdb-content-")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(temp)
	db, err := simdb.Open(filepath.Join(temp, "content.simdb"), nil)
	if err != nil {
		return s, err
	}
	defer db.Close()
	for _, name := range []string{asBytes, asRendition} {
		err := db.CreateCollection(ctx, name, api.Settings{Unit: analysis.Unit.String(), K: analysis.K})
		if err != nil {
			return s, err
		}
	}
	if err := s.putBytes(ctx, db, dir); err != nil {
		return s, err
	}
	_, err = load.Import(ctx, db, []string{dir}, api.ImportOptions{
		Into:     asRendition,
		Format:   "text", // each file is one document, whatever it holds
		OnReject: func(r api.Reject) { s.rejected[r.Source] = r.Reason },
	})
	if err != nil {
		return s, err
	}
	for _, name := range []string{asBytes, asRendition} {
		if err := s.read(ctx, db, name); err != nil {
			return s, err
		}
	}
	return s, nil
}

// putBytes stores the regular files of a folder, those that are no text as
// Latin-1: a character for each byte.
func (s stored) putBytes(ctx context.Context, db *simdb.DB, dir string) error {
	in, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer in.Close()
	return fs.WalkDir(in.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := readFile(in, name)
		if err != nil {
			return err
		}
		if s.kinds[name] = kindOf(content); s.kinds[name] != kindText {
			content = latin1(content)
		}
		return db.Put(ctx, api.Document{Collection: asBytes, ID: name, Text: string(content)})
	})
}

func latin1(b []byte) []byte {
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return []byte(string(runes))
}

// read computes the fingerprints of a collection, as the papers read texts, and their pairs.
func (s stored) read(ctx context.Context, db *simdb.DB, collection string) error {
	snap, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	si := map[string]uint64{}
	for d, err := range snap.Documents(ctx, collection) {
		if err != nil {
			return err
		}
		si[d.ID] = sketch.SimHash(analysis.Bag(d.Text).Set)
	}
	s.si[collection] = si
	var pairs []api.PairMatch
	names := slices.Sorted(maps.Keys(si))
	for i, a := range names {
		for _, b := range names[i+1:] {
			dist := bits.OnesCount64(si[a] ^ si[b])
			if sim := float64(64-dist) / 64; sim >= least {
				pairs = append(pairs, api.PairMatch{A: a, B: b, Sim: sim, Dist: dist})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b api.PairMatch) int { return cmp.Compare(a.Dist, b.Dist) })
	s.pairs[collection] = pairs
	return nil
}

// near returns the similarities of all files to one, by name.
func (s stored) near(rendition, name string) map[string]float64 {
	found := map[string]float64{}
	for _, p := range s.pairs[rendition] {
		if p.A == name {
			found[p.B] = p.Sim
		} else if p.B == name {
			found[p.A] = p.Sim
		}
	}
	return found
}

// controls returns the files that have a copy called _dup, by name.
func (s stored) controls() (names []string) {
	for name := range s.kinds {
		if _, ok := s.kinds[variantName(name, "_dup")]; ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// variants returns the suffixes of the variants a control has.
func (s stored) variants(control string) (suffixes []string) {
	for name := range s.kinds {
		if c, suffix, ok := controlOf(name); ok && c == control {
			suffixes = append(suffixes, suffix)
		}
	}
	slices.SortFunc(suffixes, compareSuffixes)
	return suffixes
}
