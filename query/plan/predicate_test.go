package plan

// Predicates over a row of metadata: comparisons, and the three values of logic.

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/simdb/simdb/query/syntax"
)

// fields is a row of metadata.
type fields map[string]any

func (f fields) Value(r Ref) any { return f[strings.Join(r.path, ".")] }

func evaluate(t *testing.T, where string, r row, args ...any) truth {
	t.Helper()
	s, err := syntax.Parse("SELECT * FROM docs WHERE " + where)
	if err != nil {
		t.Fatal(err)
	}
	c := compiler{
		ctx: t.Context(), patterns: new(int),
		fail:  func(e error) { err = cmp.Or(err, e) },
		field: func(x syntax.Operand) Ref { return Ref{path: steps(x.(*syntax.Field).Path)} },
	}
	c.constant = func(x syntax.Operand) any {
		v, e := bound(args).constant(x)
		c.fail(e)
		return v
	}
	p := c.compile(s.(*syntax.Select).Where)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	return p(r)
}

func TestPredicate(t *testing.T) {
	r := fields{"n": json.Number("5"), "f": 0.8, "s": "abc", "yes": true, "list": []any{"x"}, "year": "2003", "big": json.Number("9007199254740993"),
		"numbers": []any{json.Number("1"), "2", nil, []any{"3"}}, "when": "2026-01-31T12:00:00+01:00"}
	tests := []struct {
		where string
		want  truth
	}{
		{"n = 5", yes}, {"n = 5.0", yes}, {"n != 5", no}, {"5 < n", no}, {"n <= 5 AND n >= 5", yes}, {"n > 4", yes},
		{"f = 0.8", yes}, {"f >= 80%", yes}, {"f > 4/5", no}, {"big = 9007199254740992", no}, {"big > 9007199254740992", yes},
		{"s = 'abc'", yes}, {"s < 'abd'", yes}, {"s = 5", unknown}, {"yes = TRUE", yes}, {"yes != true", no}, {"yes = 1", unknown},
		{"year >= 2000", yes}, {"year < 2000", no}, {"n = year", no},
		{"none = 1", unknown}, {"none IS NULL", yes}, {"none IS NOT NULL", no}, {"n IS NULL", no}, {"n = NULL", unknown},
		{"list = 'x'", unknown}, {"list IS NOT NULL", yes},
		{"n BETWEEN 1 AND 5", yes}, {"n NOT BETWEEN 1 AND 5", no}, {"none BETWEEN 1 AND 2", unknown},
		{"n BETWEEN 6 AND NULL", no}, {"n BETWEEN 1 AND NULL", unknown}, {"n NOT BETWEEN 6 AND NULL", yes},
		{"n IN (1, 5)", yes}, {"n IN (1, 2)", no}, {"n IN (1, NULL)", unknown}, {"n NOT IN (1, NULL)", unknown},
		{"n NOT IN (1, 2)", yes}, {"n IN (5, NULL)", yes}, {"none IN (1)", unknown},
		{"s LIKE 'a%'", yes}, {"s NOT LIKE 'a%'", no}, {"n LIKE '5'", yes}, {"s GLOB '?b*'", yes}, {"none LIKE '%'", unknown},
		{"none NOT LIKE '%'", unknown}, {"s LIKE NULL", unknown}, {"f LIKE '0.8'", yes}, {"yes LIKE 't%'", unknown},
		{"list HAS 'x'", yes}, {"list NOT HAS 'x'", no}, {"list HAS 'y'", no}, {"NOT list HAS 'y'", yes}, {"s HAS 'abc'", yes}, {"s HAS 'ab'", no},
		{"numbers HAS 1.0", yes}, {"numbers HAS '1'", yes}, {"numbers HAS 2", yes}, {"numbers HAS '3'", no}, {"numbers HAS TRUE", no},
		{"none HAS 'x'", unknown}, {"none NOT HAS 'x'", unknown}, {"list HAS NULL", unknown}, {"list HAS s", no}, {"s HAS list", no},
		{"when = TIME '2026-01-31T11:00:00Z'", yes}, {"when > TIME '2026-01-31'", yes}, {"when < TIME '2026-01-31T11:00:00.5Z'", yes},
		{"when BETWEEN TIME '2026-01-31' AND TIME '2026-02-01'", yes}, {"TIME '2026-01-31T06:00:00-05:00' = when", yes},
		{"when > '2026-01-31T13:00:00+09:00'", no}, {"s < TIME '2026-01-31'", unknown}, {"n < TIME '2026-01-31'", unknown}, {"when HAS TIME '2026-01-31T11:00:00Z'", yes},
		{"NOT none = 1", unknown}, {"NOT n = 1", yes}, {"NOT NOT n = 1", no},
	}
	for _, tt := range tests {
		if got := evaluate(t, tt.where, r); got != tt.want {
			t.Errorf("%s is %d, want %d", tt.where, got, tt.want)
		}
	}
}

// AND, OR and NOT over true, false and unknown.
func TestTruthTable(t *testing.T) {
	r := fields{"x": 1}
	text := map[truth]string{no: "x = 2", unknown: "none = 1", yes: "x = 1"}
	for a, as := range text {
		for b, bs := range text {
			if got, want := evaluate(t, as+" AND "+bs, r), min(a, b); got != want {
				t.Errorf("%s AND %s is %d, want %d", as, bs, got, want)
			}
			if got, want := evaluate(t, as+" OR "+bs, r), max(a, b); got != want {
				t.Errorf("%s OR %s is %d, want %d", as, bs, got, want)
			}
			if got, want := evaluate(t, "NOT ("+as+" AND "+bs+")", r), -min(a, b); got != want {
				t.Errorf("NOT (%s AND %s) is %d, want %d", as, bs, got, want)
			}
		}
	}
}

func TestPredicateArguments(t *testing.T) {
	r := fields{"n": 5, "f": 0.8, "s": "abc"}
	for _, v := range []any{5, int32(5), int64(5), uint(5), uint32(5), uint64(5), 5.0, float32(5), json.Number("5"), "5", []byte("5")} {
		if got := evaluate(t, "n = ?", r, v); got != yes {
			t.Errorf("n = ? bound to %T %v is %d, want true", v, v, got)
		}
	}
	if got := evaluate(t, "s = :s AND f = $1", r, 0.8, arg{"s", "abc"}); got != yes {
		t.Errorf("named and numbered arguments give %d, want true", got)
	}
	if got := evaluate(t, "n = ?", r, nil); got != unknown {
		t.Errorf("n = NULL is %d, want unknown", got)
	}
}

// arg binds a parameter of a test by its name.
type arg struct {
	name  string
	value any
}

func bound(args []any) *arguments {
	var list []any
	named := map[string]any{}
	for _, v := range args {
		if a, ok := v.(arg); ok {
			named[a.name] = a.value
		} else {
			list = append(list, v)
		}
	}
	return newArguments(list, named)
}

// A row of many tests ends with its context.
func TestTestsOfARowEndWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, where := range []string{
		"s = 'x'" + strings.Repeat(" OR s = 'y'", testsAtOnce) + " OR s = 'abc'",
		"s IN ('x'" + strings.Repeat(", 'y'", testsAtOnce) + ", 'abc')",
	} {
		s, err := syntax.Parse("SELECT * FROM docs WHERE " + where)
		if err != nil {
			t.Fatal(err)
		}
		for in, want := range map[context.Context]truth{t.Context(): yes, ctx: unknown} {
			c := compiler{ctx: in, fail: func(e error) { t.Error(e) }, constant: func(x syntax.Operand) any { return x.(*syntax.Literal).Text }}
			c.field = func(x syntax.Operand) Ref { return Ref{path: steps(x.(*syntax.Field).Path)} }
			if got := c.compile(s.(*syntax.Select).Where)(fields{"s": "abc"}); got != want {
				t.Errorf("%.30s… is %d in a context with the error %v, want %d", where, got, in.Err(), want)
			}
		}
	}
}
