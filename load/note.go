package load

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/ingest"
)

// The note of an import: how far it has come, stored with the documents, so that it can be
// resumed.

// importNote is what an import leaves in the store, under a name made of what
// it reads and how.
type importNote struct {
	Position ingest.Position `json:"position"`
	Finished bool            `json:"finished"`
}

// noteName names the note of an import by everything that decides what it reads
// and where it puts it, so that two imports do not take each other's place.
func noteName(paths []string, reader string, o api.ImportOptions) (string, error) {
	key := []string{reader, fmt.Sprint(o.FS != nil), o.Into, o.Format, fmt.Sprint(o.Binary), o.ID, o.Prefix, fmt.Sprint(o.Strip, o.LastWins, o.Renderer != nil, o.Tables != nil, o.Metadata == nil),
		o.IDField, o.TextField, fmt.Sprint(o.Delimiter, o.GitIgnore, len(o.Exclude))}
	key = append(append(key, o.Exclude...), o.Metadata...)
	for _, p := range paths {
		if p != "-" && o.FS == nil {
			abs, err := filepath.Abs(p)
			if err != nil {
				return "", err
			}
			p = abs
		}
		key = append(key, p)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", key))
	return "import/" + hex.EncodeToString(sum[:16]), nil
}

func (r *importRun) readNote() (m importNote, err error) {
	value, err := r.db.Note(r.name)
	if err != nil || value == nil {
		return m, err
	}
	if err := json.Unmarshal(value, &m); err != nil {
		return m, fmt.Errorf("%w: note %s: %w", api.ErrCorrupt, r.name, err)
	}
	return m, nil
}
