package web_test

// Groups that are kept, against those of the database.

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// Pages of groups and of their documents, one after the other, are what a snapshot has.
func TestKeptGroups(t *testing.T) {
	s := filled(t, 100)
	for _, g := range []api.Grouping{
		{Name: "chains", Collection: "many", Min: api.Ratio(1, 2)},
		{Name: "stars", Collection: "many", Measure: api.SimHash, Min: api.Ratio(4, 5), Stars: true, Keep: api.KeepLongest},
	} {
		if err := s.db.CreateGroups(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	if a := s.get("groupings?limit=1"); fmt.Sprint(a["next"]) != "chains" || len(a["groupings"].([]any)) != 1 {
		t.Errorf("a page of groupings is %v", a)
	}
	list := s.get("groupings")["groupings"].([]any)
	if got, want := fmt.Sprint(list), "[map[collection:many keep:first kind:connected measure:jaccard name:chains threshold:0.5]"+
		" map[collection:many keep:longest kind:stars measure:simhash name:stars threshold:0.8]]"; got != want {
		t.Errorf("the groupings are %s\nwant %s", got, want)
	}
	snap := must(s.db.Snapshot())(t)
	for _, name := range []string{"chains", "stars"} {
		for _, q := range []api.GroupsQuery{{}, {MinSize: 2, BySize: true}} {
			order := map[bool]string{false: "number", true: "size"}[q.BySize]
			s.checkGroups(snap, name, q, fmt.Sprintf("groups?in=%s&min_size=%d&order=%s", name, q.MinSize, order))
		}
	}
}

// checkGroups reads pages of groups, and of the documents of each.
func (s site) checkGroups(snap *simdb.Snapshot, name string, q api.GroupsQuery, path string) {
	s.Helper()
	got := s.pages(path, "groups")
	n := 0
	for g, err := range snap.Groups(s.Context(), name, q) {
		if err != nil {
			s.Fatal(err)
		}
		if n == len(got) || fmt.Sprintln(got[n]["group"], got[n]["size"], got[n]["keeper"]) != fmt.Sprintln(g.Group, g.Size, g.Keeper) {
			s.Fatalf("%s: row %d of %d is not %+v", path, n, len(got), g)
		}
		members := s.pages(fmt.Sprintf("group?in=%s&number=%d", name, g.Group), "members")
		i := 0
		for m, err := range snap.GroupMembers(s.Context(), name, g.Group) {
			if err != nil {
				s.Fatal(err)
			}
			sim, _ := members[i]["sim"].(json.Number).Float64()
			if members[i]["id"] != m.ID || sim != m.Sim || (members[i]["dist"] == nil) == (members[i]["shared"] == nil) {
				s.Errorf("%s: document %d of group %d is %v, want %+v", name, i, g.Group, members[i], m)
			}
			i++
		}
		if i != g.Size || i != len(members) {
			s.Errorf("%s: group %d has %d documents, %d on its pages, want %d", name, g.Group, i, len(members), g.Size)
		}
		n++
	}
	if n == 0 || n != len(got) {
		s.Errorf("%s: %d groups, want %d and not none", path, len(got), n)
	}
}

// pages reads a list to its end.
func (s site) pages(path, list string) (all []object) {
	s.Helper()
	for {
		a := s.get(fmt.Sprintf("%s&limit=3&offset=%d", path, len(all)))
		for _, row := range a[list].([]any) {
			all = append(all, row.(object))
		}
		if a["more"] != true {
			return all
		}
	}
}

// A text is previewed on one line. A number that has gone into another answers for it, and what
// is in no group says why.
func TestKeptGroup(t *testing.T) {
	s := open(t, &web.Options{Writable: true})
	if err := s.db.CreateGroups(t.Context(), api.Grouping{Name: "g", Collection: "docs", Min: api.Ratio(1, 2)}); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("ünd \n so\t", 100)
	s.json("PUT", "document?id=long", fmt.Sprintf(`{"text":%q}`, long), 200)
	a := s.get("group?in=g&of=long")
	preview := a["members"].([]any)[0].(object)["preview"].(string)
	if want := strings.Join(strings.Fields(long), " "); preview != string([]rune(want)[:200])+"…" {
		t.Errorf("the preview is %q", preview)
	}
	for path, status := range map[string]int{
		"in=nosuch&number=1": 404, "in=g&number=1000": 404, "in=g&of=nosuch": 404,
		"number=1": 400, "in=g": 400, "in=g&number=1&of=a": 400, "in=g&number=x": 400, "in=g&number=-1": 400, "in=g&of=a&id=a": 400,
	} {
		s.refused("GET", "/api/v1/group?"+path, "", status)
	}
	s.refused("GET", "/api/v1/groups?in=g&order=age", "", 400)
	s.refused("GET", "/api/v1/groups", "", 400)

	text := func(from, to int) (words []string) {
		for i := from; i < to; i++ {
			words = append(words, fmt.Sprint("word", i))
		}
		return words
	}
	put := func(id string, words []string) {
		s.json("PUT", "document?id="+id, fmt.Sprintf(`{"text":%q}`, strings.Join(words, " ")), 200)
	}
	put("left", text(0, 40))
	put("right", text(20, 60))
	right := s.get("group?in=g&of=right")["group"].(object)["group"]
	put("both", text(10, 50))
	if a := s.get(fmt.Sprint("group?in=g&number=", right)); a["group"].(object)["keeper"] != "left" || len(a["members"].([]any)) != 3 {
		t.Errorf("group %v, which went into that of left, is %v", right, a)
	}
}
