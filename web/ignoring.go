package web

import (
	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// ignoring selects the shingles to remove from all texts before a search, such as an assignment
// that every submission quotes.
type ignoring struct {
	Collection string `json:"collection"`
	MoreThan   int64  `json:"more_than"`
}

// with appends the option Ignoring, unless the request selects no shingles.
func (i ignoring) with(opts ...simdb.SearchOption) []simdb.SearchOption {
	if i == (ignoring{}) {
		return opts
	}
	return append(opts, simdb.Ignoring(api.Ignoring{In: i.Collection, MoreThan: i.MoreThan}))
}
