package verify

// Claims of similarity: the pairs of the answers, or of groups the keeper with each member.

import (
	"context"
	"iter"
)

// claim says that two documents are similar. In a group, a is the keeper, its first document, and b a
// member. The first claim of a group has the keeper on both sides.
type claim struct {
	group string
	a, b  string
	part  int // of the output
}

// noGroup marks documents without a group, by the convention of several tools. So does null.
const noGroup = "-1"

// partRows is the number of rows after which a part of the output ends. A group is never divided.
const partRows = 1 << 20

// claims yields the claims of the answers, in the order of the input, or of their sorted groups. A
// group of one document claims nothing. dir is a folder for scratch files.
func (a *answers) claims(ctx context.Context, dir string, memory int64) iter.Seq2[claim, error] {
	return func(yield func(claim, error) bool) {
		claims, rows, part, group := a.read(ctx), 0, 0, ""
		if a.fields.groups {
			claims = a.ofGroups(ctx, dir, memory)
		}
		for c, err := range claims {
			if rows++; rows > partRows && (c.group == "" || c.group != group) {
				rows, part = 1, part+1
			}
			c.part, group = part, c.group
			if !yield(c, err) {
				return
			}
		}
	}
}

// ofGroups sorts the documents by group and yields the groups.
func (a *answers) ofGroups(ctx context.Context, dir string, memory int64) iter.Seq2[claim, error] {
	return func(yield func(claim, error) bool) {
		s := sorter{dir: dir, memory: memory}
		defer s.close()
		n := uint64(0)
		for row, err := range a.read(ctx) {
			if row.b == noGroup {
				continue
			}
			if err == nil {
				err = s.add(entry{group: row.b, id: row.a, n: n})
			}
			if err != nil {
				yield(claim{}, err)
				return
			}
			n++
		}
		keeper, alone := entry{}, true
		for e, err := range s.sorted() {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(claim{}, err)
				return
			}
			if e.group != keeper.group { // no group has an empty name
				keeper, alone = e, true
				continue
			}
			if alone && !yield(claim{group: keeper.group, a: keeper.id, b: keeper.id}, nil) {
				return
			}
			alone = false
			if !yield(claim{group: keeper.group, a: keeper.id, b: e.id}, nil) {
				return
			}
		}
	}
}
