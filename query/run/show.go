package run

// SHOW: what the store tells about itself.

import (
	"cmp"
	"context"
	"slices"

	"github.com/simdb/simdb/api"

	"github.com/simdb/simdb/query/plan"
	"github.com/simdb/simdb/query/syntax"
)

// show answers SHOW.
func show(ctx context.Context, one plan.Store, pl *plan.Planner, s *syntax.Show) (*Answer, error) {
	if err := pl.Done(s.Pos); err != nil {
		return nil, err
	}
	infos := one.Collections()
	if len(s.In) > 0 {
		names := pl.Collections(s.In, s.Pos)
		if err := pl.Done(s.Pos); err != nil {
			return nil, err
		}
		infos = slices.DeleteFunc(infos, func(c api.CollectionInfo) bool { return !slices.Contains(names, c.Name) })
	}
	switch s.What {
	case "COLLECTIONS":
		return showCollections(infos), nil
	case "GROUPS":
		return showGroups(one), nil
	case "SETTINGS":
		return showSettings(infos), nil
	case "FIELDS":
		return showFields(ctx, one, infos)
	case "MARK":
		mark, err := one.Mark(ctx)
		return fixed([]string{"mark"}, []any{mark}), err
	}
	return showStats(one.Metrics()), nil
}

func showCollections(infos []api.CollectionInfo) *Answer {
	var rows [][]any
	for _, c := range infos {
		rows = append(rows, []any{c.Name, c.Documents, c.Sets, c.TextBytes})
	}
	return fixed([]string{"collection", "documents", "sets", "text_bytes"}, rows...)
}

func showSettings(infos []api.CollectionInfo) *Answer {
	var rows [][]any
	for _, c := range infos {
		row := []any{c.Name}
		for _, name := range api.SettingNames {
			row = append(row, shownSetting(&c.Settings, name))
		}
		rows = append(rows, row)
	}
	return fixed(append([]string{"collection"}, api.SettingNames...), rows...)
}

func shownSetting(s *api.Settings, name string) any {
	if on := api.SwitchSetting(s, name); on != nil {
		return *on
	}
	switch name {
	case "k":
		return int64(s.K)
	case "unit":
		return s.Unit
	case "intervals":
		return cmp.Or(s.Intervals, "none")
	case "gazetteer", "synonyms":
		return orNull(plan.ListLength(*api.TextSetting(s, name)))
	}
	return orNull(*api.TextSetting(s, name))
}

func showGroups(one plan.Store) *Answer {
	var rows [][]any
	for _, g := range one.Groupings() {
		kind := "connected"
		if g.Stars {
			kind = "stars"
		}
		rows = append(rows, []any{g.Name, g.Collection, g.Measure.Describe(g.Args), g.Min.String(), kind, string(g.Keep)})
	}
	return fixed([]string{"groups", "collection", "measure", "sim", "kind", "keep"}, rows...)
}

// orNull is a text that may be left out.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func showFields(ctx context.Context, one plan.Store, infos []api.CollectionInfo) (*Answer, error) {
	var rows [][]any
	for _, c := range infos {
		fields, err := one.Fields(ctx, c.Name, 0)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			rows = append(rows, []any{c.Name, f})
		}
	}
	return fixed([]string{"collection", "field"}, rows...), nil
}

func showStats(m api.Metrics) *Answer {
	return fixed([]string{"stat", "value"},
		[]any{"documents", m.Documents}, []any{"sets", m.Sets}, []any{"segments", m.Segments},
		[]any{"tail_sets", m.TailSets}, []any{"disk_bytes", m.DiskBytes}, []any{"log_bytes", m.LogBytes},
		[]any{"cache_hits", m.CacheHits}, []any{"cache_misses", m.CacheMisses}, []any{"open_snapshots", int64(m.OpenSnapshots)},
		[]any{"build_failures", m.BuildFailures}, []any{"build_error", orNull(m.BuildError)})
}
