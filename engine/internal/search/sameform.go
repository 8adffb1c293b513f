package search

// The kind same form: versions that differ only in names and numbers.

import (
	"context"
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine/internal/view"
	"github.com/simdb/simdb/internal/measure"
)

// forms determines which documents have the same form as the target. It caches the results
// and must be used from one goroutine.
type forms struct {
	m     *view.Snapshot
	t     *target
	known map[document]bool
}

// newForms returns nil if no step needs forms.
func newForms(m *view.Snapshot, steps []step) *forms {
	i := slices.IndexFunc(steps, func(s step) bool { return s.Kind == api.KindForm })
	if i < 0 {
		return nil
	}
	return &forms{m, steps[i].target, map[document]bool{}}
}

// admits reports whether the form of a document agrees with kind k: a version must differ in
// form, the kind same form must not. Other kinds pass.
func (f *forms) admits(ctx context.Context, k api.Kind, d document) (bool, error) {
	if f == nil || k != api.KindVersion && k != api.KindForm {
		return true, nil
	}
	is, known := f.known[d]
	if !known {
		var err error
		if is, err = f.compare(ctx, d); err != nil {
			return false, err
		}
		f.known[d] = is
	}
	return is == (k == api.KindForm), nil
}

// compare reads both texts and compares their forms.
func (f *forms) compare(ctx context.Context, d document) (bool, error) {
	v, err := f.m.View(d.collection)
	if err != nil || formsNeed(v, f.t) != "" {
		return false, err
	}
	own, err := f.t.readText(f.m)
	if err != nil {
		return false, err
	}
	r, err := f.m.Record(v, d.id)
	if err != nil {
		return false, err
	}
	other, err := f.m.Text(v, r.Set, d.id)
	if err != nil {
		return false, err
	}
	return view.Apart(ctx, f.m.Shared, int64(len(own)+len(other)), func() (bool, error) { return measure.SameForm(own, other), nil })
}

// formsNeed returns the requirement of a comparison of forms that a collection or target does
// not meet; "" if none.
func formsNeed(v *view.View, t *target) string {
	switch {
	case !t.hasText:
		return "a text to look for"
	case v.OwnTokens():
		return "texts without tokens of their own"
	}
	return ""
}
