package ingest

import (
	"encoding/json"
	"fmt"
	"io"
)

// RejectWriter writes rejects as NDJSON, one line each, unbuffered: what is
// written is there when the process is killed.
type RejectWriter struct {
	enc   *json.Encoder
	count int64
}

// NewRejectWriter returns a RejectWriter on w.
func NewRejectWriter(w io.Writer) *RejectWriter {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &RejectWriter{enc: enc}
}

// Write writes rejects in order.
func (w *RejectWriter) Write(rejects ...Reject) error {
	for _, r := range rejects {
		if err := w.enc.Encode(r); err != nil {
			return fmt.Errorf("ingest: write rejects: %w", err)
		}
		w.count++
	}
	return nil
}

// Len is the number of rejects written.
func (w *RejectWriter) Len() int64 { return w.count }
