// Processes that tests kill.

package enginetest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// A test binary runs itself as the process to kill: with VictimDir in its environment it runs no
// tests, but writes to that directory data derived from VictimSeed.
const (
	VictimDir  = "SIMDB_TEST_VICTIM_DIR"
	VictimSeed = "SIMDB_TEST_VICTIM_SEED"
)

// Main runs the tests or, if the environment requests it, victim.
func Main(m *testing.M, victim func(dir string, seed uint64) error) {
	dir := os.Getenv(VictimDir)
	if dir == "" {
		os.Exit(m.Run())
	}
	seed, err := strconv.ParseUint(os.Getenv(VictimSeed), 10, 64)
	if err == nil {
		err = victim(dir, seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// KillWriters starts the process of Main and kills it after it has printed lines lines. It
// passes each complete line to report. A process that fails by itself fails the test.
func KillWriters(t *testing.T, dir string, seed int, lines int, report func(line string)) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), VictimDir+"="+dir, VictimSeed+"="+strconv.Itoa(seed))
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scan := bufio.NewScanner(stdout)
	for i := 0; scan.Scan(); i++ {
		if i == lines {
			cmd.Process.Kill()
		}
		if line, whole := strings.CutSuffix(scan.Text(), "."); whole {
			report(line)
		}
	}
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() > 0 {
		t.Fatalf("process %d failed: %v", seed, err)
	}
}
