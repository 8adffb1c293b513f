package query

import (
	"slices"

	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/measure"
)

// compare answers COMPARE: one row per measure.
func (pl *planner) compare(s *Compare) (*Rows, error) {
	in, err := pl.collections(s.In, s.Pos)
	if err != nil {
		return nil, err
	}
	a, err := pl.target(s.A, in)
	if err != nil {
		return nil, err
	}
	b, err := pl.target(s.B, in)
	if err != nil {
		return nil, err
	}
	wanted := engine.Measures
	if len(s.Methods) > 0 {
		wanted = nil
	}
	for _, m := range s.Methods {
		kind, _, err := methodOf(m)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(wanted, kind) {
			wanted = append(wanted, kind)
		}
	}
	if err := pl.args.check(s.Pos); err != nil {
		return nil, err
	}
	scores, err := pl.snap.Compare(pl.ctx, a, b, in)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, m := range wanted {
		row := Row{m.String(), 0.0, nil, nil, nil} // no shingles, no fingerprint: similar to nothing
		if i := slices.IndexFunc(scores, func(c engine.Comparison) bool { return c.Measure == m }); i >= 0 {
			c := scores[i]
			row = Row{m.String(), c.Sim, c.Shared, c.Union, nil}
			if m == measure.SimHash {
				row = Row{m.String(), c.Sim, nil, nil, int64(c.Dist)}
			}
		}
		rows = append(rows, row)
	}
	return fixed([]string{"measure", "sim", "shared", "union", "dist"}, rows...), nil
}

// show answers SHOW.
func (pl *planner) show(s *Show, metrics func() engine.Metrics) (*Rows, error) {
	if err := pl.args.check(s.Pos); err != nil {
		return nil, err
	}
	infos := pl.snap.Collections()
	if len(s.In) > 0 {
		names, err := pl.collections(s.In, s.Pos)
		if err != nil {
			return nil, err
		}
		infos = slices.DeleteFunc(infos, func(c engine.CollectionInfo) bool { return !slices.Contains(names, c.Name) })
	}
	switch s.What {
	case "COLLECTIONS":
		return showCollections(infos), nil
	case "SETTINGS":
		return showSettings(infos), nil
	case "FIELDS":
		return pl.showFields(infos)
	}
	return showStats(metrics()), nil
}

func showCollections(infos []engine.CollectionInfo) *Rows {
	var rows []Row
	for _, c := range infos {
		rows = append(rows, Row{c.Name, c.Documents, c.Sets, c.TextBytes})
	}
	return fixed([]string{"collection", "documents", "sets", "text_bytes"}, rows...)
}

func showSettings(infos []engine.CollectionInfo) *Rows {
	var rows []Row
	for _, c := range infos {
		intervals := c.Settings.Intervals
		if intervals == "" {
			intervals = "none"
		}
		rows = append(rows, Row{c.Name, c.Settings.Unit, int64(c.Settings.K), c.Settings.MinSim, intervals})
	}
	return fixed([]string{"collection", "unit", "k", "min_sim", "intervals"}, rows...)
}

func (pl *planner) showFields(infos []engine.CollectionInfo) (*Rows, error) {
	var rows []Row
	for _, c := range infos {
		fields, err := pl.snap.Fields(pl.ctx, c.Name)
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			rows = append(rows, Row{c.Name, f})
		}
	}
	return fixed([]string{"collection", "field"}, rows...), nil
}

func showStats(m engine.Metrics) *Rows {
	return fixed([]string{"stat", "value"},
		Row{"documents", m.Documents}, Row{"sets", m.Sets}, Row{"segments", m.Segments},
		Row{"tail_sets", m.TailSets}, Row{"disk_bytes", m.DiskBytes}, Row{"log_bytes", m.LogBytes},
		Row{"cache_hits", m.CacheHits}, Row{"cache_misses", m.CacheMisses}, Row{"open_snapshots", int64(m.OpenSnapshots)})
}
