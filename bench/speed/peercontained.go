package main

// This file is simdb as one of the peers that search by containment of the query
// and for the ten nearest.

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/simdb/simdb"
)

// peerStatements are what is asked, and where the answers go.
var peerStatements = []struct{ file, what, statement string }{
	{"containment-80.bin", "containment 0.8", "SIMILAR TO $1 USING containment(of='query') WHERE sim >= 0.8"},
	{"containment-50.bin", "containment 0.5", "SIMILAR TO $1 USING containment(of='query') WHERE sim >= 0.5"},
	{"nearest.bin", "ten nearest", "SIMILAR TO $1 WHERE sim > 0 LIMIT 10"},
}

// statementTime is what the queries of one statement take at most, as for every
// peer; further ones are left out.
const statementTime = 20 * time.Second

// answerStatements leaves a file of answers for each statement.
func (e *env) answerStatements(ctx context.Context, db *simdb.DB, out string, ids []string, numbers map[string]uint32) error {
	for _, s := range peerStatements {
		if err := writeNumbers(filepath.Join(out, s.file), func(put func(...uint32)) error {
			return e.answerStatement(ctx, db, s.what, s.statement, ids, numbers, put)
		}); err != nil {
			return err
		}
	}
	return nil
}

// answerStatement asks by as many ids as there is time for, each once before it
// counts.
func (e *env) answerStatement(ctx context.Context, db *simdb.DB, what, statement string, ids []string, numbers map[string]uint32, put func(...uint32)) error {
	var took []time.Duration
	for warm := range 2 {
		took = took[:0]
		begun := time.Now()
		for _, id := range ids {
			start := time.Now()
			found, err := idsOf(ctx, db, statement, id)
			if err != nil {
				return err
			}
			took = append(took, time.Since(start))
			if warm == 1 {
				put(uint32(len(found)))
				for _, id := range found {
					put(numbers[id])
				}
			}
			if time.Since(begun) > statementTime {
				break
			}
		}
		ids = ids[:len(took)]
	}
	slices.Sort(took)
	e.add(what+", median", micros(at(took, 50)), "µs")
	e.add(what+", 99 of 100", micros(at(took, 99)), "µs")
	return nil
}

// idsOf returns the ids that a statement about one answers with.
func idsOf(ctx context.Context, db *simdb.DB, statement, id string) (ids []string, err error) {
	rows, err := db.Query(ctx, statement, id)
	if err != nil {
		return nil, err
	}
	defer func() { err = closing(rows, err) }()
	at := slices.Index(rows.Columns, "id")
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		ids = append(ids, fmt.Sprint(row[at]))
	}
	return ids, nil
}
