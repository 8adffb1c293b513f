package run

// Groups: one row per distinct combination of values in the rows of a search. Groups are in
// memory, within a bound.

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/value"
)

// maxGroupBytes bounds the memory of a statement's groups. A statement with more distinct
// values most likely groups by a field that is unique per document.
const maxGroupBytes = 64 << 20

// groupBytes is the memory of a group besides its values.
const groupBytes = 200

// groupRecords groups records in the order of first occurrence, and yields the groups that
// satisfy HAVING.
func groupRecords(ctx context.Context, g *plan.Groups, in iter.Seq2[*plan.Record, error]) iter.Seq2[*plan.Record, error] {
	return func(yield func(*plan.Record, error) bool) {
		found, err := gather(g, maxGroupBytes, in)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, one := range found {
			aggregates, err := one.results(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			rec := plan.Grouped(one.keys, one.n, aggregates)
			keep := g.Keeps(rec)
			if err := ctx.Err(); err != nil { // a cancelled test has no result
				yield(nil, err)
				return
			}
			if keep && !yield(rec, nil) {
				return
			}
		}
	}
}

// group is one group under construction.
type group struct {
	keys       []any
	n          int64
	aggregates []aggregate
}

// results returns the aggregates of the group.
func (g *group) results(ctx context.Context) ([]any, error) {
	out, err := make([]any, len(g.aggregates)), ctx.Err()
	for i := range out {
		if err == nil {
			out[i], err = g.aggregates[i].result(ctx)
		}
	}
	return out, err
}

// newGroup returns an empty group with the given keys.
func newGroup(g *plan.Groups, keys []any) *group {
	one := &group{keys: keys, aggregates: make([]aggregate, len(g.Aggregates))}
	for i, t := range g.Aggregates {
		one.aggregates[i].name = t.Name
	}
	return one
}

// gather reads all records into groups, and returns ErrTooLarge past most bytes.
func gather(g *plan.Groups, most int64, in iter.Seq2[*plan.Record, error]) (found []*group, err error) {
	var size int64
	seen := map[string]*group{}
	if len(g.By) == 0 { // one row, of no records too
		found = append(found, newGroup(g, nil))
		seen[""] = found[0]
	}
	for rec, err := range in {
		if err != nil {
			return nil, err
		}
		keys := make([]any, len(g.By))
		var name strings.Builder
		for i, r := range g.By {
			// The row shows the cell, but the exact value decides on the group: 1 and 1.0
			// are one.
			keys[i] = rec.Cell(r)
			writeKey(&name, rec.Value(r))
			if int64(name.Len()) > most { // before the other fields lengthen it
				break
			}
		}
		if rec.Err() != nil {
			return nil, rec.Err()
		}
		one := seen[name.String()]
		if one == nil {
			// The name is held twice: as a key of the map, and in the keys of the group.
			size += groupBytes + 2*int64(name.Len()) + aggregateBytes*int64(len(g.Aggregates))
			one = newGroup(g, keys)
			seen[name.String()] = one
			found = append(found, one)
		}
		rows, _ := rec.Rows()
		one.n += rows
		for i := range g.Aggregates {
			t := &g.Aggregates[i]
			// A record may represent many rows; see plan.Record.Rows.
			bytes, odd := one.aggregates[i].add(rec.Value(t.Of), rows)
			if size += bytes; odd {
				t.Odd += rows
			}
		}
		if rec.Err() != nil {
			return nil, rec.Err()
		}
		if size > most {
			return nil, fmt.Errorf("query: %w: the groups take more than %d MiB, after %d of them; group by a field with fewer values, or choose fewer documents by WHERE",
				api.ErrTooLarge, most>>20, len(found))
		}
	}
	return found, nil
}

// writeKey encodes a value so that two encodings are equal exactly if the values belong to
// one group. Numbers compare by value, not by spelling; NULL is a value of its own.
func writeKey(b *strings.Builder, v any) {
	var kind, text string
	switch v := value.Of(v).(type) {
	case nil:
		kind = "-"
	case bool:
		kind, text = "b", strconv.FormatBool(v)
	case int64, value.Fraction, *big.Rat:
		kind, text = "n", value.Number(v).RatString()
	case string:
		kind, text = "s", v
	default:
		kind = "j"
		if j, err := json.Marshal(v); err == nil {
			text = string(j)
		}
	}
	// The length prefix prevents two keys from running together: ("ab", "c") and ("a",
	// "bc").
	b.WriteString(kind + strconv.Itoa(len(text)) + ":" + text)
}
