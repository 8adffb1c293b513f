package main

// The command as a process of its own, for tests.

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// simdbOutput runs a command that must end well.
func simdbOutput(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command("simdb", args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("simdb %s: %v\n%s", strings.Join(args, " "), err, &said)
	}
	return out.String(), said.String()
}
