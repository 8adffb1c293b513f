package search_test

// Passages of texts without spaces between words.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/engine/internal/enginetest"
	"github.com/simdb/simdb/engine/internal/testmodel"
)

// Two texts that share 107 of 109 characters share passages, whatever their first word.
func TestPassagesOfChinese(t *testing.T) {
	const rest = "我们在湖边租了一间小木屋，打算住上一个星期。第一天傍晚下起了大雨，屋顶漏水，只好把锅碗都摆在地上接水。房东第二天才赶来修理，还送了我们一篮新鲜的鸡蛋作为补偿。后来天气转晴，我们每天都去划船钓鱼，晚上在岸边生火聊天。"
	ctx := context.Background()
	for _, patricia := range []bool{false, true} {
		db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
		defer db.Close()
		if err := db.CreateCollection(ctx, "docs", api.Settings{Patricia: patricia}); err != nil {
			t.Fatal(err)
		}
		if err := db.Put(ctx, api.Document{ID: "a", Text: "去年" + rest}, api.Document{ID: "b", Text: "夏天" + rest}); err != nil {
			t.Fatal(err)
		}
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all := uint64(len([]rune(rest)) + 2)
		for _, m := range []api.Measure{api.Patricia, api.Coverage} {
			want := []string{testmodel.RowString(engine.Search{Measure: m}, "b", "", float64(all-2)/float64(all), all-2, all)}
			q := engine.Search{Measure: m, Min: api.Ratio(9, 10)}
			got := enginetest.SimilarRows(t, s, api.ByID("a"), q)
			if i := slices.IndexFunc(got, func(row string) bool { return strings.HasPrefix(row, "a") }); i >= 0 {
				got = slices.Delete(got, i, i+1)
			}
			if !slices.Equal(got, want) {
				t.Errorf("patricia %v: by %s %v, want %v", patricia, m, got, want)
			}
		}
		cover, err := s.Sources(ctx, api.ByID("a"), api.Sources{})
		if err != nil || len(cover.Sources) != 1 || cover.Sources[0].Chars != int(all-2) || cover.Sources[0].Passages[0].A != rest {
			t.Errorf("patricia %v: sources %+v, %v", patricia, cover, err)
		}
	}
}

// The postings of grams answer as a scan does, in every script.
func TestPassagesOfScripts(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(5, 5))
	found := 0
	for name, letters := range map[string]string{"zh": "去年我们在湖边租了一间小木屋打算住上个星期，。", "th": "สวัสดีวันนี้อากาศมากเราไป ", "ja": "カタナかなと語日本ー。", "km": "ខ្មែរភាសា ។", "mixed": "ab-+1 語年ก'\""} {
		script := []rune(letters)
		db := enginetest.Open(t, enginetest.Options(vfs.NewMem()))
		defer db.Close()
		if err := db.CreateCollection(ctx, "docs", api.Settings{Patricia: true}); err != nil {
			t.Fatal(err)
		}
		var all []string
		for i := range 60 {
			var b strings.Builder
			for b.Len() < 300 {
				if i > 0 && r.IntN(2) == 0 {
					from := []rune(all[r.IntN(i)])
					at := r.IntN(len(from))
					b.WriteString(string(from[at:min(len(from), at+10+r.IntN(60))]))
				}
				for range r.IntN(12) {
					b.WriteRune(script[r.IntN(len(script))])
				}
			}
			all = append(all, b.String())
			if err := db.Put(ctx, api.Document{ID: fmt.Sprint(i), Text: b.String()}); err != nil {
				t.Fatal(err)
			}
		}
		enginetest.Settled(t, db)
		s, err := db.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i := range 60 {
			for _, m := range []api.Measure{api.Patricia, api.Coverage} {
				q := engine.Search{Measure: m, Args: api.Args{Min: 15 + i%20}, Min: api.Ratio(1, 5)}
				got := enginetest.SimilarRows(t, s, api.ByID(fmt.Sprint(i)), q)
				q.Access = api.AccessScan
				if want := enginetest.SimilarRows(t, s, api.ByID(fmt.Sprint(i)), q); !slices.Equal(got, want) {
					t.Errorf("%s, %d by %s:\n%s", name, i, m, testmodel.Difference(got, want))
				}
				found += len(got)
			}
		}
	}
	if found < 2000 {
		t.Errorf("%d rows, want many", found)
	}
}
