package output

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func TestJSONValuesAreThoseOfEncodingJSON(t *testing.T) {
	values := []any{"", "plain", `"`, `\`, "a\nb", "é", "\x7f", "\xff", "<&>", "\u2028", 0, -7, math.MinInt, uint64(math.MaxUint64), true, nil, json.Number("1.50"),
		0.0, math.Copysign(0, -1), 1.0, 0.1, 1e-6, math.Nextafter(1e-6, 0), 1e21, math.Nextafter(1e21, 0), -1e21, math.MaxFloat64, math.SmallestNonzeroFloat64, []string{"x"}}
	rng := rand.New(rand.NewPCG(3, 1))
	for range 10_000 {
		values = append(values, math.Float64frombits(rng.Uint64()), rng.Float64())
	}
	for _, v := range values {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		wantErr := enc.Encode(v)
		b := NewJSONBuffer()
		if err := b.value(v); (err == nil) != (wantErr == nil) {
			t.Errorf("value of %v: %v, want %v", v, err, wantErr)
		}
		if got := b.String() + "\n"; wantErr == nil && got != want.String() {
			t.Errorf("value of %v = %s, want %s", v, got, want.String())
		}
	}
}
