package shell

// The lines that were entered in the shell, kept from one shell to the next.

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// historyLines is how many lines are kept from one shell to the next.
const historyLines = 2000

// history keeps the lines that were entered, the oldest first, in memory and in
// a file. If the file cannot be written, the shell goes on with the lines in
// memory.
type history struct {
	lines []string
	path  string // "" when there is no file
}

func openHistory() *history {
	path, err := historyFile()
	if err != nil {
		return &history{}
	}
	h := &history{path: path}
	if text, err := os.ReadFile(path); err == nil {
		h.lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	if len(h.lines) == 1 && h.lines[0] == "" {
		h.lines = nil
	}
	if drop := len(h.lines) - historyLines; drop > historyLines/2 { // not at every start
		h.lines = h.lines[drop:]
		h.rewrite()
	}
	return h
}

// rewrite replaces the file atomically, so that a crash cannot lose all of it.
func (h *history) rewrite() {
	fresh := h.path + ".new"
	err := os.WriteFile(fresh, []byte(strings.Join(h.lines, "\n")+"\n"), 0o600)
	if err == nil {
		err = os.Rename(fresh, h.path)
	}
	if err != nil {
		h.path = ""
	}
}

// Add keeps a line, unless it is empty or the one before it.
func (h *history) Add(line string) {
	if strings.TrimSpace(line) == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	if h.path == "" {
		return
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		h.path = ""
		return
	}
	_, err = f.WriteString(line + "\n")
	if errors.Join(err, f.Close()) != nil {
		h.path = ""
	}
}

func (h *history) Len() int { return len(h.lines) }

// At returns a line, counted from the latest.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }

// historyFile makes the file of the history. Only its owner may read it, because
// statements hold texts.
func historyFile() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // as the XDG specification wants
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, ".local", "state")
	}
	dir = filepath.Join(dir, "simdb")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "history")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	return path, errors.Join(f.Chmod(0o600), f.Close())
}
