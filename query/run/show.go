package run

// SHOW: the metadata of a store.

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
	// SHOW has no parameters, so any argument is a mistake.
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
		return newAnswer(markColumns, []any{mark}), err
	}
	return showStats(one.Metrics()), nil
}

// showCollections returns one row per collection, with its counts.
func showCollections(infos []api.CollectionInfo) *Answer {
	var rows [][]any
	for _, c := range infos {
		rows = append(rows, []any{c.Name, c.Documents, c.Sets, c.TextBytes})
	}
	return newAnswer(collectionsColumns, rows...)
}

// showSettings returns one row per collection, with a column per setting.
func showSettings(infos []api.CollectionInfo) *Answer {
	all := api.AllSettings()
	columns := []api.Column{text("collection", "name of the collection")}
	for _, set := range all {
		columns = append(columns, api.Column{Name: set.Name, Type: set.Type, About: set.About})
	}
	var rows [][]any
	for _, c := range infos {
		row := []any{c.Name}
		for _, set := range all {
			row = append(row, settingOf(&set, &c.Settings))
		}
		rows = append(rows, row)
	}
	return newAnswer(columns, rows...)
}

// settingOf returns a setting in the form of a cell.
func settingOf(set *api.Setting, s *api.Settings) any {
	text, on := set.Text(s), set.Switch(s)
	switch {
	case on != nil:
		return *on
	case set.Name == "k":
		return int64(s.K)
	case set.Name == "intervals":
		return cmp.Or(s.Intervals, "none")
	// A list may be long, so the row shows only its length.
	case set.File:
		return orNull(plan.ListLength(*text))
	}
	return orNull(*text)
}

// showGroups returns one row per grouping.
func showGroups(one plan.Store) *Answer {
	var rows [][]any
	for _, g := range one.Groupings() {
		kind := "connected"
		if g.Stars {
			kind = "stars"
		}
		rows = append(rows, []any{g.Name, g.Collection, g.Measure.Describe(g.Args), g.Min.String(), kind, string(g.Keep)})
	}
	return newAnswer(groupsColumns, rows...)
}

// orNull returns nil for an empty text.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// showFields returns the metadata fields of each collection.
func showFields(ctx context.Context, one plan.Store, infos []api.CollectionInfo) (*Answer, error) {
	var rows [][]any
	for _, c := range infos {
		// 0 means all fields.
		fields, err := one.Fields(ctx, c.Name, 0)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			rows = append(rows, []any{c.Name, f})
		}
	}
	return newAnswer(fieldsColumns, rows...), nil
}

// showStats returns one row per metric.
func showStats(m api.Metrics) *Answer {
	return newAnswer(statsColumns,
		[]any{"documents", m.Documents}, []any{"sets", m.Sets}, []any{"segments", m.Segments},
		[]any{"tail_sets", m.TailSets}, []any{"disk_bytes", m.DiskBytes}, []any{"log_bytes", m.LogBytes},
		[]any{"cache_hits", m.CacheHits}, []any{"cache_misses", m.CacheMisses}, []any{"open_snapshots", int64(m.OpenSnapshots)},
		[]any{"build_failures", m.BuildFailures}, []any{"build_error", orNull(m.BuildError)})
}
