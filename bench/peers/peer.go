package main

// This file lists the peers: how each is started, and which answers it leaves.

import (
	"os"
	"path/filepath"
	"strings"
)

// A peer is a program that reads inputs and leaves answers; see answers.go.
type peer struct {
	name    string
	command func(r *runner, in, out string) []string
	answers []answer // what it leaves
	serial  bool     // it has no use for a second core
}

// answer says what a file of answers holds.
type answer struct {
	file, what string
	dist       int // bits, of fingerprints
}

var (
	queryAnswers = answer{file: "queries.bin", what: "query"}
	pairAnswers  = answer{file: "pairs.bin", what: "pairs"}
	farAnswers   = answer{file: "far.bin", what: "12 bits", dist: 12}
	nearAnswers  = answer{file: "near.bin", what: "3 bits", dist: 3}

	contained80    = answer{file: "containment-80.bin", what: "containment 0.8"}
	contained50    = answer{file: "containment-50.bin", what: "containment 0.5"}
	nearestAnswers = answer{file: "nearest.bin", what: "ten nearest"}
)

// workload is a kind of input with those that take it; simdb is the first.
type workload struct {
	name     string
	question string   // tells figures of the same inputs apart
	flags    []string // of bench/speed, which makes the inputs
	peers    []peer
	truth    func(in string) (*truth, error) // the exact answers; nil means those of simdb
}

var ofTexts = workload{name: "texts", peers: []peer{
	{name: "simdb", command: simdb(), answers: []answer{queryAnswers, pairAnswers}},
	{name: "datasketch", command: python("datasketch_peer.py"), answers: []answer{queryAnswers, pairAnswers}, serial: true},
	{name: "rensa", command: python("rensa_peer.py"), answers: []answer{queryAnswers, pairAnswers}},
	{name: "rensa from texts", command: python("rensa_peer.py", "texts"), answers: []answer{queryAnswers, pairAnswers}},
	{name: "gaoya", command: python("gaoya_peer.py"), answers: []answer{queryAnswers, pairAnswers}},
	{name: "minhash-lsh", command: itself("minhash-lsh"), answers: []answer{queryAnswers, pairAnswers}, serial: true},
	{name: "SetSimilaritySearch", command: python("setsimilaritysearch_peer.py"), answers: []answer{queryAnswers, pairAnswers}, serial: true},
	{name: "pg_trgm", command: python("pgtrgm_peer.py"), answers: []answer{queryAnswers}},
	{name: "bleve", command: itself("bleve"), answers: []answer{queryAnswers}},
	{name: "tantivy", command: python("tantivy_peer.py"), answers: []answer{queryAnswers}},
	{name: "Lance", command: python("lance_peer.py"), answers: []answer{queryAnswers}},
}}

var contained = []answer{contained80, contained50}

// ofContainment asks what holds a part of a document, and what is nearest to it.
var ofContainment = workload{name: "containment", question: "containment", truth: countTruth, peers: []peer{
	{name: "simdb", command: simdb("-containment"), answers: append(contained, nearestAnswers)},
	{name: "SetSimilaritySearch", command: python("setsimilaritysearch_containment_peer.py"), answers: contained, serial: true},
	{name: "datasketch LSH Ensemble 16", command: python("datasketch_containment_peer.py", "16"), answers: contained, serial: true},
	{name: "datasketch LSH Ensemble 32", command: python("datasketch_containment_peer.py", "32"), answers: contained, serial: true},
	{name: "datasketch LSH Forest", command: python("datasketch_containment_peer.py", "forest"), answers: []answer{nearestAnswers}, serial: true},
	{name: "PostgreSQL intarray", command: python("pgarrays_peer.py", "intarray"), answers: append(contained, nearestAnswers)},
	{name: "PostgreSQL arrays", command: python("pgarrays_peer.py", "plain"), answers: append(contained, nearestAnswers)},
}}

var ofFingerprints = workload{name: "fingerprints", flags: []string{"-fingerprints"}, peers: []peer{
	{name: "simdb", command: simdb("-fingerprints"), answers: []answer{farAnswers, nearAnswers}},
	{name: "faiss IndexBinaryFlat", command: python("faiss_peer.py", "flat"), answers: []answer{farAnswers, nearAnswers}},
	{name: "faiss IndexBinaryHash", command: python("faiss_peer.py", "hash"), answers: []answer{farAnswers, nearAnswers}},
	{name: "faiss IndexBinaryMultiHash", command: python("faiss_peer.py", "multi-hash"), answers: []answer{farAnswers, nearAnswers}},
}}

func (p peer) isSimdb() bool { return strings.HasPrefix(p.name, "simdb") }

// simdb answers by bench/speed.
func simdb(flags ...string) func(*runner, string, string) []string {
	return func(r *runner, in, out string) []string {
		return append([]string{r.speed, "-peer", in, "-answers", out}, flags...)
	}
}

func python(script string, args ...string) func(*runner, string, string) []string {
	return func(r *runner, in, out string) []string {
		return append([]string{r.python, filepath.Join("py", script), in, out}, args...)
	}
}

func itself(name string) func(*runner, string, string) []string {
	return func(_ *runner, in, out string) []string {
		self, err := os.Executable()
		if err != nil {
			self = os.Args[0]
		}
		return []string{self, "-run", name, in, out}
	}
}
