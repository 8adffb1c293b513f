package web

// GET /api/v1/collections: the collections with their settings, and the measures with their
// arguments.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/simdb/simdb/api"
)

type collectionsAnswer struct {
	Collections []collection  `json:"collections"`
	Next        *string       `json:"next"`
	Measures    []measureInfo `json:"measures"`
}

type collection struct {
	Name      string          `json:"name"`
	Documents int64           `json:"documents"`
	Sets      int64           `json:"sets"`
	TextBytes int64           `json:"text_bytes"`
	Settings  json.RawMessage `json:"settings"`
	Kept      []string        `json:"kept"`
}

type measureInfo struct {
	Name      string   `json:"name"`
	Symmetric bool     `json:"symmetric"`
	Threshold float64  `json:"threshold"`
	Arguments []string `json:"arguments"`
	About     string   `json:"about"`
}

// collections answers with a page of the collections, by name.
func collections(c *call, req map[string]string) error {
	limit, err := whole("limit", req["limit"], 100, maxPage)
	if err != nil {
		return err
	}
	snap, err := c.snapshots()
	if err != nil {
		return err
	}
	a := collectionsAnswer{Collections: []collection{}}
	all, err := snap.Collections(c.ctx)
	if err != nil {
		return err
	}
	for _, info := range all {
		if info.Name <= req["after"] {
			continue
		}
		if len(a.Collections) == limit {
			if limit > 0 {
				a.Next = &a.Collections[limit-1].Name
			}
			break
		}
		settings, err := settingsOf(info.Settings)
		if err != nil {
			return err
		}
		a.Collections = append(a.Collections, collection{info.Name, info.Documents, info.Sets, info.TextBytes, settings, kept(info.Settings)})
	}
	for _, m := range api.Measures() {
		a.Measures = append(a.Measures, measureInfo{m.String(), m.Symmetric(api.Args{}), m.Least().Float64(), argumentsOf(m), m.About()})
	}
	return c.respond(a)
}

// settingsOf returns the settings of a collection under their names in the language. For a list it
// returns only its presence, because lists may be long.
func settingsOf(s api.Settings) (json.RawMessage, error) {
	var fields, lists []string
	for _, set := range api.AllSettings() {
		text, on := set.Text(&s), set.Switch(&s)
		switch name := set.Name; {
		case name == "k":
			fields = append(fields, fmt.Sprintf("%q:%d", name, s.K))
		case on != nil:
			fields = append(fields, fmt.Sprintf("%q:%t", name, *on))
		case set.File:
			lists = append(lists, fmt.Sprintf("%q:%t", name, *text != ""))
		default:
			value, err := json.Marshal(*text)
			if err != nil {
				return nil, err
			}
			fields = append(fields, fmt.Sprintf("%q:%s", set.Name, value))
		}
	}
	return json.RawMessage("{" + strings.Join(append(fields, lists...), ",") + "}"), nil
}

// kept lists the measures whose index a collection keeps because of its settings.
func kept(s api.Settings) []string {
	names := []string{}
	for _, m := range api.Measures() {
		if m.Kept(s) && !m.Kept(api.Settings{}) {
			names = append(names, m.String())
		}
	}
	return names
}

// argumentsOf lists the arguments of a measure.
func argumentsOf(m api.Measure) []string {
	takes := []string{}
	for _, p := range m.Params() {
		if !p.Only() {
			takes = append(takes, cmp.Or(p.Name, m.String()))
		}
	}
	return takes
}
