package params

import "testing"

func TestCount(t *testing.T) {
	for raw, want := range map[string]int{
		`null`: 0, `[]`: 1, `[1,2]`: 2, `["a,b","\",{"]`: 2, `["\\",1]`: 2, `{"a":[1,2],"b":"[,"}`: 4, `[{"a":null}]`: 2,
	} {
		if got := Count([]byte(raw)); got != want {
			t.Errorf("Count(%s) = %d, want %d", raw, got, want)
		}
		var c Counter
		for i := range raw {
			c.Add([]byte(raw[i : i+1]))
		}
		if c.N != want {
			t.Errorf("%s in pieces: %d, want %d", raw, c.N, want)
		}
	}
}
