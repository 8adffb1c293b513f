// Command alltests runs go test for all packages and says which tests were skipped, and why, which go
// test hides.
//
//	go run ./internal/alltests [flags and packages of go test]
//
// Without arguments it tests ./... Output and exit code are those of go test; the skipped tests follow.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		args = []string{"./..."}
	}
	os.Exit(run(exec.Command("go", append([]string{"test", "-json"}, args...)...), os.Stdout))
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

// run runs go test and returns its exit code.
func run(cmd *exec.Cmd, to io.Writer) int {
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "alltests:", err)
		return 2
	}
	report(out, to)
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() < 0 {
		fmt.Fprintln(os.Stderr, "alltests:", err)
		return 2
	}
	return cmd.ProcessState.ExitCode()
}

// report prints the output of packages and of failed tests, and then the skipped tests by reason.
func report(from io.Reader, to io.Writer) {
	said := map[string][]string{} // by test, until it ends
	passed, reasons := 0, map[string]int{}
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		var e event
		if json.Unmarshal(line, &e) != nil {
			to.Write(line) // of the compiler
		}
		key := e.Package + " " + e.Test
		switch {
		case e.Action == "build-output":
			io.WriteString(to, e.Output)
		case e.Action == "output" && e.Test == "" && !strings.HasPrefix(e.Output, "PASS"):
			io.WriteString(to, e.Output)
		case e.Action == "output":
			said[key] = append(said[key], e.Output)
		case e.Test == "" && e.Action == "fail": // tests that ended with their process
			for _, unended := range slices.Sorted(maps.Keys(said)) {
				if strings.HasPrefix(unended, key) {
					io.WriteString(to, strings.Join(said[unended], ""))
					delete(said, unended)
				}
			}
		case e.Test == "":
		case e.Action == "fail":
			io.WriteString(to, strings.Join(said[key], ""))
		case e.Action == "pass":
			passed++
		case e.Action == "skip":
			reasons[reason(said[key])]++
		}
		if e.Test != "" && (e.Action == "fail" || e.Action == "pass" || e.Action == "skip") {
			delete(said, key)
		}
		if err != nil {
			break
		}
	}
	skipped := 0
	for _, n := range reasons {
		skipped += n
	}
	fmt.Fprintf(to, "\n%d tests passed, %d skipped\n", passed, skipped)
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(to, "%5d  %s\n", reasons[why], why)
	}
}

// reason returns the reason of a skip, the last line that the test printed, without its place.
func reason(said []string) string {
	for _, line := range slices.Backward(said) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "=== ") {
			continue
		}
		if _, after, ok := strings.Cut(line, ".go:"); ok {
			if _, text, ok := strings.Cut(after, ": "); ok {
				return text
			}
		}
		return line
	}
	return "no reason"
}
