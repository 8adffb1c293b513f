package licence

// Which licence a text has. First those texts of the list are found that lie in it, then what
// the place where one lies is nearest to.

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// The bounds did best on the texts of bench/licences, whose halves agree.
const (
	sameSim    = 0.75 // how similar it is to the place, to be the licence
	wholeSim   = 0.8  // how much of it is there
	heldWords  = 5    // shingles that it shares at least, unless all of it is there
	maxTries   = 8    // texts that are tried, longest first
	passageMin = 15   // characters: passages up to this are no evidence of the place
	gapBytes   = 600  // between passages of one place

	numberBytes = 100 // behind a notice, where its number may stand
)

// mayName reports whether a text may have a sentence that names a licence. All of them would be
// compared with each file.
func mayName(text string) bool {
	return strings.Contains(text, "icensed") || strings.Contains(text, "terms") || strings.Contains(text, "LICENSED") || strings.Contains(text, "TERMS")
}

// likeness is the measure of a place and a text. What the place has beyond the text counts twice
// as much as what it lacks, because texts have parts that licensors leave out.
var likeness = simdb.Using(api.Tversky, api.Weights(1, 0.5))

// finding is what a text says: the licence, "" if none, and the bytes that say so.
type finding struct {
	licence    string
	sim        float64
	start, end int
}

func (l *list) find(ctx context.Context, text string) (finding, error) {
	tag, tagged := tagOf(text)
	held, err := l.held(ctx, text)
	if err != nil {
		return finding{}, err
	}
	for _, m := range held {
		f, err := l.at(ctx, text, m)
		if err != nil {
			return finding{}, err
		}
		// A file that is a licence may have a tag in its text, as an example.
		if f.licence != "" && (!tagged || 2*(f.end-f.start) > len(text)) {
			return f, nil
		}
	}
	return tag, nil
}

// held returns the texts of the list that lie in a text, those first of which most does, and one of each
// licence: the others lie where it does.
func (l *list) held(ctx context.Context, text string) (held []api.Match, err error) {
	for _, where := range []struct {
		collection string
		least      float64
	}{{api.DefaultCollection, wholeSim}, {names, 1}} { // a name without its number is another name
		if where.collection == names && !mayName(text) {
			continue
		}
		for m, err := range l.db.Similar(ctx, api.ByText(text), simdb.In(where.collection), simdb.Using(api.ContainmentOfDoc), simdb.MinSim(where.least)) {
			if err != nil {
				return nil, err
			}
			if m.Sim == 1 || m.Shared >= heldWords {
				held = append(held, m)
			}
		}
	}
	slices.SortStableFunc(held, func(a, b api.Match) int {
		return cmp.Or(cmp.Compare(b.Shared, a.Shared), cmp.Compare(b.Sim, a.Sim))
	})
	seen := map[[2]string]bool{}
	held = slices.DeleteFunc(held, func(m api.Match) bool {
		key := [2]string{licenceOf(m.ID), m.Collection}
		defer func() { seen[key] = true }()
		return seen[key]
	})
	return held[:min(len(held), maxTries)], nil
}

// at says which licence stands where a text of the list lies.
func (l *list) at(ctx context.Context, text string, held api.Match) (f finding, err error) {
	passages, err := l.db.Passages(ctx, api.ByText(text), api.ByID(held.ID).Of(held.Collection), simdb.Using(api.Patricia, api.Args{Min: passageMin}))
	if err != nil {
		return f, err
	}
	f.start, f.end = place(text, passages)
	here := text[f.start:f.end]
	if here == "" {
		return f, nil
	}
	best := held.ID
	if held.Collection == names {
		f.sim = 1
	} else if best, f.sim, err = l.nearest(ctx, here); err != nil || best == "" {
		return f, err
	}
	if id := licenceOf(best); !strings.HasPrefix(id, "!") {
		f.licence = named(id, text[f.start:min(len(text), f.end+numberBytes)])
	}
	return f, nil
}

// nearest returns the text of the list that a place is most similar to, and "" if that is not similar
// enough. Of licences with equal texts it is the one of the shortest id.
func (l *list) nearest(ctx context.Context, here string) (best string, sim float64, err error) {
	for m, err := range l.db.Similar(ctx, api.ByText(here), likeness, simdb.MinSim(sameSim), simdb.Nearest(1), simdb.WithTies()) {
		if err != nil {
			return "", 0, err
		}
		if best == "" || len(licenceOf(m.ID)) < len(licenceOf(best)) {
			best, sim = m.ID, m.Sim
		}
	}
	if best == "" {
		return "", 0, nil
	}
	whole, err := l.db.Compare(ctx, api.ByText(here), api.ByID(best), simdb.Using(api.ContainmentOfDoc))
	if err != nil || whole[0].Sim < wholeSim {
		return "", 0, err
	}
	return best, sim, nil
}

// place returns the lines where most of the passages lie together.
func place(text string, passages []api.Passage) (start, end int) {
	slices.SortFunc(passages, func(a, b api.Passage) int { return a.AStartByte - b.AStartByte })
	most, chars, s, e := 0, 0, 0, 0
	for i, p := range passages {
		if i == 0 || p.AStartByte-e > gapBytes {
			s, e, chars = p.AStartByte, p.AEndByte, 0
		}
		chars += p.Chars
		e = max(e, p.AEndByte)
		if chars > most {
			most, start, end = chars, s, e
		}
	}
	start = strings.LastIndexByte(text[:start], '\n') + 1
	for end > start && text[end-1] == '\n' {
		end--
	}
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		return start, end + i
	}
	return start, len(text)
}
