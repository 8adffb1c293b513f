package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/measure"
)

// DefaultMinSim is the threshold of a search that names none, for most
// measures.
const DefaultMinSim = "0.8"

// defaultMinSim is that of one measure. Scores from Theta up are those of
// versions; entities make a relation from 0.5 up: paper 004.
func defaultMinSim(m measure.Measure) string {
	switch m {
	case measure.Versions:
		return measure.DefaultVersions().Theta.String()
	case measure.Entities:
		return "0.5"
	}
	return DefaultMinSim
}

// defaultWithin is the interval of the similarity index in paper 000, without
// its ends.
const defaultWithin = "30%"

// maxFileBytes bounds the text of a FILE target.
const maxFileBytes = 16 << 20

// plan is a search made ready: where its records come from, which are kept,
// and what is shown of them.
type plan struct {
	stmt          Statement
	source        source
	search        engine.Search
	keep          test // nil keeps all
	columns       []string
	cells         []ref
	count         bool
	order         []sortKey
	limit, offset int64 // limit −1 is all
	notes         []string
}

// sortKey is one key of an order.
type sortKey struct {
	ref  ref
	desc bool
}

// planner makes plans against a snapshot.
type planner struct {
	ctx   context.Context
	snap  reader
	opts  Options
	args  *arguments
	scope scope
	metas []*Field    // fields taken for metadata, until checkMeta finds them
	call  *Similarity // of the WHERE
	pairs bool
}

// plan makes a search ready. It takes the statement apart in the order in
// which a person reads it, so that the first mistake is the one reported.
func (pl *planner) plan(stmt Statement) (*plan, error) {
	switch s := stmt.(type) {
	case *Similar:
		return pl.similar(s)
	case *Pairs:
		return pl.pairsPlan(s)
	case *Clusters:
		return pl.clusters(s)
	case *Select:
		return pl.selects(s)
	case *View:
		return pl.viewPlan(s)
	}
	return nil, fmt.Errorf("query: no plan for %T", stmt)
}

func (pl *planner) similar(s *Similar) (*plan, error) {
	p := &plan{stmt: s}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	t, err := pl.target(s.Target, p.search.In)
	if err != nil {
		return nil, err
	}
	if err := checkFingerprint(s.Target, p.search.Measure); err != nil {
		return nil, err
	}
	p.source = similarSource{t}
	pl.scope = scope{names: mergeRefs(documentRefs, scoreRefs(p.search.Measure, false)), missing: missingScores(p.search.Measure)}
	if err := pl.where(p, s.Where, nil); err != nil {
		return nil, err
	}
	columns := slices.Concat([]string{"id"}, scoreColumns(p.search.Measure, false))
	if len(p.search.In) > 1 {
		columns = append(columns, "collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

func (pl *planner) pairsPlan(s *Pairs) (*plan, error) {
	p := &plan{stmt: s, source: pairsSource{}}
	pl.pairs = true
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	if len(s.Against) > 0 {
		var err error
		if p.search.Against, err = pl.collections(s.Against, s.Pos); err != nil {
			return nil, err
		}
		for _, n := range s.Against {
			if slices.Contains(p.search.In, n.Text) {
				return nil, errorAt(n.Pos, "a collection that is not searched already", quote(n.Text),
					"without AGAINST the pairs within a collection are found")
			}
		}
		if err := pl.checkIndex(s.Using, pl.searched(p)); err != nil {
			return nil, err
		}
	}
	pl.scope = scope{names: scoreRefs(p.search.Measure, true), doc: documentRefs, missing: missingScores(p.search.Measure)}
	if err := pl.where(p, s.Where, nil); err != nil {
		return nil, err
	}
	columns := slices.Concat([]string{"a", "b"}, scoreColumns(p.search.Measure, true))
	if len(pl.searched(p)) > 1 {
		columns = append(columns, "a_collection", "b_collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

func (pl *planner) clusters(s *Clusters) (*plan, error) {
	p := &plan{stmt: s, source: clustersSource{}}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	const hint = "CLUSTERS joins what is at or above one similarity; for single rows there is HAVING"
	pl.scope = scope{names: scoreRefs(p.search.Measure, true), missing: missingScores(p.search.Measure)}
	if err := pl.where(p, s.Where, func(e Expr) error {
		return errorAt(e.Place(), "sim >= and a number alone in this WHERE", "", hint)
	}); err != nil {
		return nil, err
	}
	pl.scope = scope{names: clusterRefs, missing: map[string]string{"sim": "a row of CLUSTERS has no sim of its own",
		"dist": "a row of CLUSTERS has no dist of its own"}}
	var err error
	if s.Having != nil {
		if p.keep, err = pl.compiler().compile(s.Having); err != nil {
			return nil, err
		}
	}
	columns := []string{"cluster", "id", "size"}
	if len(p.search.In) > 1 {
		columns = append(columns, "collection")
	}
	return p, pl.finish(p, &s.Search, columns)
}

func (pl *planner) selects(s *Select) (*plan, error) {
	p := &plan{stmt: s}
	if err := pl.setSearch(p, s.Pos, &s.Search); err != nil {
		return nil, err
	}
	if err := pl.selection(p, s.Where); err != nil {
		return nil, err
	}
	return p, pl.finish(p, &s.Search, []string{"id", "size", "shingles"})
}

// selection reads the WHERE of SELECT and DELETE, which find documents alike.
func (pl *planner) selection(p *plan, where Expr) error {
	sim, err := findSimilarity(where)
	if err != nil {
		return err
	}
	pl.scope = scope{names: documentRefs, missing: map[string]string{}}
	for _, name := range []string{"sim", "shared", "union", "dist"} {
		pl.scope.missing[name] = name + " needs similarity(target) >= x in the WHERE"
	}
	if sim == nil {
		if err := checkWithin(where, measure.Jaccard); err != nil {
			return err
		}
		if p.keep, err = pl.predicate(where); err != nil {
			return err
		}
		var scan scanSource
		scan.ids, scan.named = pl.namedIDs(where)
		p.source = scan
		return nil
	}
	pl.call = sim
	if err := setMethod(p, sim.Using); err != nil {
		return err
	}
	if err := pl.checkIndex(sim.Using, p.search.In); err != nil {
		return err
	}
	if sim.Hash {
		p.search.Measure = measure.SimHash
	}
	t, err := pl.probe(sim, p.search)
	if err != nil {
		return err
	}
	p.source = similarSource{t}
	pl.scope = scope{names: mergeRefs(documentRefs, scoreRefs(p.search.Measure, false)), missing: missingScores(p.search.Measure)}
	if err := checkWithin(where, p.search.Measure); err != nil {
		return err
	}
	b, err := findBounds(where, pl.args.constant, p.search.Measure == measure.SimHash)
	if err != nil {
		return err
	}
	if !b.given {
		return errorAt(sim.Pos, "a lower bound: AND similarity(…) >= x", "", "what is not similar at all cannot be found by similarity")
	}
	return pl.apply(p, b)
}

// findSimilarity returns the call of similarity(), nil if there is none. Two
// calls must be the same one: a row has one sim.
func findSimilarity(where Expr) (found *Similarity, err error) {
	var first string
	eachOperand(where, func(x Operand) {
		s, ok := x.(*Similarity)
		switch {
		case !ok || err != nil:
		case found == nil:
			found, first = s, operandString(s)
		case first != operandString(s):
			err = errorAt(s.Pos, "one similarity() in a statement", quote(operandString(s)), "")
		}
	})
	return found, err
}

// namedIDs finds id = 'x' and id IN ('x', …) at the top of a WHERE.
func (pl *planner) namedIDs(where Expr) ([]string, bool) { return pl.namesOf("id", where) }

// namesOf finds the ids that a WHERE names for a field.
func (pl *planner) namesOf(field string, where Expr) ([]string, bool) {
	for _, e := range conjuncts(where) {
		var x Operand
		var list []Operand
		switch e := e.(type) {
		case *Comparison:
			if e.Op != "=" {
				continue
			}
			x, list = e.Left, []Operand{e.Right}
		case *In:
			if e.Not {
				continue
			}
			x, list = e.X, e.List
		}
		if f, ok := x.(*Field); !ok || !f.isBare(field) {
			continue
		}
		var ids []string
		for _, o := range list {
			if v, err := pl.args.constant(o); err == nil {
				if s, ok := v.(string); ok {
					ids = append(ids, s)
				}
			}
		}
		if len(ids) == len(list) {
			slices.Sort(ids)
			return slices.Compact(ids), true
		}
	}
	return nil, false
}

// setSearch reads IN and USING.
func (pl *planner) setSearch(p *plan, at Pos, s *Search) (err error) {
	if p.search.In, err = pl.collections(s.In, at); err != nil {
		return err
	}
	if err := setMethod(p, s.Using); err != nil {
		return err
	}
	return pl.checkIndex(s.Using, p.search.In)
}

func setMethod(p *plan, m *Method) error {
	method, err := methodOf(m)
	p.search.Measure, p.search.Args, p.search.Access = method.Measure, method.Args, m.access()
	return err
}

// collections checks that the collections are there; none means docs.
func (pl *planner) collections(names []Name, at Pos) ([]string, error) {
	if len(names) == 0 {
		names = []Name{{at, "docs"}}
	}
	var out []string
	for _, n := range names {
		if _, err := pl.snap.Collection(n.Text); errors.Is(err, engine.ErrNotFound) {
			var have []string
			for _, c := range pl.snap.Collections() {
				have = append(have, quoteCollection(c.Name))
			}
			hint := didYouMean(n.Text, have)
			if hint == "" && len(have) > 0 {
				hint = "there are " + strings.Join(have[:min(len(have), 10)], ", ")
			}
			e := errorAt(n.Pos, "the name of a collection", quote(n.Text)+", which there is not", hint)
			e.Err = err
			return nil, e
		} else if err != nil {
			return nil, err
		}
		out = append(out, n.Text)
	}
	return out, nil
}

// target reads a probe. A stored one must be in one of the collections.
func (pl *planner) target(t Target, in []string) (engine.Target, error) {
	s, err := pl.args.string(t.Value, []string{"the id of a document", "a path", "a text", "64 binary digits"}[t.Kind])
	if err != nil {
		return engine.Target{}, err
	}
	switch t.Kind {
	case TargetText:
		return engine.ByText(s), nil
	case TargetFingerprint:
		v, ok := parseFingerprint(s)
		if !ok {
			return engine.Target{}, errorAt(t.Value.Place(), "64 binary digits", "the string "+quote(s), "")
		}
		return engine.ByFingerprint(v), nil
	case TargetFile:
		text, err := pl.readFile(s)
		if err != nil {
			e := errorAt(t.Pos, "a file that can be read", err.Error(), "")
			e.Err = err
			return engine.Target{}, e
		}
		return engine.ByText(text), nil
	}
	for _, c := range in {
		_, err := pl.snap.Info(c, s)
		if err == nil {
			return engine.ByID(s), nil
		}
		if !errors.Is(err, engine.ErrNotFound) {
			return engine.Target{}, err
		}
	}
	e := errorAt(t.Value.Place(), "the id of a document in "+strings.Join(in, ", "), quote(s), "a text to compare with is written TEXT '…'")
	e.Err = engine.ErrNotFound
	return engine.Target{}, e
}

// probe reads the target of similarity(). One of similarity(simhash, …) may be
// written as an id is and mean a fingerprint; an id that is stored goes first.
func (pl *planner) probe(s *Similarity, q engine.Search) (engine.Target, error) {
	t, err := pl.target(s.Target, q.In)
	if errors.Is(err, engine.ErrNotFound) && s.Hash && s.Target.Kind == TargetID {
		text, _ := pl.args.string(s.Target.Value, "")
		if v, ok := parseFingerprint(text); ok {
			return engine.ByFingerprint(v), nil
		}
		e := errorAt(s.Target.Value.Place(), "the id of a document in "+strings.Join(q.In, ", ")+", or 64 binary digits", quote(text),
			"a text to compare with is written TEXT '…'")
		e.Err = err
		return t, e
	}
	if err != nil {
		return t, err
	}
	return t, checkFingerprint(s.Target, q.Measure)
}

// checkFingerprint refuses a fingerprint where no fingerprints are compared.
func checkFingerprint(t Target, m measure.Measure) error {
	if t.Kind != TargetFingerprint || m == measure.SimHash {
		return nil
	}
	return errorAt(t.Pos, "an id, FILE or TEXT", "FINGERPRINT", "a fingerprint is compared with others: USING simhash")
}

// checkWithin refuses WITHIN where no similarity indexes are compared.
func checkWithin(where Expr, m measure.Measure) error {
	w := firstWithin(where)
	if w == nil || m == measure.SI {
		return nil
	}
	return errorAt(w.Pos, "a comparison", `"si WITHIN"`, "WITHIN needs a search USING si")
}

var errNoFiles = errors.New("files are not read here")

func (pl *planner) readFile(path string) (string, error) {
	if pl.opts.NoFiles {
		return "", errNoFiles
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // a pipe would hold the query up for ever
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(b) > maxFileBytes {
		err = fmt.Errorf("%s is larger than 16 MiB", path)
	}
	return string(b), err
}

// scoreColumns are the columns that a search by a measure adds. Where shared and
// union would be terms of a computation, and count nothing, there is sim alone.
// A row of pairs has no index of its own: a.si and b.si are those of the
// documents.
func scoreColumns(m measure.Measure, pairs bool) []string {
	switch m {
	case measure.SimHash:
		return []string{"sim", "dist"}
	case measure.SI:
		if !pairs {
			return []string{"sim", "si"}
		}
		return []string{"sim"}
	case measure.Versions, measure.Entities, measure.Words:
		return []string{"sim"}
	}
	return []string{"sim", "shared", "union"}
}

// scoreRefs are the fields of those.
func scoreRefs(m measure.Measure, pairs bool) map[string]refKind {
	out := map[string]refKind{}
	for _, name := range scoreColumns(m, pairs) {
		out[name] = foundRefs[name]
	}
	return out
}

// missingScores says of fields that other measures have why they are not here.
func missingScores(m measure.Measure) map[string]string {
	out := map[string]string{"dist": "dist needs USING simhash"}
	if _, counts := scoreRefs(m, false)["shared"]; !counts {
		hint := m.String() + " has no shared and union"
		if m == measure.SimHash {
			hint = "simhash counts no shingles"
		}
		out["shared"], out["union"] = hint, hint
	}
	return out
}

// where reads the threshold and the rest of a WHERE; refuse, if not nil, says
// no to any rest.
func (pl *planner) where(p *plan, where Expr, refuse func(Expr) error) error {
	if s, err := findSimilarity(where); err != nil || s != nil {
		if err == nil {
			err = errorAt(s.Pos, "a field", `"similarity("`, "here the similarity is the field sim")
		}
		return err
	}
	if err := checkWithin(where, p.search.Measure); err != nil {
		return err
	}
	b, err := findBounds(where, pl.args.constant, p.search.Measure == measure.SimHash)
	if err != nil {
		return err
	}
	if !b.mentioned {
		pl.assume(p, &b, refuse == nil)
	}
	if refuse != nil && len(b.rest) > 0 {
		return refuse(b.rest[0])
	}
	return pl.apply(p, b)
}

// assume takes the default threshold of the measure. That of si is an open
// interval, unless the WHERE can have no rest: then its end belongs to it.
func (pl *planner) assume(p *plan, b *bounds, rest bool) {
	assumed := "sim >= " + defaultMinSim(p.search.Measure)
	b.min, _ = parseRational(defaultMinSim(p.search.Measure))
	if p.search.Measure == measure.SI {
		by, _ := parseRational(defaultWithin)
		b.min, assumed = oneMinus(by), "sim >= 70%"
		if rest {
			at := p.stmt.Place()
			si := &Field{Pos: at, Path: []Step{{Name: "si"}}}
			b.rest = append(b.rest, &Within{at, si, &Literal{at, Number, defaultWithin}})
			assumed = "si WITHIN " + defaultWithin
		}
	}
	p.notes = append(p.notes, "no threshold given: "+assumed)
}

// apply sets the threshold, and the rest as a test.
func (pl *planner) apply(p *plan, b bounds) (err error) {
	p.search.Min, _ = threshold(b.min)
	switch len(b.rest) {
	case 0:
		return nil
	case 1:
		p.keep, err = pl.predicate(b.rest[0])
	default:
		p.keep, err = pl.predicate(&And{b.rest[0].Place(), b.rest})
	}
	return err
}

func (pl *planner) predicate(e Expr) (test, error) {
	if e == nil {
		return nil, nil
	}
	return pl.compiler().compile(e)
}

func (pl *planner) compiler() compiler { return compiler{pl.ctx, pl.field, pl.args.constant} }

// field settles the meaning of an operand. Metadata is noted for checkMeta.
func (pl *planner) field(x Operand) (ref, error) {
	f, ok := x.(*Field)
	if !ok {
		if _, known := pl.scope.names["sim"]; !known {
			return ref{}, errorAt(x.Place(), "a field", quote(operandString(x)), "")
		}
		return ref{kind: refSim}, nil
	}
	if err := pl.checkCall(f.Call); err != nil {
		return ref{}, err
	}
	r, hint, ok := pl.scope.resolve(f)
	if !ok {
		if near := didYouMean(f.String(), slices.Sorted(maps.Keys(pl.scope.names))); near != "" && pl.scope.missing[strings.ToLower(f.String())] == "" {
			hint = near
		}
		return ref{}, errorAt(f.Pos, "a field of this statement", quote(f.String()), hint)
	}
	if r.kind == refMeta {
		pl.metas = append(pl.metas, f)
	}
	return r, nil
}

// checkCall checks that similarity() in the place of a field is that of the
// WHERE.
func (pl *planner) checkCall(s *Similarity) error {
	switch {
	case s == nil:
		return nil
	case pl.call == nil:
		return errorAt(s.Pos, "a field", quote(operandString(s)), "as a field, similarity() repeats that of the WHERE")
	case operandString(s) != operandString(pl.call):
		return errorAt(s.Pos, operandString(pl.call)+" as in the WHERE", quote(operandString(s)), "")
	}
	return nil
}

// searched returns all collections of a plan, each once.
func (pl *planner) searched(p *plan) []string {
	all := slices.Clone(p.search.In)
	for _, c := range p.search.Against {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// checkMeta refuses a metadata field that no document searched has. It reads
// documents until all fields were seen, which is the first one as a rule; a
// collection without documents knows no fields and refuses none.
func (pl *planner) checkMeta(p *plan) error {
	wanted := map[string]*Field{}
	for _, f := range pl.metas {
		wanted[strings.Join(steps(f.Path[b2i(pl.pairs):]), pathSep)] = f // without the side of a pair
	}
	have, documents := map[string]bool{}, false
	for _, c := range pl.searched(p) {
		if len(wanted) == 0 {
			return nil
		}
		for info, err := range pl.snap.Infos(pl.ctx, c) {
			if err != nil {
				return err
			}
			documents = true
			eachPath(info.Meta, nil, func(path []string) {
				key := strings.Join(path, pathSep)
				if len(have) < maxKnown {
					have[key] = true
				}
				delete(wanted, key)
			})
			if len(wanted) == 0 {
				return nil
			}
		}
	}
	if !documents {
		return nil
	}
	key := slices.Sorted(maps.Keys(wanted))[0]
	missing := strings.ReplaceAll(key, pathSep, ".")
	known := slices.Collect(maps.Keys(pl.scope.names))
	for key := range have {
		known = append(known, pathName(key))
	}
	slices.Sort(known)
	where := strings.Join(pl.searched(p), ", ")
	return errorAt(wanted[key].Pos, "a field of "+where, quote(missing)+", which no document has", didYouMean(missing, known))
}

// maxKnown bounds the fields remembered to suggest one: keys of nested objects
// may be as many as there are documents.
const maxKnown = 10_000

// pathSep joins the names of a path to a key.
const pathSep = "\x00"

// pathName writes a joined path as the language does.
func pathName(key string) string {
	names := strings.Split(key, pathSep)
	for i, name := range names {
		names[i] = quoteName(name)
	}
	return strings.Join(names, ".")
}

// finish reads what follows the WHERE: the columns, the order and the limit.
func (pl *planner) finish(p *plan, s *Search, columns []string) error {
	if err := pl.columns(p, s.Returning, columns); err != nil {
		return err
	}
	for _, k := range s.Order {
		r, err := pl.field(k.Field)
		if err != nil {
			return err
		}
		p.order = append(p.order, sortKey{r, k.Desc})
	}
	if isPrefix(p.order, p.source.natural()) {
		p.order = nil
	}
	if err := pl.checkMeta(p); err != nil {
		return err
	}
	var err error
	if p.limit, err = pl.rowCount(s.Limit, -1); err != nil {
		return err
	}
	if p.offset, err = pl.rowCount(s.Offset, 0); err != nil {
		return err
	}
	if p.limit >= 0 && p.keep == nil && p.order == nil && !p.count {
		if n := p.limit + p.offset; n < math.MaxInt32 && n >= 0 {
			p.search.Limit = int(max(n, 1)) // 0 would mean all
		}
	}
	if p.search.Access == engine.AccessInterval {
		p.notes = append(p.notes, "approximate: interval buckets may miss matches; EXPLAIN ANALYZE measures how many")
	}
	return nil
}

// isPrefix reports whether rows that come in the natural order are in this one
// already. A smaller dist is a larger sim.
func isPrefix(order, natural []sortKey) bool {
	if len(order) > len(natural) {
		return false
	}
	for i, k := range order {
		if k.ref.kind == refDist {
			k = sortKey{ref{kind: refSim}, !k.desc}
		}
		n := natural[i]
		if k.ref.kind != n.ref.kind || k.ref.side != n.ref.side || k.desc != n.desc {
			return false
		}
	}
	return true
}

func (pl *planner) rowCount(x Operand, none int64) (int64, error) {
	if x == nil {
		return none, nil
	}
	v, err := pl.args.constant(x)
	if err != nil {
		return 0, err
	}
	if r, ok := v.(rational); ok {
		if n, whole := r.whole(); whole && n >= 0 {
			return n, nil
		}
	}
	return 0, errorAt(x.Place(), "a whole number of rows", show(v), "")
}

// columns chooses what is shown: the default columns, those of RETURNING or
// SELECT, or with * the default ones and all metadata.
func (pl *planner) columns(p *plan, f *Fields, columns []string) error {
	if f != nil && f.Count {
		p.count, p.columns = true, []string{"count"}
		return nil
	}
	if f != nil && !f.Star {
		for _, x := range f.List {
			r, err := pl.field(x)
			if err != nil {
				return err
			}
			p.cells = append(p.cells, r)
			p.columns = append(p.columns, pl.columnName(x))
		}
		return nil
	}
	for _, c := range columns {
		r, _, _ := pl.scope.resolve(&Field{Path: []Step{{Name: c}}})
		p.cells = append(p.cells, r)
		p.columns = append(p.columns, c)
	}
	if _, isView := p.stmt.(*View); f == nil || isView {
		return nil
	}
	if _, isSelect := p.stmt.(*Select); isSelect && len(p.search.In) > 1 {
		p.cells = append(p.cells, ref{kind: refCollection})
		p.columns = append(p.columns, "collection")
	}
	if !pl.pairs {
		return pl.metaColumns(p, pl.searched(p), 0, "")
	}
	against := p.search.Against
	if len(against) == 0 {
		against = p.search.In
	}
	if err := pl.metaColumns(p, p.search.In, 0, "a."); err != nil {
		return err
	}
	return pl.metaColumns(p, against, 1, "b.")
}

// metaColumns adds a column for each metadata field of the collections. A field
// called like a column that is there already is shown in quotes, as the language
// tells it from the built-in field. There may be a million fields.
func (pl *planner) metaColumns(p *plan, collections []string, side int, prefix string) error {
	names := map[string]bool{}
	for _, c := range collections {
		fields, err := pl.snap.Fields(pl.ctx, c)
		if err != nil {
			return err
		}
		for _, name := range fields {
			names[name] = true
		}
	}
	if err := pl.ctx.Err(); err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, c := range p.columns {
		taken[c] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		p.cells = append(p.cells, ref{side: side, path: []string{name}})
		if taken[prefix+name] {
			name = `"` + name + `"`
		}
		p.columns = append(p.columns, prefix+name)
	}
	return pl.ctx.Err()
}

// columnName is the field as written, but built-in fields in lower case and
// nothing quoted.
func (pl *planner) columnName(f *Field) string {
	if f.Call != nil {
		return "similarity"
	}
	name := strings.Join(steps(f.Path), ".")
	if len(f.Path) == 1 && !f.Path[0].Quoted {
		lower := strings.ToLower(name)
		if _, builtIn := pl.scope.names[lower]; builtIn || pl.pairs && (lower == "a" || lower == "b") {
			return lower
		}
	}
	return name
}
