package main

import (
	"strings"
	"testing"
)

// Skipped tests are counted by their reasons; of the others only failures have output,
// also where a test ends its process or does not compile.
func TestReport(t *testing.T) {
	events := `{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:7: no texts: name a folder\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: TestA (0.00s)\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"loud\n"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: wrong\n"}
{"Action":"output","Package":"p","Test":"TestC","Output":"--- FAIL: TestC (0.00s)\n"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
{"Action":"output","Package":"r","Test":"TestE","Output":"last words\n"}
{"Action":"output","Package":"r","Output":"FAIL\tr\t0.1s\n"}
{"Action":"fail","Package":"r"}
{"ImportPath":"s","Action":"build-output","Output":"s.go:3:27: declared and not used: x\n"}
not JSON
{"Action":"skip","Package":"q","Test":"TestD"}
`
	var out strings.Builder
	report(strings.NewReader(events), &out)
	want := `    c_test.go:9: wrong
--- FAIL: TestC (0.00s)
FAIL	p	0.1s
FAIL	r	0.1s
last words
s.go:3:27: declared and not used: x
not JSON

1 tests passed, 2 skipped
    1  no reason
    1  no texts: name a folder
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
