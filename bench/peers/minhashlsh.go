package main

// This file is the peer minhash-lsh, MinHash with locality-sensitive hashing in
// Go.

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"time"

	minhashlsh "github.com/ekzhu/minhash-lsh"
)

// permutations is how many hash functions every MinHash peer uses.
const permutations = 128

// runMinHashLSH indexes MinHash signatures of the sets. What it finds is not
// verified, as the library leaves that to its user.
func runMinHashLSH(in, out string) error {
	sets, err := readSets(filepath.Join(in, "sets.bin"))
	if err != nil {
		return err
	}
	queries, err := readU32(filepath.Join(in, "queries.bin"))
	if err != nil {
		return err
	}
	sayVersion("github.com/ekzhu/minhash-lsh")
	start := time.Now()
	signatures := make([][]uint64, len(sets))
	var token [8]byte
	for i, set := range sets {
		m := minhashlsh.NewMinhash(1, permutations)
		for _, h := range set {
			binary.LittleEndian.PutUint64(token[:], h)
			m.Push(token[:])
		}
		signatures[i] = m.Signature()
	}
	say("sketching", float64(len(sets))/time.Since(start).Seconds(), "docs/s")
	index := minhashlsh.NewMinhashLSH64(permutations, 0.8)
	for i, s := range signatures {
		index.Add(uint32(i), s)
	}
	index.Index()
	say("load and index", float64(len(sets))/time.Since(start).Seconds(), "docs/s")
	search := func(q uint32) (found []uint32, _ error) {
		for _, key := range index.Query(signatures[q]) {
			found = append(found, key.(uint32))
		}
		return found, nil
	}
	if err := answerQueries(out, queries, search); err != nil {
		return err
	}
	start = time.Now()
	var packed []byte
	for i := range sets {
		found, _ := search(uint32(i))
		for _, n := range found {
			if n > uint32(i) {
				packed = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(packed, uint32(i)), n)
			}
		}
	}
	say("pairs", time.Since(start).Seconds(), "s")
	return os.WriteFile(filepath.Join(out, "pairs.bin"), packed, 0o644)
}
