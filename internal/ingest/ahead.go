package ingest

// Reading in the background: decompression costs as much as everything else
// together, and a read of standard input cannot be interrupted.

import (
	"context"
	"io"
)

// ahead reads from another reader in a goroutine, a block ahead. It ends
// with its context even while that reader waits.
type ahead struct {
	*io.PipeReader
	ended chan struct{}
}

const aheadBlockBytes = 128 << 10

func newAhead(ctx context.Context, in io.Reader) *ahead {
	out, w := io.Pipe()
	a := &ahead{out, make(chan struct{})}
	cancelled := context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() {
		defer close(a.ended)
		defer cancelled()
		_, err := io.CopyBuffer(w, struct{ io.Reader }{in}, make([]byte, aheadBlockBytes))
		w.CloseWithError(err)
	}()
	return a
}

// stop ends the goroutine and waits until it no longer reads.
func (a *ahead) stop() {
	a.Close()
	<-a.ended
}
