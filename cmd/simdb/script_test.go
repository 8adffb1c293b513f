package main

// The scripts in testdata/script, and the commands that they have.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/cockroachdb/pebble/v2"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/cmd/simdb/internal/exit"
	storekeys "github.com/simdb/simdb/internal/keys"
)

// Commands wait for disks more than for processors, so more of them run side by side than
// there are of these; -parallel overrides the number.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"simdb": main})
}

// The scripts in testdata/script run the real command. Beside the commands of
// testscript they have these: exits, damage, empty, crash, hold, bytes, repeat, sparse, spoil and
// age.
func TestScripts(t *testing.T) {
	demo, err := filepath.Abs("../../testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := filepath.Abs("../../engine/internal/disk/testdata/golden/next")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DEMO", demo)
			env.Setenv("GOLDEN", golden)
			env.Setenv("NO_COLOR", "1")
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, errors.New("unknown condition " + name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  scriptExits,
			"damage": scriptDamage,
			"empty":  scriptEmpty,
			"crash":  scriptCrash,
			"hold":   scriptHold,
			"bytes":  scriptBytes,
			"repeat": scriptRepeat,
			"sparse": scriptSparse,
			"spoil":  scriptSpoil,
			"age":    scriptAge,
		},
	})
}

// exits CODE COMMAND… runs a command that must end with this exit code, and
// print a reason on standard error unless the code is 0.
func scriptExits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		code = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	stderr := ts.ReadFile("stderr")
	if code != want {
		ts.Fatalf("exit code %d, want %d; stderr:\n%s", code, want, stderr)
	}
	if code != 0 && strings.TrimSpace(stderr) == "" {
		ts.Fatalf("exit code %d without a word on stderr", code)
	}
}

// scriptEmpty fails unless a folder is empty.
func scriptEmpty(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: empty FOLDER")
	}
	files, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, f := range files {
		ts.Fatalf("%s is left in %s", f.Name(), args[0])
	}
}

// damage COMMAND does this in a copy of the database db, which no command may
// open then.
func scriptDamage(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.RemoveAll(ts.MkAbs("damaged")))
	ts.Check(os.CopyFS(ts.MkAbs("damaged"), os.DirFS(ts.MkAbs("db"))))
	ts.Check(ts.Exec("sh", "-c", "cd damaged && "+args[0]))
	for _, command := range [][]string{
		{"query", "damaged", "SHOW COLLECTIONS"}, {"check", "damaged"}, {"export", "damaged"},
		{"import", "--quiet", "damaged", ts.Getenv("DEMO")}, {"shell", "-c", "CHECK", "damaged"},
	} {
		scriptExits(ts, false, append([]string{strconv.Itoa(exit.Corrupt), "simdb"}, command...))
		for _, want := range []string{"corrupt", "go back to a backup"} {
			if stderr := ts.ReadFile("stderr"); !strings.Contains(stderr, want) {
				ts.Fatalf("after %s: simdb %v does not say %q:\n%s", args[0], command, want, stderr)
			}
		}
	}
}

// hold DB keeps a database open, in this process, until the script ends.
func scriptHold(ts *testscript.TestScript, _ bool, args []string) {
	db, err := simdb.Open(ts.MkAbs(args[0]), nil)
	ts.Check(err)
	ts.Defer(func() { db.Close() })
}

// crash DB COPY copies DB to COPY in the state after a crash, after one more
// document, with a torn record at the end of its log.
func scriptCrash(ts *testscript.TestScript, _ bool, args []string) {
	db, err := simdb.Open(ts.MkAbs(args[0]), nil)
	ts.Check(err)
	defer db.Close()
	ts.Check(db.Put(context.Background(), api.Document{ID: "last", Text: "the last words"}))
	for range 10 { // a file that is just being replaced has gone when its turn comes
		ts.Check(os.RemoveAll(ts.MkAbs(args[1])))
		if err = os.CopyFS(ts.MkAbs(args[1]), os.DirFS(ts.MkAbs(args[0]))); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	ts.Check(err)
	logs, err := filepath.Glob(filepath.Join(ts.MkAbs(args[1]), "log", "*.log"))
	ts.Check(err)
	f, err := os.OpenFile(logs[len(logs)-1], os.O_APPEND|os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteString("torn")
	ts.Check(errors.Join(err, f.Close()))
}

// bytes FILE TEXT writes TEXT with the escapes of a Go string.
func scriptBytes(ts *testscript.TestScript, _ bool, args []string) {
	text, err := strconv.Unquote(`"` + args[1] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// repeat FILE N TEXT is bytes with TEXT written N times.
func scriptRepeat(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text, err := strconv.Unquote(`"` + args[2] + `"`)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat(text, n)), 0o644))
}

// sparse FILE N extends FILE to N bytes; the extension reads as NUL.
func scriptSparse(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	ts.Check(f.Truncate(n))
	ts.Check(f.Close())
}

// spoil DB SPACE changes all values of a key space below the checksums of the store.
func scriptSpoil(ts *testscript.TestScript, _ bool, args []string) {
	space, err := strconv.ParseUint(args[1], 0, 8)
	ts.Check(err)
	ts.Check(spoil(ts.MkAbs(args[0]), byte(space)))
}

func spoil(db string, space byte) error {
	return rewrite(db, space, func(_, value []byte) []byte { return append(slices.Clone(value), 'x') })
}

// age DB marks a closed store as read with older Unicode tables.
func scriptAge(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(rewrite(ts.MkAbs(args[0]), byte(storekeys.Collection), func(key, sealed []byte) []byte {
		value := bytes.Replace(sealed[:len(sealed)-4], []byte(`"unicode":"`+unicode.Version), []byte(`"unicode":"9.0.0`), 1)
		table := crc32.MakeTable(crc32.Castagnoli)
		return binary.LittleEndian.AppendUint32(value, crc32.Update(crc32.Checksum(key, table), table, value))
	}))
}

// rewrite changes the values of a key space of a closed store.
func rewrite(db string, space byte, to func(key, value []byte) []byte) error {
	p, err := pebble.Open(filepath.Join(db, "store"), &pebble.Options{FormatMajorVersion: pebble.FormatValueSeparation, DisableWAL: true, Logger: silent{}})
	if err != nil {
		return err
	}
	defer p.Close()
	it, err := p.NewIter(&pebble.IterOptions{LowerBound: []byte{space}, UpperBound: []byte{space + 1}})
	if err != nil {
		return err
	}
	b := p.NewBatch()
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		err = b.Set(it.Key(), to(it.Key(), it.Value()), nil)
	}
	if err == nil && b.Empty() {
		err = fmt.Errorf("nothing is stored in key space %#x", space)
	}
	if err := errors.Join(err, it.Close()); err != nil {
		return err
	}
	return errors.Join(b.Commit(pebble.NoSync), p.Flush())
}

type silent struct{}

func (silent) Infof(string, ...any)         {}
func (silent) Errorf(string, ...any)        {}
func (silent) Fatalf(f string, args ...any) { panic(fmt.Sprintf(f, args...)) }
