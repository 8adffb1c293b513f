// These tests check that metadata is read as it was given, or refused.

package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/simdb/simdb/api"
)

// nested is metadata with so many objects and arrays in one another.
func nested(depth int, rng *rand.Rand) api.Meta {
	var v any = "innermost"
	for range depth - 1 {
		if rng.IntN(2) == 0 {
			v = []any{v}
		} else {
			v = map[string]any{"[{": v}
		}
	}
	return api.Meta{"outermost": v}
}

func TestMetaIsNotTooDeep(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		depth int
		want  error
	}{{1, nil}, {maxMetaDepth - 1, nil}, {maxMetaDepth, nil}, {maxMetaDepth + 1, api.ErrInvalid}, {3 * maxMetaDepth, api.ErrInvalid}} {
		m := nested(c.depth, rng)
		b, err := EncodeMeta(m)
		if !errors.Is(err, c.want) {
			t.Errorf("EncodeMeta, %d deep = %v, want %v", c.depth, err, c.want)
		}
		if err != nil {
			continue
		}
		if back, err := DecodeMeta(b); err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("metadata %d deep does not come back: %v", c.depth, err)
		}
	}
	side := make([]any, maxMetaDepth+1)
	for i := range side {
		side[i] = map[string]any{}
	}
	shallow := api.Meta{"a": strings.Repeat("[", maxMetaDepth+1), "b": `"` + strings.Repeat(`{\"`, maxMetaDepth), "c": side}
	if _, err := EncodeMeta(shallow); err != nil {
		t.Errorf("brackets in strings and side by side: %v", err)
	}
}

// arbitrary is a value with everything in its strings that JSON treats in its own way.
func arbitrary(rng *rand.Rand, depth int) any {
	pieces := []string{"a", `"`, `\`, `\ufffd`, "\ufffd", "\x00", "\x7f", "\u2028", "<&>", "é", "\U0001f600", "\xff", "\xed\xa0\x80", "{", "]", "\n"}
	text := func() string {
		var b strings.Builder
		for range rng.IntN(4) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		return b.String()
	}
	kind := rng.IntN(8)
	if depth > 3 {
		kind = rng.IntN(6)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return rng.IntN(2) == 0
	case 2:
		return json.Number(fmt.Sprint(rng.Int64()))
	case 3:
		return json.Number([]string{"-0", "1e400", "1.50", "0"}[rng.IntN(4)])
	case 4, 5:
		return text()
	case 6:
		list := []any{}
		for range rng.IntN(4) {
			list = append(list, arbitrary(rng, depth+1))
		}
		return list
	}
	object := map[string]any{}
	for range rng.IntN(4) {
		object[text()] = arbitrary(rng, depth+1)
	}
	return object
}

// What is taken comes back the same; what is refused has text that is not UTF-8.
func TestMetaComesBack(t *testing.T) {
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	taken, refused := 0, 0
	for range 20_000 {
		m := api.Meta{"field": arbitrary(rng, 0)}
		b, err := EncodeMeta(m)
		if bad := strings.Contains(fmt.Sprint(m), "\xff") || strings.Contains(fmt.Sprint(m), "\xed\xa0"); bad != errors.Is(err, api.ErrInvalid) {
			t.Fatalf("seed %d: EncodeMeta(%q) = %v", seed, m, err)
		}
		if err != nil {
			refused++
			continue
		}
		taken++
		if back, err := DecodeMeta(b); err != nil || !reflect.DeepEqual(back, m) {
			t.Fatalf("seed %d: %q comes back as %q, %v", seed, m, back, err)
		}
	}
	if taken < 1000 || refused < 1000 {
		t.Errorf("seed %d: %d taken, %d refused: want many of both", seed, taken, refused)
	}
	if _, err := EncodeMeta(api.Meta{"own": json.RawMessage("\"\xff\"")}); !errors.Is(err, api.ErrInvalid) {
		t.Errorf("bytes of its own that are not UTF-8: %v, want ErrInvalid", err)
	}
}
