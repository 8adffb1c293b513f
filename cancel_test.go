package simdb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/load"
)

// hostileTexts are long texts that make every measure work: of one-letter words, and of
// sentences that all differ.
func hostileTexts(bytes int) (letters, sentences string) {
	r := rand.New(rand.NewPCG(1, 16))
	var a, b strings.Builder
	for a.Len() < bytes {
		a.WriteByte(byte('a' + r.IntN(26)))
		a.WriteByte(' ')
	}
	for b.Len() < bytes {
		for range 8 {
			fmt.Fprintf(&b, "%x ", r.Uint32N(1<<20))
		}
		b.WriteString("End. ")
	}
	return a.String(), b.String()
}

// Every kind of call ends with its context, at whatever moment that ends, with the error
// of the context and nothing else, and the store goes on. How late each
// returns is told in the log. The texts are so long that they are analysed apart.
func TestCallsEndWithTheirContext(t *testing.T) {
	db := openTest(t, t.TempDir()+"/t.simdb")
	kept := api.Settings{Versions: true, Entities: true, Words: true, Patricia: true, SI: "m3b k16"}
	if err := db.CreateCollection(t.Context(), "docs", kept); err != nil {
		t.Fatal(err)
	}
	letters, sentences := hostileTexts(400 << 10)
	for id, text := range map[string]string{"a": letters, "b": letters + "end", "c": sentences, "d": sentences + "end"} {
		if err := db.Put(t.Context(), api.Document{ID: id, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	statement := func(s string, args ...any) func(context.Context) error {
		return func(ctx context.Context) error {
			rows, err := db.Query(ctx, s, args...)
			if err != nil {
				return err
			}
			for _, err := range rows.All() {
				if err != nil {
					return err
				}
			}
			return nil
		}
	}
	calls := map[string]func(context.Context) error{
		"put":    func(ctx context.Context) error { return db.Put(ctx, api.Document{ID: "e", Text: letters + "put"}) },
		"text":   statement("SIMILAR TO TEXT ? USING versions WHERE sim >= 0.5", sentences+"text"),
		"check":  statement("CHECK"),
		"export": statement("SELECT id, text FROM docs"),
		"import": func(ctx context.Context) error {
			_, err := load.ImportReader(ctx, db, "f", strings.NewReader(sentences+"import"), api.ImportOptions{})
			return err
		},
		"dump": func(ctx context.Context) error { return load.Dump(ctx, db, io.Discard) },
	}
	var copies atomic.Int64
	calls["backup"] = func(ctx context.Context) error {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(copies.Add(1)))
		defer os.RemoveAll(dir)
		return db.Checkpoint(ctx, dir)
	}
	for _, by := range []string{"jaccard(access='scan')", "multiset", "versions", "entities", "words(idf=on)", "patricia", "si", "si('m43b k7')", "tversky(alpha=1, beta=1/2)"} {
		calls["similar "+by] = statement("SIMILAR TO 'c' USING " + by + " WHERE sim >= 0.1")
		calls["compare "+by] = statement("COMPARE 'a' WITH 'b' USING " + strings.TrimSuffix(by, "(access='scan')"))
		if !strings.Contains(by, "access") && by != "si('m43b k7')" {
			calls["pairs "+by] = statement("SIMILAR PAIRS USING " + by + " WHERE sim >= 0.1")
		}
	}
	calls["passages"] = statement("COMPARE 'a' WITH 'b' SHOW PASSAGES")
	calls["sentences"] = statement("COMPARE 'c' WITH 'd' SHOW SENTENCES")
	calls["nearest"] = statement("SIMILAR PAIRS NEAREST 1")
	r := rand.New(rand.NewPCG(2, 16))
	worst, cancelled := map[string]time.Duration{}, 0
	for name, call := range calls {
		begin := time.Now()
		if err := call(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		whole := time.Since(begin)
		for range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			var at atomic.Int64
			timer := time.AfterFunc(time.Duration(r.Float64()*float64(whole)), func() { at.Store(time.Now().UnixNano()); cancel() })
			err := call(ctx)
			late := time.Duration(time.Now().UnixNano() - at.Load())
			if timer.Stop() {
				late = 0
			}
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v, want the error of the context", name, err)
			}
			if err != nil {
				cancelled++
				worst[name] = max(worst[name], late)
			}
		}
	}
	for name, late := range worst {
		t.Logf("%-40s %v after its context at most", name, late.Round(time.Millisecond))
	}
	if cancelled < len(calls)/2 {
		t.Errorf("%d of %d calls were cancelled", cancelled, 2*len(calls))
	}
	if report, err := db.Check(t.Context(), nil); err != nil || len(report.Problems) > 0 {
		t.Errorf("afterwards check finds %v, %v", report, err)
	}
}
