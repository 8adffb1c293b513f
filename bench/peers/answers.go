package main

// A peer gets a folder of inputs, which bench/speed describes, and a folder for
// its answers:
//
//	pairs.bin    of each pair: u32 and u32, the numbers of its documents
//	queries.bin  of each search: u32 count, then so many u32 numbers, not its own
//
// It prints its figures as JSON lines.

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"
)

// queryTime is what a peer takes for queries at most; further ones are left out.
const queryTime = 20 * time.Second

func say(name string, value float64, unit string) {
	sayFigure(figure{Name: name, Value: value, Unit: unit})
}

func sayFigure(f figure) {
	json.NewEncoder(os.Stdout).Encode(f)
}

// sayVersion finds the version of a module this program is built with.
func sayVersion(module string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	for _, m := range info.Deps {
		if m.Path == module {
			sayFigure(figure{Name: "version", Note: m.Version})
		}
	}
}

// answerQueries times searches and writes what they find.
func answerQueries(out string, queries []uint32, search func(q uint32) ([]uint32, error)) error {
	var packed []byte
	var took []time.Duration
	for begun := time.Now(); len(took) < len(queries) && time.Since(begun) < queryTime; {
		q := queries[len(took)]
		start := time.Now()
		found, err := search(q)
		if err != nil {
			return err
		}
		took = append(took, time.Since(start))
		found = slices.DeleteFunc(found, func(n uint32) bool { return n == q })
		packed = binary.LittleEndian.AppendUint32(packed, uint32(len(found)))
		for _, n := range found {
			packed = binary.LittleEndian.AppendUint32(packed, n)
		}
	}
	slices.Sort(took)
	say("query, median", float64(took[len(took)/2])/1e3, "µs")
	say("query, 99 of 100", float64(took[len(took)*99/100])/1e3, "µs")
	return os.WriteFile(filepath.Join(out, "queries.bin"), packed, 0o644)
}
