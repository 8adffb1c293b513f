package query

// Groups: one row for each value, or each few values, that the rows of a search have. The
// groups are held in memory, and their memory is bounded.

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/simdb/simdb/api"
)

// maxGroupBytes bounds what the groups of a statement take. Who has more distinct values
// than that most likely groups by a field that tells documents apart.
const maxGroupBytes = 64 << 20

// groupBytes is what a group takes beside its values.
const groupBytes = 200

// groups says what a statement groups by. The fields of its rows are those of the groups.
type groups struct {
	names []string // of by, as they are written
	by    []ref    // fields of the records that are grouped
	keep  test     // HAVING; nil keeps all
	most  int64    // bytes
}

// grouping reads DISTINCT and GROUP BY. From then on the fields of the statement are those
// of the groups.
func (pl *planner) grouping(p *plan, s *Search) error {
	by := s.Group
	if s.Distinct {
		by = s.Returning.List
	}
	if by == nil {
		return nil
	}
	g := &groups{most: maxGroupBytes}
	for _, f := range by {
		r, err := pl.field(f)
		if err != nil {
			return err
		}
		g.names, g.by = append(g.names, pl.columnName(f)), append(g.by, r)
	}
	if _, ok := p.stmt.(*Clusters); ok && slices.Contains(g.names, "cluster") && !slices.Contains(g.names, "size") {
		g.names, g.by = append(g.names, "size"), append(g.by, ref{kind: refMembers}) // one for each cluster
	}
	p.groups = g
	pl.groups = g
	if s.GroupHaving != nil {
		c := pl.compiler()
		c.field = pl.groupField
		var err error
		g.keep, err = c.compile(s.GroupHaving)
		return err
	}
	return nil
}

// groupField decides what a field means in a row of groups: one of GROUP BY, or count(*).
func (pl *planner) groupField(x Operand) (ref, error) {
	f, ok := x.(*Field)
	if !ok {
		return ref{}, errorAt(x.Place(), "a field of GROUP BY, or count(*)", quote(operandString(x)), "")
	}
	if f.Counted {
		return ref{kind: refCount}, nil
	}
	r, _, found := pl.scope.resolve(f)
	same := func(o ref) bool { return found && o.kind == r.kind && o.side == r.side && slices.Equal(o.path, r.path) }
	if i := slices.IndexFunc(pl.groups.by, same); i >= 0 {
		return ref{kind: refKey, side: i}, nil
	}
	return ref{}, errorAt(f.Pos, "a field of GROUP BY, or count(*)", quote(f.String()), "the groups have "+strings.Join(pl.groups.names, ", ")+" and count(*)")
}

// groupOrder orders groups by their values, as far as the statement does not. Clusters come
// as CLUSTERS finds them, the largest first.
func (p *plan) groupOrder() {
	if _, ok := p.stmt.(*Clusters); ok {
		return
	}
	for i := range p.groups.by {
		p.order = append(p.order, sortKey{ref: ref{kind: refKey, side: i}})
	}
}

// group is one row of the groups.
type group struct {
	keys []any
	n    int64
}

// grouped makes groups of records, in the order in which they are met, and keeps those
// of HAVING.
func (g *groups) grouped(ctx context.Context, in iter.Seq2[*record, error]) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		found, err := g.gather(in)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, one := range found {
			rec := &record{group: one}
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if g.keep != nil && g.keep(rec) != yes {
				continue
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func (g *groups) gather(in iter.Seq2[*record, error]) (found []*group, err error) {
	var size int64
	seen := map[string]*group{}
	for rec, err := range in {
		if err != nil {
			return nil, err
		}
		keys := make([]any, len(g.by))
		var name strings.Builder
		for i, r := range g.by {
			keys[i] = rec.cell(r)
			writeKey(&name, rec.value(r))
		}
		if rec.err != nil {
			return nil, rec.err
		}
		one := seen[name.String()]
		if one == nil {
			if size += groupBytes + 2*int64(name.Len()); size > g.most {
				return nil, fmt.Errorf("query: %w: the groups take more than %d MiB, after %d of them; group by a field with fewer values, or choose fewer documents by WHERE",
					api.ErrTooLarge, g.most>>20, len(found))
			}
			one = &group{keys: keys}
			seen[name.String()] = one
			found = append(found, one)
		}
		one.n++
	}
	return found, nil
}

// writeKey writes a value so that two are written alike if, and only if, they are one group:
// numbers by what they are, not by how they are written; NULL is a value of its own.
func writeKey(b *strings.Builder, v any) {
	var kind, text string
	switch v := normal(v).(type) {
	case nil:
		kind = "-"
	case bool:
		kind, text = "b", strconv.FormatBool(v)
	case rational:
		kind, text = "n", v.rat().RatString()
	case string:
		kind, text = "s", v
	default:
		kind = "j"
		if j, err := json.Marshal(v); err == nil {
			text = string(j)
		}
	}
	b.WriteString(kind + strconv.Itoa(len(text)) + ":" + text)
}
