package query

import "testing"

// The paper's reading by name is the same as its single arguments, and these change it.
func TestVersionsByName(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"versions", "versions"},
		{"versions(reading='simdb')", "versions"},
		{"versions(reading='paper')", "versions(case='keep', stop='drop', resemblance='off', of='query')"},
		{"versions(of='both', reading='paper', bits=1)", "versions(bits=1, case='keep', stop='drop', resemblance='off')"},
		{"versions(share=0.9, case=keep)", "versions(case='keep', share=0.9)"},
		{"versions(case='fold', stop='keep', of='doc')", "versions(of='doc')"},
	} {
		p, err := Parse("COMPARE a WITH b USING " + test.src)
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		by := methodOf(p.(*Compare).Methods[0])
		if got := by.Measure.Describe(by.Args); got != test.want {
			t.Errorf("%s is %s, want %s", test.src, got, test.want)
		}
	}
}
