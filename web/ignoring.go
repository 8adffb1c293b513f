package web

import (
	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

// ignoring is what a request leaves out of all texts before anything is counted, such as a task
// that every submission quotes.
type ignoring struct {
	Collection string `json:"collection"`
	MoreThan   int64  `json:"more_than"`
}

// with adds it to the options of a call. A request that leaves nothing out adds none.
func (i ignoring) with(opts ...simdb.SearchOption) []simdb.SearchOption {
	if i == (ignoring{}) {
		return opts
	}
	return append(opts, simdb.Ignoring(api.Ignoring{In: i.Collection, MoreThan: i.MoreThan}))
}
