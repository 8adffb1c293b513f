package web

// GET /api/v1/group: the documents of a group, the kept document first, each with its similarity
// to the kept document and the beginning of its text.

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const previewChars = 200 // of a text

type groupAnswer struct {
	Grouping grouping          `json:"grouping"`
	Group    keptGroup         `json:"group"`
	Members  []json.RawMessage `json:"members"`
	More     bool              `json:"more"`
	Notes    []string          `json:"notes"`
	Elapsed  float64           `json:"elapsed_ms"`
}

type keptMember struct {
	like
	Preview *string `json:"preview"`
}

// group answers with a page of the documents of a group.
func group(c *call, req map[string]string) error {
	limit, offset, err := part(req)
	if err != nil {
		return err
	}
	snap, err := c.snapshot()
	if err != nil {
		return err
	}
	kept, err := groupingNamed(snap, req["in"])
	if err != nil {
		return err
	}
	g, err := c.requestedGroup(snap, kept.Name, req["number"], req["of"])
	if err != nil {
		return err
	}
	a := groupAnswer{Grouping: groupingOf(kept), Group: keptGroupOf(g)}
	a.Members, a.More, a.Notes, err = paged(c, snap.GroupMembers(c.ctx, kept.Name, g.Group), limit, offset, func(m api.GroupMember) (_ any, err error) {
		row := keptMember{like: likeOf(kept.Measure, m.ID, m.Sim, m.Shared, m.Union, m.Dist)}
		row.Preview, err = c.preview(snap, kept.Collection, m.ID)
		return row, err
	})
	if err != nil {
		return err
	}
	a.Elapsed = c.elapsed()
	return c.respond(a)
}

// requestedGroup returns the group with a number, or the group that it was merged into; or the
// group of a document.
func (c *call) requestedGroup(snap *simdb.Snapshot, name, number, id string) (g api.Group, err error) {
	if (number == "") == (id == "") {
		return g, bad("say which group: number=… or of=ID, and not both")
	}
	if number != "" {
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return g, bad("number is %s, and must be a whole number", quoted(number))
		}
		g, ok, err := snap.Group(name, n)
		if err == nil && !ok {
			err = refuse(http.StatusNotFound, "not_found", "there is no group %d, or it has ended", n)
		}
		return g, err
	}
	g, ok, err := snap.GroupOf(name, id)
	if err == nil && !ok {
		err = refuse(http.StatusNotFound, "not_found", "document %s is in no group", quoted(id))
	}
	return g, err
}

// preview returns the beginning of a text on one line; nil if the document is unreadable.
func (c *call) preview(snap *simdb.Snapshot, collection, id string) (*string, error) {
	doc, err := snap.Get(c.ctx, collection, id)
	if _, ok := errors.AsType[*api.UnreadableError](err); ok {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text := doc.Text[:min(len(doc.Text), 2*previewChars*utf8.UTFMax)] // twice as much, for collapsed white space
	chars := []rune(strings.Join(strings.Fields(text), " "))
	if len(chars) > previewChars {
		chars = append(chars[:previewChars], '…')
	}
	return of(true, string(chars)), nil
}
