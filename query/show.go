package query

// SHOW: what the store tells about itself.

import (
	"slices"

	"github.com/simdb/simdb/api"
)

// show answers SHOW.
func (pl *planner) show(s *Show, metrics func() api.Metrics) (*Rows, error) {
	if err := pl.args.check(s.Pos); err != nil {
		return nil, err
	}
	infos := pl.snap.Collections()
	if len(s.In) > 0 {
		names, err := pl.collections(s.In, s.Pos)
		if err != nil {
			return nil, err
		}
		infos = slices.DeleteFunc(infos, func(c api.CollectionInfo) bool { return !slices.Contains(names, c.Name) })
	}
	switch s.What {
	case "COLLECTIONS":
		return showCollections(infos), nil
	case "SETTINGS":
		return showSettings(infos), nil
	case "FIELDS":
		return pl.showFields(infos)
	case "MARK":
		mark, err := pl.snap.Mark(pl.ctx)
		return fixed([]string{"mark"}, Row{mark}), err
	}
	return showStats(metrics()), nil
}

func showCollections(infos []api.CollectionInfo) *Rows {
	var rows []Row
	for _, c := range infos {
		rows = append(rows, Row{c.Name, c.Documents, c.Sets, c.TextBytes})
	}
	return fixed([]string{"collection", "documents", "sets", "text_bytes"}, rows...)
}

func showSettings(infos []api.CollectionInfo) *Rows {
	var rows []Row
	for _, c := range infos {
		intervals := c.Settings.Intervals
		if intervals == "" {
			intervals = "none"
		}
		rows = append(rows, Row{c.Name, c.Settings.Unit, int64(c.Settings.K), orNull(c.Settings.UniqueSim), intervals,
			orNull(c.Settings.SI), c.Settings.Versions, c.Settings.Entities,
			orNull(listLength(c.Settings.Gazetteer)), orNull(listLength(c.Settings.Synonyms)), c.Settings.Words, c.Settings.Patricia,
			orNull(c.Settings.Index)})
	}
	return fixed(append([]string{"collection"}, settingNames...), rows...)
}

// orNull is a setting that may be left out.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (pl *planner) showFields(infos []api.CollectionInfo) (*Rows, error) {
	var rows []Row
	for _, c := range infos {
		fields, err := pl.snap.Fields(pl.ctx, c.Name, 0)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			rows = append(rows, Row{c.Name, f})
		}
	}
	return fixed([]string{"collection", "field"}, rows...), nil
}

func showStats(m api.Metrics) *Rows {
	var why any
	if m.BuildError != "" {
		why = m.BuildError
	}
	return fixed([]string{"stat", "value"},
		Row{"documents", m.Documents}, Row{"sets", m.Sets}, Row{"segments", m.Segments},
		Row{"tail_sets", m.TailSets}, Row{"disk_bytes", m.DiskBytes}, Row{"log_bytes", m.LogBytes},
		Row{"cache_hits", m.CacheHits}, Row{"cache_misses", m.CacheMisses}, Row{"open_snapshots", int64(m.OpenSnapshots)},
		Row{"build_failures", m.BuildFailures}, Row{"build_error", why})
}
