package main

// The cases: what is done with which input.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/engine"
	"github.com/simdb/simdb/load"
)

// task is one row of the table.
type task struct {
	input, size, call string
	makes             bool // the store that later cases of the input open
	run               func(context.Context, *simdb.DB) error
}

func (c task) name() string { return c.input + ": " + c.call }

// do opens the store, runs the case and closes it.
func (c task) do(ctx context.Context, dir string) (took time.Duration, err error) {
	db, err := simdb.Open(dir, &simdb.Options{MustExist: !c.makes})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	began := time.Now()
	err = c.run(ctx, db)
	return time.Since(began), err
}

// keepAll has all measures of texts kept.
var keepAll = api.Settings{SI: "m43b k40", Versions: true, Entities: true, Words: true, Patricia: true}

func cases() (out []task) {
	for _, h := range hostileTexts {
		add := func(call string, makes bool, run func(context.Context, *simdb.DB) error) {
			out = append(out, task{h.name, "16 MiB", call, makes, run})
		}
		add("Put, all kept", true, func(ctx context.Context, db *simdb.DB) error {
			if err := db.CreateCollection(ctx, "kept", keepAll); err != nil {
				return err
			}
			return db.Put(ctx, api.Document{Collection: "kept", ID: "a", Text: h.text()})
		})
		add("Check", false, check)
		add("Compare by all", false, func(ctx context.Context, db *simdb.DB) error {
			_, err := db.Compare(ctx, api.ByID("a"), api.ByText(h.other()), simdb.In("kept"))
			return err
		})
		add("Passages", false, func(ctx context.Context, db *simdb.DB) error {
			_, err := db.Passages(ctx, api.ByID("a"), api.ByText(h.other()), simdb.In("kept"))
			return err
		})
		for _, m := range []api.Measure{api.Patricia, api.Versions, api.Entities, api.Words, api.SI} {
			add("Similar by "+m.String(), false, func(ctx context.Context, db *simdb.DB) error {
				return drain(db.Similar(ctx, api.ByText(h.other()), simdb.In("kept"), simdb.Using(m), simdb.MinSim(0.5)))
			})
		}
	}
	return append(out, otherCases()...)
}

func check(ctx context.Context, db *simdb.DB) error {
	report, err := db.Check(ctx, nil)
	if err == nil && report.Found > 0 {
		err = fmt.Errorf("check found %d problems", report.Found)
	}
	return err
}

func drain[T any](rows iter.Seq2[T, error]) error {
	for _, err := range rows {
		if err != nil {
			return err
		}
	}
	return nil
}

// query runs a statement to its last row.
func query(ctx context.Context, db *simdb.DB, statement string, args ...any) error {
	rows, err := db.Query(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return drain(rows.All())
}

const statementBytes = 1 << 20

// filled repeats pieces until a statement has no room for more of them.
func filled(begin string, piece func(int) string, end string) string {
	var b strings.Builder
	b.WriteString(begin)
	for i := 0; ; i++ {
		p := piece(i)
		if b.Len()+len(p)+len(end) > statementBytes {
			return b.String() + end
		}
		b.WriteString(p)
	}
}

func otherCases() []task {
	put := func(meta api.Meta) func(context.Context, *simdb.DB) error {
		return func(ctx context.Context, db *simdb.DB) error {
			return db.Put(ctx, api.Document{ID: "a", Text: "one two three four", Meta: meta})
		}
	}
	ask := func(statement string, args ...any) func(context.Context, *simdb.DB) error {
		return func(ctx context.Context, db *simdb.DB) error { return query(ctx, db, statement, args...) }
	}
	fields := api.Meta{}
	for i, size := 0, 2; size < engine.MaxMetaBytes-16; i++ {
		name := fmt.Sprint("f", i)
		fields[name] = 1
		size += len(name) + len(`"":1,`)
	}
	long := api.Meta{"s": strings.Repeat("a", engine.MaxMetaBytes-len(`{"s":""}`))}
	words := filled("SIMILAR TO TEXT '", func(i int) string { return fmt.Sprintf("w%x ", i) }, "' WHERE sim >= 0.5")
	nested := "SELECT id FROM docs WHERE " + strings.Repeat("NOT (", 32) + "id = 'a'" + strings.Repeat(")", 32)
	listed := filled("SELECT id FROM docs WHERE s IN ('x'", func(i int) string { return fmt.Sprintf(",'%x'", i) }, ")")
	literals := filled("SELECT id FROM docs WHERE s LIKE '", func(int) string { return "%a" }, "b'")
	singles := filled("SELECT id FROM docs WHERE s LIKE '%", func(int) string { return "a_" }, "b%'")
	return []task{
		{"many fields", "1 MiB of JSON", "Put", true, put(fields)},
		{"many fields", "1 MiB of JSON", "SELECT *", false, ask("SELECT * FROM docs")},
		{"one long field", "1 MiB of JSON", "Put", true, put(long)},
		{"one long field", "1 MiB of JSON", "a statement with a TEXT, 1 MB", false, ask(words)},
		{"one long field", "1 MiB of JSON", "64 levels of NOT and ( )", false, ask(nested)},
		{"one long field", "1 MiB of JSON", "IN with a list of 1 MB", false, ask(listed)},
		{"one long field", "1 MiB of JSON", "LIKE '%a%a…b', 1 MB", false, ask(literals)},
		{"one long field", "1 MiB of JSON", "LIKE '%a_a_…b%', 1 MB", false, ask(singles)},
		{"one long field", "1 MiB of JSON", "LIKE '%a_a_…b%', 2 kB", false, ask("SELECT id FROM docs WHERE s LIKE ?", "%"+strings.Repeat("a_", 1000)+"b%")},
		{"a line of JSON", "32 MiB and 64 KiB", "ImportReader", true, importLine},
	}
}

// importLine imports the longest line that is read: a text of 16 MiB, every character of
// which is escaped.
func importLine(ctx context.Context, db *simdb.DB) error {
	const begin, end = `{"id":"a","text":"`, `"}`
	line := begin + strings.Repeat(`\t`, textBytes) + end
	line += strings.Repeat(" ", 2*textBytes+64<<10-len(line))
	stats, err := load.ImportReader(ctx, db, "line.jsonl", strings.NewReader(line), api.ImportOptions{})
	if err == nil && stats.Imported != 1 {
		err = fmt.Errorf("the line was rejected: %+v", stats)
	}
	return err
}
