package licence

// The texts that files are compared with: those of two modules, and those of the user.

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/google/licensecheck"
	"github.com/google/licenseclassifier/v2/assets"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	"github.com/simdb/simdb/internal/ingest"
)

// list is a store of texts. The id of a document is that of its licence, and what tells
// the texts of one licence apart: MIT@license. One that begins with ! is no SPDX id: its
// text is here so that a file which has it is not taken for a near licence.
type list struct{ db *simdb.DB }

// The collection docs has the texts. This one has the sentences that name a licence.
const names = "names"

// licenceOf is the licence of a document.
func licenceOf(id string) string {
	id = strings.TrimSuffix(id, ".txt")
	id, _, _ = strings.Cut(id, "@")
	return id
}

func newList(ctx context.Context, builtIn bool, lists []string) (*list, error) {
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		return nil, err
	}
	l := &list{db: db}
	if err = db.EnsureCollection(ctx, names, api.Settings{}); err == nil && builtIn {
		err = db.Load(ctx, builtInTexts, nil)
	}
	for _, from := range lists {
		if err == nil {
			err = l.add(ctx, from)
		}
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return l, nil
}

// add takes in the texts of a database, or of what import reads.
func (l *list) add(ctx context.Context, from string) error {
	if ingest.IsStore(from) {
		return l.addStore(ctx, from)
	}
	var why string
	o := api.ImportOptions{ID: "name", OnReject: func(r api.Reject) { why = r.Reason }}
	if at, err := os.Stat(from); err == nil && at.IsDir() {
		o.Format = "text" // an index of names beside the texts is no file of records
	}
	stats, err := l.db.Import(ctx, []string{from}, o)
	if err == nil && stats.Rejected > 0 {
		return exit.Failf(exit.Rejected, "--list %s: %d texts cannot be read, the last because %s", from, stats.Rejected, why)
	}
	return err
}

func (l *list) addStore(ctx context.Context, path string) (err error) {
	db, err := simdb.Open(path, &simdb.Options{ReadOnly: true, MustExist: true})
	if err != nil {
		return err
	}
	defer db.Close()
	snapshot, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	for doc, err := range snapshot.Documents(ctx, api.DefaultCollection) {
		if err != nil {
			return err
		}
		if err := l.db.Put(ctx, api.Document{ID: doc.ID, Text: doc.Text}); err != nil {
			return err
		}
	}
	return nil
}

// variants are the names that the texts of a licence have in the assets. They can be read,
// but not listed.
var variants = strings.Fields("license pristine header short nourl no-header singular revised summary notice generic a b c d e f g h i j k")

// builtInTexts yields the texts of the two modules in batches. The assets hold texts as they
// are, of fewer licences. Of the others there are patterns.
func builtInTexts(yield func(*simdb.Batch, error) bool) {
	b, n, ended := &simdb.Batch{}, 0, false
	put := func(collection, id, kind, text string) {
		if ended || len(strings.Fields(text)) < heldWords {
			return
		}
		b.Put(api.Document{Collection: collection, ID: id + "@" + kind, Text: text})
		if n++; n%256 == 0 {
			ended = !yield(b, nil)
			b = &simdb.Batch{}
		}
	}
	for _, x := range licensecheck.BuiltinLicenses() {
		if x.LRE == "" {
			continue // it is an address alone
		}
		longest := 0
		for _, v := range variants {
			if text, err := assets.ReadLicenseFile("License/" + x.ID + "/" + v + ".txt"); err == nil {
				put("", x.ID, v, string(text))
				longest = max(longest, len(text))
			}
			if text, err := assets.ReadLicenseFile("Header/" + x.ID + "/" + v + ".txt"); err == nil {
				put("", x.ID, "header."+v, string(text))
				put("", x.ID, "header.1."+v, firstParagraph(string(text)))
			}
		}
		id := x.ID
		if !strings.Contains(x.LRE, "spdx.org/licenses/") && !gnuID.MatchString(id) {
			id = "!" + id
		}
		if 10*len(x.LRE) > 13*longest { // else the assets lack nothing
			for i, text := range textsOf(x.LRE) {
				if 10*len(text) > 13*longest {
					put("", id, fmt.Sprint("pattern.", i), text)
				}
			}
		}
		for i, text := range namings(x.LRE) {
			put(names, id, fmt.Sprint(i), text)
		}
	}
	if !ended {
		yield(b, nil)
	}
}

// firstParagraph is the first paragraph of a header: many files have no more of it.
func firstParagraph(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\n#\n", "\n\n")), "\n\n")
	if len(strings.Fields(first)) < 12 {
		return "" // it is a heading
	}
	return first
}

var (
	patternName = regexp.MustCompile(`^\s*//\*\*\s*(.*[Ll]icen[sc]e.*)\n`)
	inBrackets  = regexp.MustCompile(`\(.*?\)|".*?"`)
	beforeNo    = regexp.MustCompile(` (v|[Vv]ersion )?([0-9][0-9.]*)`)
)

// namings are sentences that name the licence of a pattern, which begins with the name.
func namings(lre string) (texts []string) {
	m := patternName.FindStringSubmatch(lre)
	if m == nil || strings.Contains(m[1], "SPDX") || strings.Contains(m[1], "spdx.org") {
		return nil
	}
	name := strings.Join(strings.Fields(inBrackets.ReplaceAllString(m[1], "")), " ")
	forms := []string{name}
	if beforeNo.MatchString(name) {
		forms = []string{beforeNo.ReplaceAllString(name, " version $2"), beforeNo.ReplaceAllString(name, " v$2"), beforeNo.ReplaceAllString(name, " $2")}
	}
	for _, f := range forms {
		texts = append(texts, "licensed under the "+f, "under the terms of the "+f)
	}
	return texts
}
