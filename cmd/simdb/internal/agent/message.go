package agent

// Messages over HTTP.

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/simdb/simdb/internal/params"
)

var (
	errBatch  = errors.New("the message is a list; send one message in each request")
	errValues = fmt.Errorf("the message has more than %d values; split the call", params.Max)
)

// message is the body of a request. It ends with an error at a batch of messages, whose answers the
// library would hold together, and at more values than a call may have, all of which the library
// decodes.
type message struct {
	io.ReadCloser
	begun  bool
	values params.Counter
}

// Read reads from the body.
func (m *message) Read(b []byte) (int, error) {
	n, err := m.ReadCloser.Read(b)
	if first := bytes.TrimLeft(b[:n], " \t\r\n"); !m.begun && len(first) > 0 {
		if m.begun = true; first[0] == '[' {
			return 0, errBatch
		}
	}
	if m.values.Add(b[:n]); m.values.N > params.Max {
		return 0, errValues
	}
	return n, err
}
