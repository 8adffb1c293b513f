package web

// POST /api/v1/clusters: groups of similar documents, the largest first, with the decisions of
// dedupe. POST /api/v1/clusters/remove deletes the duplicates.

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const (
	maxMembers = 200       // listed members of a group
	maxBefore  = 1000      // maximum offset: these groups are in memory until the search ends
	maxGrouped = 1_000_000 // documents of groups after which counting stops
)

type clustersRequest struct {
	searched
	Keep   api.Keep `json:"keep"`
	Limit  *int     `json:"limit"`
	Offset int      `json:"offset"`
}

type clustersAnswer struct {
	Groups     []json.RawMessage `json:"groups"`
	Total      int               `json:"total"`
	TotalExact bool              `json:"total_exact"`
	Documents  int               `json:"documents"`
	Goes       int               `json:"goes"`
	More       bool              `json:"more"`
	Plan       *api.Plan         `json:"plan"`
	Notes      []string          `json:"notes"`
	Elapsed    float64           `json:"elapsed_ms"`
}

type cluster struct {
	Cluster int      `json:"cluster"`
	Size    int      `json:"size"`
	Members []member `json:"members"`
}

type member struct {
	Collection     string   `json:"collection"`
	ID             string   `json:"id"`
	Stays          bool     `json:"stays"`
	Like           *string  `json:"like"`
	LikeCollection *string  `json:"like_collection"`
	Sim            *float64 `json:"sim"`
	Shared         *uint64  `json:"shared"`
	Union          *uint64  `json:"union"`
	Dist           *int     `json:"dist"`
}

// clusters answers with a page of the largest groups. It reads all rows, because the largest groups
// are known only at the end.
func clusters(c *call, req clustersRequest) error {
	q, err := req.search()
	if err != nil {
		return err
	}
	limit, err := page(req.Limit, defaultGroups, req.Offset)
	if err == nil {
		err = within("offset", req.Offset, 0, maxBefore)
	}
	if err != nil {
		return err
	}
	snap, err := c.snapshot()
	if err != nil {
		return err
	}
	c.stream()
	var plan api.Plan
	found := snap.Dedupe(c.ctx, req.Keep, append(q.options(), simdb.WithPlan(&plan))...)
	a := clustersAnswer{TotalExact: true, Notes: []string{}}
	largest := largestGroups{most: req.Offset + limit}
	var now cluster
	for d, err := range found {
		if err != nil {
			return err
		}
		if a.Documents == maxGrouped {
			a.TotalExact = false
			break
		}
		if d.Cluster != now.Cluster {
			largest.add(now)
			now = cluster{Cluster: d.Cluster, Members: []member{}}
			a.Total++
		}
		now.Size++
		a.Documents++
		if !d.Keep {
			a.Goes++
		}
		if len(now.Members) < maxMembers {
			now.Members = append(now.Members, memberOf(q.Measure, d))
		}
	}
	largest.add(now)
	a.More = a.Total > largest.most
	list := c.rows()
	for _, g := range largest.groups[min(req.Offset, len(largest.groups)):] {
		err := list.add(g)
		if errors.Is(err, errFull) {
			a.More, a.Notes = true, append(a.Notes, fullNote)
			break
		} else if err != nil {
			return err
		}
	}
	a.Groups, a.Plan, a.Elapsed = list.list, &plan, c.elapsed()
	return c.respond(a)
}

// largestGroups keeps the largest groups so far, earlier groups first among equals.
type largestGroups struct {
	most   int
	groups []cluster
}

// add inserts a group in its place, and drops the smallest if there are too many.
func (l *largestGroups) add(g cluster) {
	if g.Size == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(l.groups, g.Size, func(other cluster, size int) int {
		if other.Size >= size {
			return -1
		}
		return 1
	})
	if l.groups = slices.Insert(l.groups, i, g); len(l.groups) > l.most {
		l.groups = slices.Delete(l.groups, l.most, len(l.groups))
	}
}

// memberOf converts a row; the evidence is null for a document that stays.
func memberOf(by api.Measure, d api.Duplicate) member {
	goes := !d.Keep
	return member{Collection: d.Collection, ID: d.ID, Stays: d.Keep,
		Like: of(goes, d.Like), LikeCollection: of(goes, d.LikeCollection), Sim: of(goes, d.Sim),
		Shared: of(goes && by.Counts(), d.Shared), Union: of(goes && by.Counts(), d.Union), Dist: of(goes && by.OfFingerprints(), d.Dist)}
}

type removeAnswer struct {
	Removed int     `json:"removed"`
	Changed int     `json:"changed"`
	Elapsed float64 `json:"elapsed_ms"`
}

// removeDuplicates deletes the duplicates and counts them.
func removeDuplicates(c *call, req clustersRequest) error {
	q, err := req.search()
	if err != nil {
		return err
	}
	c.stream()
	var a removeAnswer
	for d, err := range c.db.Dedupe(c.ctx, api.DedupeOptions{Keep: req.Keep, Delete: true}, q.options()...) {
		switch {
		case err != nil:
			return err
		case d.Changed:
			a.Changed++
		case !d.Keep:
			a.Removed++
		}
	}
	a.Elapsed = c.elapsed()
	return c.respond(a)
}
