package main

// The serve command: listening, following a writer, and shutdown.

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// served is a command that serves, and its address.
type served struct {
	*testing.T
	cmd    *exec.Cmd
	url    string
	out    *bufio.Reader
	stderr io.Reader
}

// serveDB starts it on a free port. It must be ended.
func serveDB(t *testing.T, args ...string) served {
	t.Helper()
	cmd, _, stdout, stderr := start(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	out := bufio.NewReader(stdout)
	line, err := out.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") || !strings.HasSuffix(line, "/\n") {
		said, _ := io.ReadAll(stderr)
		t.Fatalf("serve prints %q, %v, want its address\n%s", line, err, said)
	}
	return served{t, cmd, strings.TrimSuffix(line, "/\n"), out, stderr}
}

// end sends a signal. The command must end well, without another word.
func (s served) end(sig os.Signal) {
	s.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.Fatal(err)
	}
	rest, _ := io.ReadAll(s.out)
	said, _ := io.ReadAll(s.stderr)
	if code := exitCode(s.T, s.cmd); code != exit.OK || len(rest) > 0 || len(said) > 0 {
		s.Errorf("exit code %d after %v, stdout %q, stderr %q", code, sig, rest, said)
	}
}

func (s served) ask(method, path, body string, headers ...string) (int, string) {
	s.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

func demoDB(t *testing.T) string {
	t.Helper()
	db := filepath.Join(t.TempDir(), "d.simdb")
	simdbOutput(t, "import", "--quiet", db, "../../testdata/demo")
	return db
}

// Without --allow-writes the page shows a database that another process writes to, and
// follows it. Nothing is written.
func TestServeFollows(t *testing.T) {
	needInterrupts(t)
	db := demoDB(t)
	s := serveDB(t, "--refresh", "20ms", db)
	if code, answer := s.ask("GET", "/", ""); code != 200 || !strings.Contains(answer, "<html") {
		t.Errorf("the page: %d\n%s", code, answer)
	}
	for range 3 {
		simdbOutput(t, "query", db, "DROP COLLECTION docs") // a writer
		for {
			if _, answer := s.ask("GET", "/api/v1/documents", ""); strings.Contains(answer, `"documents":[]`) {
				break
			}
			time.Sleep(10 * time.Millisecond) // until the test is ended: it must come
		}
		simdbOutput(t, "import", "--quiet", db, "../../testdata/demo")
		for {
			if _, answer := s.ask("GET", "/api/v1/documents", ""); strings.Contains(answer, `"lecture.txt"`) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if code, _ := s.ask("PUT", "/api/v1/document?id=x", `{"text":"y"}`); code != 403 {
		t.Errorf("a write: %d, want 403", code)
	}
	s.end(os.Interrupt)
}

// --allow-writes takes the write lock, and writes are durable.
func TestServeWrites(t *testing.T) {
	needInterrupts(t)
	db := demoDB(t)
	s := serveDB(t, "--allow-writes", db)
	if code, answer := s.ask("PUT", "/api/v1/document?id=x", `{"text":"one two three"}`); code != 200 {
		t.Errorf("a write: %d\n%s", code, answer)
	}
	cmd := exec.Command("simdb", "import", "--quiet", db, "../../testdata/demo")
	if said, err := cmd.CombinedOutput(); err == nil || cmd.ProcessState.ExitCode() != exit.Unavailable {
		t.Errorf("a second writer: %v\n%s", err, said)
	}
	s.end(syscall.SIGTERM)
	if out, _ := simdbOutput(t, "query", "--format", "csv", db, "SELECT text FROM docs WHERE id = 'x'"); out != "text\none two three\n" {
		t.Errorf("afterwards there is %q", out)
	}
}

// A request that is under way when the command is to end does not keep it from ending.
func TestServeEndsWithRequests(t *testing.T) {
	needInterrupts(t)
	db := filepath.Join(t.TempDir(), "d.simdb")
	cmd := exec.Command("simdb", "import", "--quiet", db, "-")
	cmd.Stdin = strings.NewReader(differing(3000))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := serveDB(t, db)
	r, _ := http.NewRequest("POST", s.url+"/api/v1/query", strings.NewReader(`{"statement":"SIMILAR PAIRS USING patricia WHERE sim > 0"}`))
	r.Header.Set("Accept", "application/x-ndjson")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	s.end(os.Interrupt)
}

// Beyond this machine a token is needed, and its file is read.
func TestServeToken(t *testing.T) {
	needInterrupts(t)
	db := demoDB(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		cmd := exec.Command("simdb", "serve", "--addr", addr, db)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != exit.Usage || !strings.Contains(string(out), "a token is needed") {
			t.Errorf("serve --addr %s: exit code %d\n%s", addr, cmd.ProcessState.ExitCode(), out)
		}
	}
	s := serveDB(t, "--token-file", token, db)
	for header, want := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer secret": 200} {
		if code, answer := s.ask("GET", "/api/v1/collections", "", "Authorization", header); code != want {
			t.Errorf("with %q: %d\n%s, want %d", header, code, answer, want)
		}
	}
	s.end(os.Interrupt)
	all, _, stdout, stderr := start(t, "serve", "--addr", "0.0.0.0:0", "--token", "secret", db)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://localhost:") {
		said, _ := io.ReadAll(stderr)
		t.Fatalf("serve prints %q, %v\n%s", line, err, said)
	}
	everywhere := served{t, all, strings.TrimSuffix(line, "/\n"), bufio.NewReader(strings.NewReader("")), stderr}
	if code, answer := everywhere.ask("GET", "/healthz", ""); code != 200 {
		t.Errorf("by the address that is printed: %d\n%s", code, answer)
	}
	everywhere.end(os.Interrupt)
}

// An address in use is an error, and leaves nothing open.
func TestServeTakenAddress(t *testing.T) {
	needInterrupts(t)
	db := demoDB(t)
	s := serveDB(t, db)
	cmd := exec.Command("simdb", "serve", "--addr", strings.TrimPrefix(s.url, "http://"), db)
	out, _ := cmd.CombinedOutput()
	if code := cmd.ProcessState.ExitCode(); code != exit.Unavailable || !strings.Contains(string(out), "any free port") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, answer := s.ask("GET", "/healthz", "", "X-Padding", strings.Repeat("x", 100<<10)); code != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 100 kB: %d\n%s", code, answer)
	}
	s.end(os.Interrupt)
	if _, err := os.Stat(db); err != nil {
		t.Error(fmt.Errorf("the database: %w", err))
	}
}

// Several databases answer together, and have the page.
func TestServeSeveral(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, text := range []string{"one two three four", "one two three five"} {
		path := filepath.Join(dir, fmt.Sprint("db", i))
		file := filepath.Join(dir, fmt.Sprint("t", i, ".txt"))
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		simdbOutput(t, "import", "--quiet", path, file)
		paths = append(paths, path)
	}
	s := serveDB(t, paths...)
	status, body := s.ask("POST", "/api/v1/query", `{"statement": "SIMILAR TO 't0.txt' WHERE sim >= 0.1 RETURNING id, sim"}`)
	if status != 200 || !strings.Contains(body, `"rows":[{"id":"t1.txt","sim":0.3333333333333333}]`) {
		t.Errorf("query: %d %s", status, body)
	}
	if status, body := s.ask("GET", "/", ""); status != 200 || !strings.Contains(body, "<html") {
		t.Errorf("the page: %d %s", status, body)
	}
	if status, body := s.ask("POST", "/api/v1/similar", `{"id": "t0.txt", "threshold": 0.1}`); status != 200 || !strings.Contains(body, fmt.Sprintf(`"store":%q`, paths[1])) {
		t.Errorf("similar: %d %s", status, body)
	}
	if status, body := s.ask("POST", "/api/v1/render?name=t.html", "<p>a text"); status != 200 || !strings.Contains(body, `"text":"a text`) {
		t.Errorf("a page that is dropped: %d %s", status, body)
	}
	s.end(os.Interrupt)
}

// A program that begins a server has it make the database, asks it over a socket of this user
// alone, and ends it by closing its standard input.
func TestServeForAProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a socket has no permissions there")
	}
	dir := t.TempDir()
	db, socket := filepath.Join(dir, "d.simdb"), filepath.Join(dir, "s")
	cmd, stdin, stdout, _ := start(t, "serve", "--addr", "unix:"+socket, "--until-eof", "--allow-writes", "--create", db)
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "unix:"+socket+"\n" {
		t.Fatalf("serve prints %q, %v", line, err)
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}
	res, err := client.Post("http://localhost/api/v1/import", "application/x-ndjson", strings.NewReader(`{"id":"x","text":"one two three"}`))
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("an import: %v, %v", res, err)
	}
	res.Body.Close()
	stdin.Close()
	if code := exitCode(t, cmd); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("the socket is still there")
	}
	if out, _ := simdbOutput(t, "query", "--format", "csv", db, "SELECT text FROM docs"); out != "text\none two three\n" {
		t.Errorf("afterwards there is %q", out)
	}
	if out, err := exec.Command("simdb", "serve", "--addr", "unix:"+filepath.Join(dir, "nosuch", "s"), db).CombinedOutput(); err == nil || !strings.Contains(string(out), "cannot listen") {
		t.Errorf("a socket that cannot be made: %v\n%s", err, out)
	}
}
