package main

// Wrong command lines.

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// A wrong command line ends with 2 and a reason, and creates nothing.
func TestUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ line, want string }{
		{"", "a command is missing"},
		{"imprt", "did you mean import?"},
		{"-x", "unknown shorthand flag"},
		{"--nosuch", "unknown flag: --nosuch"},
		{"help nosuch", `there is no command "nosuch"`},
		{"help import nosuch", `there is no command "import nosuch"`},
		{"license", `there is no command "license"; see simdb --help`},
		{"license --help", `there is no command "license"`},
		{"--help licence", `there is no command "licence"`},
		{"-h imprt", "did you mean import?"},
		{"scale nosuch", `there is no command "scale nosuch"; see simdb scale --help`},
		{"scale nosuch --help", `there is no command "scale nosuch"`},
		{"help scale rum", "did you mean run?"},
		{"-- import", "there is no command"},

		{"import", "want simdb import [flags] DB PATH…, found 0 arguments"},
		{"import db", "found 1 argument;"},
		{"import db - -", "occurs twice"},
		{"import db - x -", "occurs twice"},
		{"import '' -", "the name of the database is empty"},
		{"import --nosuch db -", "unknown flag"},
		{"import db - --max-doc", "flag needs an argument: --max-doc"},
		{"import --max-doc 1TB db -", "want a size from 1B to 48MiB, like 500kB"},
		{"import --max-doc 0 db -", "want a size from 1B to 48MiB"},
		{"import --max-ratio 0 db -", "no number from 1 up"},
		{"import --max-ratio lots db -", "invalid argument"},
		{"import --if-exists maybe db -", "use replace, skip or error"},
		{"import --input-format exe db -", "use auto, text, jsonl, json, map, csv, parquet, arrow, tar, warc or zip"},
		{"import --in '' db -", "--in wants the name of a collection"},
		{"import --id hash db -", "\"hash\" for \"--id\" flag: use path, name or sha256"},
		{"import --id-field text db -", "the field \"text\" cannot be both id and text"},
		{"import --delimiter ;; db -", "is no single ASCII character"},
		{"import --exclude [a db -", "cannot be read; write one as in .gitignore"},
		{"import --strip -1 db -", "cannot strip -1"},
		{"import --with=version=on db -", "did you mean versions?"},
		{"import --resume=maybe db -", "invalid argument"},

		{"query", "want simdb query [flags] DB…|FILE… STATEMENT, found 0 arguments"},
		{"query db", "found 1 argument;"},
		{"query '' CHECK", "the name of the database is empty"},
		{"query --format xml db CHECK", `"xml" for "--format" flag: use table, box`},
		{"query --nosuch db CHECK", "unknown flag: --nosuch; see simdb query --help"},

		{"shell", "want simdb shell [flags] DB|FILE…, found 0 arguments"},
		{"shell db db", "found 2 arguments"},
		{"shell ''", "the name of the database is empty"},
		{"shell --format xml db", "use table, box"},
		{"shell db -c", "flag needs an argument: 'c' in -c"},

		{"check", "want simdb check [flags] DB, found 0 arguments"},
		{"check db db", "found 2 arguments"},
		{"check --format xml db", "use table, box"},
		{"compact", "want simdb compact DB, found 0 arguments"},
		{"compact db db", "found 2 arguments"},
		{"compact --format csv db", "unknown flag"},
		{"demo a b", "found 2 arguments"},
		{"demo ''", "the name of the database is empty"},
		{"compare a", "want simdb compare [flags] FILE FILE, found 1 argument"},
		{"compare - -", "occurs twice"},
		{"compare --format xml a b", "use table, box"},
		{"compare --rendition maybe a b", "use auto or none"},
		{"get db", "want simdb get [flags] DB ID, found 1 argument"},
		{"get --format xml db id", "unknown flag"},
		{"stats", "want simdb stats [flags] DB, found 0 arguments"},
		{"stats db db", "found 2 arguments"},
		{"stats --format xml db", "use table, box"},
		{"export", "want simdb export [flags] DB, found 0 arguments"},
		{"export db db", "found 2 arguments"},
		{"export --format csv db", "use ndjson, parquet or arrow"},
		{"dump", "want simdb dump [flags] DB, found 0 arguments"},
		{"dump db file", "found 2 arguments"},
		{"restore db", "want simdb restore [flags] DB FILE, found 1 argument;"},
		{"restore '' -", "the name of the database is empty"},
		{"sync db", "want simdb sync [flags] DB DIR, found 1 argument;"},
		{"sync --in '' db .", "--in wants the name of a collection"},
		{"sync --max-doc 1TB db .", "want a size from 1B to 48MiB, like 500kB"},
		{"serve", "want simdb serve [flags] DB…|FILE…, found 0 arguments;"},
		{"serve --allow-writes db db", "several databases are only read"},
		{"serve --addr 0.0.0.0:0 db", "a token is needed"},
		{"serve --addr 0.0.0.0:0 db db", "a token is needed"},
		{"serve --create db", "give --allow-writes too"},
		{"serve --token '' db", "the token must be a word"},
		{"serve --token x --token-file y db", "not both"},
		{"serve --max-rows 0 db", "--max-rows 0 is no number"},
		{"serve --max-time x db", "is no duration from 1ns to 36500d; write it like 2s"},
		{"mcp --max-bytes 10 db", "want a size of at least 1KiB"},
		{"backup db", "want simdb backup [flags] DB DIR, found 1 argument;"},
		{"backup db copy copy", "found 3 arguments"},

		{"completion", "want simdb completion SHELL, found 0 arguments"},
		{"completion nosuch", `unknown shell "nosuch"; use bash, zsh, fish or powershell`},
		{"completion bash x", "found 2 arguments"},
		{"completion bash --nosuch", "unknown flag"},
		{"version x", "want simdb version, found 1 argument;"},
		{"version --format json", "unknown flag"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(arguments(tt.line), strings.NewReader(`{"id":"a","text":"a b c"}`), &stdout, &stderr)
		if code != exit.Usage || !strings.Contains(stderr.String(), tt.want) || stdout.Len() > 0 {
			t.Errorf("simdb %s: exit code %d, stdout %q, stderr %q; want %d, nothing, %q",
				tt.line, code, stdout.String(), stderr.String(), exit.Usage, tt.want)
		}
	}
	if made, err := os.ReadDir("."); err != nil || len(made) > 0 {
		t.Errorf("wrong command lines made %v (%v), want nothing", made, err)
	}
}

// arguments cuts a command line at blanks; two single quotes are an empty one.
func arguments(line string) []string {
	args := strings.Fields(line)
	for i, a := range args {
		if a == "''" {
			args[i] = ""
		}
	}
	return args
}

func TestHelpAndVersion(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"--help", "simdb import my.simdb docs/"},
		{"help", "simdb import my.simdb docs/"},
		{"help import", "--if-exists"},
		{"import --help", "--if-exists"},
		{"completion bash", "simdb"},
		{"completion zsh", "#compdef simdb"},
		{"completion fish", "simdb"},
		{"completion powershell", "simdb"},
		{"version", version()},
		{"--version", version()},
	} {
		var stdout, stderr bytes.Buffer
		code := run(arguments(tt.line), strings.NewReader(""), &stdout, &stderr)
		if code != exit.OK || !strings.Contains(stdout.String(), tt.want) || stderr.Len() > 0 {
			t.Errorf("simdb %s: exit code %d, stdout %q, stderr %q; want %d, %q, nothing",
				tt.line, code, stdout.String(), stderr.String(), exit.OK, tt.want)
		}
		if want := version() + "\n"; strings.HasSuffix(tt.line, "version") && stdout.String() != want {
			t.Errorf("simdb %s prints %q, want %q", tt.line, stdout.String(), want)
		}
	}
}
