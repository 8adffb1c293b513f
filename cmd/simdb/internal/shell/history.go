package shell

// The persistent history of the shell.

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// historyLines limits the lines in the history file.
const historyLines = 2000

// history holds the entered lines, oldest first, in memory and in a file. If the file cannot be
// written, the history continues in memory.
type history struct {
	lines []string
	path  string // "" without a file
}

// openHistory loads the history, and trims the file if it is much longer than historyLines.
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

// rewrite replaces the file atomically, so that a crash cannot lose the history.
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

// Add appends a line, unless it is empty or repeats the last one.
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

// At returns line i, counted back from the latest, line 0.
func (h *history) At(i int) string { return h.lines[len(h.lines)-1-i] }

// historyFile returns the path of the history file and creates it. Only its owner may read it,
// because statements contain texts.
func historyFile() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // required by the XDG specification
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
