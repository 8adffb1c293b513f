package verify

// The answers of another tool: pairs of ids, or ids with the name of their group.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/columnar"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/cmd/simdb/internal/output"
	"github.com/simdb/simdb/internal/ingest"
)

// answers reads the files of another tool. It is not safe for concurrent use.
type answers struct {
	path   string // "-": stdin
	fields fields
	tables columnar.Reader
	stdin  io.Reader

	format string // of the output, like that of the input
	rejects
}

// rejects counts rejected records.
type rejects struct {
	n     int64
	first string
}

func (r *rejects) add(x api.Reject) {
	if r.n += max(x.Lines, 1); r.first == "" {
		r.first = output.EscapeControls(fmt.Sprintf("%s:%d: %s", filepath.ToSlash(x.Source), x.Line, x.Reason))
	}
}

// rejected returns an error if there are rejects.
func (r *rejects) rejected() error {
	if r.n == 0 {
		return nil
	}
	return exit.Failf(exit.Incomplete, "%s rejected; the first: %s", output.Count(r.n, "record"), r.first)
}

// fields are the fields of a row: the ids of a pair, or an id and its group. An empty id field means
// the id of the record, or the place of a record without one, as in an import.
type fields struct {
	a, b   string
	groups bool
}

// usual returns the fields that tools write, in the order in which detection tries them.
func usual() (all []fields) {
	for _, p := range []string{"a b", "id_a id_b", "id1 id2", "id_1 id_2", "doc_a doc_b", "doc1 doc2", "left right", "source target", "src dst", "id_x id_y", "x y"} {
		a, b, _ := strings.Cut(p, " ")
		all = append(all, fields{a: a, b: b})
	}
	for _, group := range []string{"_duplicate_group_id", "minhash_cluster_id", "metadata.minhash_cluster_id", "__cluster__", "cluster_id", "cluster", "group_id", "group"} {
		for _, id := range []string{"_curator_dedup_id", "id", "doc_id", ""} {
			all = append(all, fields{a: id, b: group, groups: true})
		}
	}
	return all
}

// detect finds the fields, unless the user named them: the first usual ones that the first record has.
func (a *answers) detect(ctx context.Context, named fields) error {
	if a.path == "-" {
		if a.fields = named; named.b == "" {
			return exit.Usagef("standard input is read once: name its fields by --pairs a,b or --groups id,group")
		}
		return nil
	}
	tries := usual()
	if named.b != "" {
		tries = []fields{named}
	}
	for _, f := range tries {
		a.fields = f
		o := a.options(1)
		o.First = true
		for b, err := range ingest.Read(ctx, []string{a.path}, o) {
			if err != nil {
				return err
			}
			if len(b.Docs) > 0 && b.Docs[0].Record > 0 {
				a.format = formatOf(b.Files[0].Kind)
				return nil
			}
			break
		}
	}
	if named.b != "" {
		return exit.Failf(exit.Rejected, "%s: no record begins with the fields %s", a.name(), named)
	}
	return exit.Failf(exit.Rejected, "%s: the first record has none of the usual fields of pairs (such as a and b) or groups (such as id and cluster); name them by --pairs A,B or --groups ID,GROUP", a.name())
}

// formatOf returns the output format that equals a format of the input.
func formatOf(kind string) string {
	for name, format := range map[string]string{"CSV": "csv", "Parquet": "parquet", "Arrow": "arrow", "JSON array": "json"} {
		if kind == name {
			return format
		}
	}
	return "ndjson"
}

// name returns the name of the input, for messages.
func (a *answers) name() string { return output.EscapeControls(a.path) }

// options returns the options of reading, with so many records in a batch.
func (a *answers) options(records int) ingest.Options {
	return ingest.Options{IDField: a.fields.a, TextField: a.fields.b, Scalar: true, Metadata: []string{}, Tables: a.tables, Stdin: a.stdin, BatchDocs: records}
}

// read yields the pairs in the order of the input; of groups, each id with its group as b, if it has
// one. It counts rejects.
func (a *answers) read(ctx context.Context) iter.Seq2[claim, error] {
	o := a.options(4096)
	o.OnReject = a.add
	return func(yield func(claim, error) bool) {
		for batch, err := range ingest.Read(ctx, []string{a.path}, o) {
			if err != nil {
				yield(claim{}, err)
				return
			}
			for _, d := range batch.Docs {
				if d.Record == 0 {
					yield(claim{}, exit.Failf(exit.Rejected, "%s has no records", output.EscapeControls(d.Source)))
					return
				}
				if d.Text == "" && !a.fields.groups {
					a.add(api.Reject{Source: d.Source, Line: d.Line, Reason: fmt.Sprintf("field %q is empty", a.fields.b)})
				}
				if d.Text != "" && !yield(claim{a: d.ID, b: d.Text}, nil) {
					return
				}
			}
		}
	}
}

// String returns the fields as in a flag.
func (f fields) String() string { return f.a + "," + f.b }

// parseFields parses the value of --pairs or --groups.
func parseFields(s string, groups bool) (fields, error) {
	a, b, ok := strings.Cut(s, ",")
	if !ok || b == "" || a == "" && !groups {
		return fields{}, errors.New("want two fields: --pairs a,b, --groups id,group, or --groups ,group for the place of a record as its id")
	}
	return fields{a, b, groups}, nil
}
