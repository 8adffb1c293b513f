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

// The note of an import records its position, stored with the documents, so that the import can be
// resumed.

// importNote is the stored state of an import. Its name is derived from the input and the options.
type importNote struct {
	Position ingest.Position `json:"position"`
	Finished bool            `json:"finished"`
}

// noteName derives the name of a note from every option that affects the input or its destination,
// so that two different imports never overwrite each other's position.
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

// readNote returns the stored state of the import; the zero value if there is none.
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
