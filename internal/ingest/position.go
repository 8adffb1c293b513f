package ingest

// Positions of an import, from which it can resume.

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"
)

// Position is a place in the input of an import. It is opaque, printable, and comparable with ==.
// "" is the beginning. Rather than a byte offset it contains the place of a document in the order
// of reading, and a checksum of the input up to there, so that later input may change.
type Position string

// ErrPosition is returned by Read if Options.After does not belong to these paths and options.
var ErrPosition = errors.New("ingest: cannot resume: the paths, the format, --binary or a limit differ from those of the import that was interrupted")

// cursor is a decoded Position.
type cursor struct {
	path   int    // index in the list of inputs
	file   string // slash-separated path in a directory, "" for a named file
	entry  int64  // 1-based number of an archive entry, 0 outside
	record int64  // line of a record, 1 for a text
	sum    uint64 // checksum of the input up to here
}

// compare orders cursors in the order of reading. Files compare by path elements: a walk enters the
// directory a before a.txt, although "a.txt" < "a/x" bytewise.
func (c cursor) compare(d cursor) int {
	return cmp.Or(
		c.compareEntry(d),
		cmp.Compare(c.record, d.record),
	)
}

// compareEntry is compare without the record.
func (c cursor) compareEntry(d cursor) int {
	return cmp.Or(
		c.compareFile(d),
		cmp.Compare(c.entry, d.entry),
	)
}

// compareFile is compare without the entry and the record.
func (c cursor) compareFile(d cursor) int {
	return cmp.Or(
		cmp.Compare(c.path, d.path),
		comparePaths(c.file, d.file),
	)
}

// comparePaths compares slash-separated paths by elements.
func comparePaths(a, b string) int {
	for {
		first, restA, moreA := strings.Cut(a, "/")
		second, restB, moreB := strings.Cut(b, "/")
		if order := strings.Compare(first, second); order != 0 {
			return order
		}
		if !moreA || !moreB {
			return cmp.Compare(len(restA), len(restB))
		}
		a, b = restA, restB
	}
}

// position encodes the cursor of a run: fingerprint, path, entry, record, sum and file. The file
// comes last, escaped to keep the position printable.
func (c cursor) position(run uint64) Position {
	return Position(fmt.Sprintf("%016x:%d:%d:%d:%016x:%s", run, c.path, c.entry, c.record, c.sum, url.PathEscape(c.file)))
}

// parse is the inverse of position. The zero cursor precedes everything.
func (p Position) parse(run uint64) (cursor, error) {
	if p == "" {
		return cursor{}, nil
	}
	parts := strings.SplitN(string(p), ":", 6)
	if len(parts) != 6 {
		return cursor{}, fmt.Errorf("ingest: %q is not a position", string(p))
	}
	stored, errRun := strconv.ParseUint(parts[0], 16, 64)
	path, errPath := strconv.Atoi(parts[1])
	entry, errEntry := strconv.ParseInt(parts[2], 10, 64)
	record, errRecord := strconv.ParseInt(parts[3], 10, 64)
	sum, errSum := strconv.ParseUint(parts[4], 16, 64)
	file, errFile := url.PathUnescape(parts[5])
	if err := errors.Join(errRun, errPath, errEntry, errRecord, errSum, errFile); err != nil {
		return cursor{}, fmt.Errorf("ingest: %q is not a position: %w", string(p), err)
	}
	if stored != run {
		return cursor{}, ErrPosition
	}
	return cursor{path: path, file: file, entry: entry, record: record, sum: sum}, nil
}

// fingerprint hashes everything that positions depend on: the paths and globs, and the options that
// affect reading and rejects.
func fingerprint(inputs []input, o Options) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %t %d %d %q %q %d %q %d", o.Format, o.Binary, o.MaxDocBytes, o.MaxRatio, o.ID, o.Prefix, o.Strip, o.TextField, o.Delimiter)
	// A renderer has no comparable identity; only its presence counts.
	if o.Renderer != nil {
		fmt.Fprint(h, " rendered")
	}
	for _, in := range inputs {
		fmt.Fprintf(h, " %q %q", in.path, in.glob)
	}
	return h.Sum64()
}
