package plan

// Which ids a person may have meant who names one that no document has.

import (
	"cmp"
	"slices"
	"strings"

	"github.com/simdb/simdb/query/syntax"
)

const (
	nearScan = 20_000 // ids of a collection that are looked at
	nearMost = 3      // ids that are named
)

// nearID is an id, and how far it is from the one that was asked for: 0 if it ends with
// that, 1 if it holds it, 2 and the edit distance if not.
type nearID struct {
	id  string
	far int
}

// nearIDs suggests ids of collections for one that none of them has. It looks at the ids
// that begin as this one does, and at the first ones.
func (pl *Planner) nearIDs(id string, in []string) (string, error) {
	var near []nearID
	for _, c := range in {
		begins := id[:min(len(id), 3)]
		for _, prefix := range []string{begins, ""} {
			n := 0
			for have, err := range pl.all.IDs(pl.ctx, c, prefix) {
				if err != nil {
					return "", err
				}
				if far, ok := farFrom(id, have); ok {
					near = append(near, nearID{have, far})
				}
				if n++; n == nearScan {
					break
				}
			}
			if prefix == "" || len(near) > 0 {
				break
			}
		}
	}
	slices.SortFunc(near, func(a, b nearID) int { return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.id, b.id)) })
	near = slices.Compact(near)
	var shown []string
	for _, n := range near[:min(len(near), nearMost)] {
		shown = append(shown, syntax.QuoteString(Shorten(n.id)))
	}
	if shown == nil {
		return "", nil
	}
	return "did you mean " + strings.Join(shown, " or ") + "?", nil
}

// farFrom says how far an id is from the one asked for, and whether that is near.
func farFrom(asked, have string) (far int, near bool) {
	a, h := strings.ToLower(asked), strings.ToLower(have)
	switch {
	case asked == "":
		return 0, false
	case len(asked) >= 3 && strings.HasSuffix(h, a):
		return 0, true
	case len(asked) >= 3 && strings.Contains(h, a):
		return 1, true
	}
	most := min(len(a)/3, 4)
	if most < len(a)-len(h) || most < len(h)-len(a) {
		return 0, false
	}
	d := syntax.EditDistance(a, h)
	return 2 + d, d <= most
}
