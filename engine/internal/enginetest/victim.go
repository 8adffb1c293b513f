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

// A test binary runs itself as the process to be killed: with VictimDir in its environment it
// is no test, but writes there what follows of VictimSeed.
const (
	VictimDir  = "SIMDB_TEST_VICTIM_DIR"
	VictimSeed = "SIMDB_TEST_VICTIM_SEED"
)

// Main runs the tests or, where the environment says so, the process to be killed.
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

// KillWriters starts the process of Main, and kills it once it has printed so many lines. told
// gets those that are whole. A process that fails by itself fails the test.
func KillWriters(t *testing.T, dir string, seed int, lines int, told func(line string)) {
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
			told(line)
		}
	}
	if err := cmd.Wait(); err != nil && cmd.ProcessState.ExitCode() > 0 {
		t.Fatalf("process %d failed: %v", seed, err)
	}
}
