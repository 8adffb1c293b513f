package main

// The command mcp: how an agent starts it, shares it, and leaves it.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/simdb/simdb/cmd/simdb/internal/exit"
)

// agentOf is a client that has started the command with these arguments.
func agentOf(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	cmd := exec.Command("simdb", append([]string{"mcp"}, args...)...)
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask calls a tool, and returns its answer as text.
func ask(t *testing.T, s *mcp.ClientSession, tool, arguments string) string {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil || res.IsError {
		t.Fatalf("%s %s: %v, %+v", tool, arguments, err, res)
	}
	return res.Content[0].(*mcp.TextContent).Text
}

// An agent starts without a database, and the next agent finds its texts.
func TestMCPRemembers(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.simdb")
	const text = `{"text":"The user wants answers in French, and no more than three sentences of them."}`
	s := agentOf(t, "--allow-remember", db)
	if got := ask(t, s, "remember", text); !strings.Contains(got, `"stored":true`) {
		t.Errorf("a new text: %s", got)
	}
	cmd := exec.Command("simdb", "mcp", "--allow-remember", db)
	if said, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exit.Unavailable || !strings.Contains(string(said), "--addr") {
		t.Errorf("a second writer: exit code %d\n%s", cmd.ProcessState.ExitCode(), said)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closing standard input: %v", err)
	}
	s = agentOf(t, "--allow-remember", db)
	defer s.Close()
	if got := ask(t, s, "remember", text); !strings.Contains(got, `"stored":false`) {
		t.Errorf("the same text in the next session: %s", got)
	}
}

// A read-only server follows a writer and writes nothing.
func TestMCPFollows(t *testing.T) {
	db := demoDB(t)
	s := agentOf(t, "--refresh", "20ms", db)
	defer s.Close()
	simdbOutput(t, "query", db, "INSERT INTO docs (id, text) VALUES ('new', 'a text that came later')")
	for !strings.Contains(ask(t, s, "query", `{"statement":"SELECT id FROM docs WHERE id = 'new'"}`), `[["new"]]`) {
		time.Sleep(10 * time.Millisecond) // until the test is ended: it must come
	}
	if got := ask(t, s, "sources", `{"id":"backup-copy.txt"}`); !strings.Contains(got, `"id":"backup.txt"`) {
		t.Errorf("sources: %s", got)
	}
}

// A signal or a disconnect ends the command with code 0; an invalid message ends it with an error.
func TestMCPEnds(t *testing.T) {
	needInterrupts(t)
	db := demoDB(t)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	for name, tt := range map[string]struct {
		then string // is sent once it has answered, so it runs
		end  func(*exec.Cmd, io.Closer)
		code int
		says string
	}{
		"standard input is closed":      {"", func(_ *exec.Cmd, in io.Closer) { in.Close() }, exit.OK, ""},
		"Ctrl-C":                        {"", func(cmd *exec.Cmd, _ io.Closer) { cmd.Process.Signal(os.Interrupt) }, exit.OK, ""},
		"SIGTERM":                       {"", func(cmd *exec.Cmd, _ io.Closer) { cmd.Process.Signal(syscall.SIGTERM) }, exit.OK, ""},
		"what is no message":            {"hello\n", func(*exec.Cmd, io.Closer) {}, exit.Rejected, "no message of the protocol"},
		"a message of more than 32 MiB": {`{"x":"` + strings.Repeat("x", 33<<20) + `"}`, func(*exec.Cmd, io.Closer) {}, exit.Rejected, "33554432 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd, in, out, stderr := start(t, "mcp", db)
			if _, err := io.WriteString(in, hello); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			sent := make(chan bool)
			go func() { io.WriteString(in, tt.then); close(sent) }()
			tt.end(cmd, in)
			io.Copy(io.Discard, out)
			said, _ := io.ReadAll(stderr)
			if code := exitCode(t, cmd); code != tt.code || !strings.Contains(string(said), tt.says) || tt.says == "" && len(said) > 0 {
				t.Errorf("exit code %d, want %d, %q", code, tt.code, said)
			}
			<-sent
		})
	}
}

// Over HTTP agents share one server, which keeps strangers out as serve does.
func TestMCPOverHTTP(t *testing.T) {
	needInterrupts(t)
	db := filepath.Join(t.TempDir(), "memory.simdb")
	cmd, _, stdout, stderr := start(t, "mcp", "--addr", "127.0.0.1:0", "--token", "secret", "--allow-remember", db)
	var url string
	if _, err := fmt.Fscanln(stdout, &url); err != nil || !strings.HasSuffix(url, "/mcp") {
		t.Fatalf("it prints %q, %v", url, err)
	}
	s := served{t, cmd, strings.TrimSuffix(url, "/mcp"), nil, nil}
	call := func(body string, headers ...string) (int, string) {
		return s.ask("POST", "/mcp", body, append([]string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, headers...)...)
	}
	remember := func(i int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"remember","arguments":{"text":"all agents found this out at once"}}}`, i)
	}
	for _, tt := range []struct {
		header []string
		want   int
	}{
		{nil, 401},
		{[]string{"Authorization", "Bearer wrong"}, 401},
		{[]string{"Authorization", "Bearer secret", "Origin", "http://example.org"}, 403},
	} {
		if code, answer := call(remember(0), tt.header...); code != tt.want {
			t.Errorf("%v: %d, want %d\n%s", tt.header, code, tt.want, answer)
		}
	}
	answers := make(chan string)
	for i := range 5 {
		go func() {
			_, answer := call(remember(i), "Authorization", "Bearer secret")
			answers <- answer
		}()
	}
	stored := 0
	for range 5 {
		if answer := <-answers; strings.Contains(answer, `"stored":true`) {
			stored++
		} else if !strings.Contains(answer, `"stored":false`) {
			t.Errorf("one of five: %s", answer)
		}
	}
	if stored != 1 {
		t.Errorf("one text was stored %d times", stored)
	}
	if code, _ := call(`{"x":"`+strings.Repeat("x", 33<<20)+`"}`, "Authorization", "Bearer secret"); code != 413 {
		t.Errorf("a request of 33 MiB: %d", code)
	}
	if code, _ := s.ask("GET", "/", "", "Authorization", "Bearer secret"); code != 404 {
		t.Errorf("a page: %d", code)
	}
	cmd.Process.Signal(os.Interrupt)
	said, _ := io.ReadAll(stderr)
	if code := exitCode(t, cmd); code != exit.OK || len(said) > 0 {
		t.Errorf("exit code %d, %q", code, said)
	}
}

func TestMCPUsage(t *testing.T) {
	db := demoDB(t)
	for _, args := range [][]string{
		{"--addr", ":0", db}, {"--token", "x", db}, {"--host", "a", db}, {"--max-bytes", "10", db}, {"--max-rows", "0", db}, {"--max-time", "0s", db}, {db, db},
	} {
		cmd := exec.Command("simdb", append([]string{"mcp"}, args...)...)
		cmd.Stdin = &bytes.Buffer{}
		if said, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exit.Usage {
			t.Errorf("mcp %v: exit code %d, %s", args, cmd.ProcessState.ExitCode(), said)
		}
	}
	cmd := exec.Command("simdb", "mcp", filepath.Join(t.TempDir(), "missing"))
	if said, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != exit.Unavailable || !strings.Contains(string(said), "there is no database") {
		t.Errorf("a database that is missing: exit code %d, %s", cmd.ProcessState.ExitCode(), said)
	}
}
