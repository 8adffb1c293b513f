package web

// The target of a search: a document or a text.

import (
	"context"
	"strings"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
)

const noContent = "This object has no content."

// targetInfo describes the target in a response.
type targetInfo struct {
	ID         *string `json:"id"`
	Store      string  `json:"store,omitempty"`
	Collection string  `json:"collection"`
	Size       int64   `json:"size"`
	SimHash    *string `json:"simhash"`
	Content    bool    `json:"content"`
}

// targetFound is a target's description with the notes for the response.
type targetFound struct {
	targetInfo
	notes []string
}

// targetOf finds the target of a request, and adds a note if it has no content.
func targetOf(ctx context.Context, all snapshots, store, id string, text *string, in []string) (t api.Target, info targetFound, err error) {
	info.Collection, info.notes = in[0], []string{}
	first, err := all.Collection(in[0])
	if err != nil {
		return t, info, err
	}
	switch {
	case (id == "") == (text == nil):
		return t, info, bad("name the target as id or as text, not both")
	case text != nil && store != "":
		return t, info, bad("a text is of no store: leave store out")
	case text != nil:
		t = api.ByText(*text)
		info.Size, info.Content = int64(len(*text)), hasContent(*text)
		if u := first.Settings.Unit; u != "token" && u != "code" {
			var print api.Fingerprint
			print, err = simdb.FingerprintOf(*text, first.Settings)
			info.SimHash = of(true, print.String())
		}
	default:
		t = api.ByID(id)
		var snap *simdb.Snapshot
		if snap, info.Store, info.Collection, err = all.home(ctx, store, in, id); err != nil {
			return t, info, err
		}
		doc, err := snap.Info(ctx, info.Collection, id)
		if err != nil {
			return t, info, err
		}
		info.ID, info.Size = &id, doc.TextBytes
		info.SimHash = of(true, api.Fingerprint(doc.SimHash).String())
		if info.Content = doc.Shingles > 1; !info.Content { // the text may be white space
			whole, err := snap.Get(ctx, info.Collection, id)
			if err != nil {
				return t, info, err
			}
			info.Content = hasContent(whole.Text)
		}
	}
	if !info.Content {
		info.notes = append(info.notes, noContent)
	}
	return t, info, err
}

// hasContent reports whether a text contains more than white space.
func hasContent(text string) bool { return strings.TrimSpace(text) != "" }
