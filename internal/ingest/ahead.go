package ingest

// Reading in the background. Decompression costs as much as the rest of an import, so it runs in
// its own goroutine. A read of standard input cannot be interrupted, so a goroutine has to wait for
// it.

import (
	"context"
	"io"
)

// ahead is a reader with a goroutine that reads one block ahead of the caller. It ends with its context
// even while the underlying read blocks.
type ahead struct {
	*io.PipeReader
	ended chan struct{} // closed when the goroutine no longer reads
}

const aheadBlockBytes = 128 << 10

// newAhead starts reading from in. Call stop, or let the goroutine end with ctx.
func newAhead(ctx context.Context, in io.Reader) *ahead {
	out, w := io.Pipe()
	a := &ahead{out, make(chan struct{})}
	// Closing the pipe unblocks the consumer at once, even if the underlying read never returns.
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
