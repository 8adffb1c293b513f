package ingest

// Reading in the background: decompression costs as much as everything else
// together, and a read of standard input cannot be interrupted.

import (
	"context"
	"io"
)

const (
	aheadBlocks     = 4
	aheadBlockBytes = 128 << 10
)

// ahead reads from another reader in a goroutine, a few blocks ahead. It ends
// with its context even while that reader waits.
type ahead struct {
	ctx    context.Context
	cancel context.CancelFunc
	full   chan block
	free   chan []byte
	ended  chan struct{}
	cur    block
	rest   []byte // of cur, not yet given out
}

type block struct {
	buf []byte
	n   int
	err error // after the n bytes; no block follows
}

func newAhead(ctx context.Context, in io.Reader) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{
		ctx:    ctx,
		cancel: cancel,
		full:   make(chan block, aheadBlocks),
		free:   make(chan []byte, aheadBlocks),
		ended:  make(chan struct{}),
	}
	for range aheadBlocks {
		a.free <- nil // allocated when needed: most inputs are short
	}
	go a.run(in)
	return a
}

func (a *ahead) run(in io.Reader) {
	defer close(a.ended)
	for {
		var b block
		select {
		case b.buf = <-a.free:
		case <-a.ctx.Done():
			return
		}
		if b.buf == nil {
			b.buf = make([]byte, aheadBlockBytes)
		}
		b.n, b.err = in.Read(b.buf)
		select {
		case a.full <- b:
		case <-a.ctx.Done():
			return
		}
		if b.err != nil {
			return
		}
	}
}

func (a *ahead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if a.cur.err != nil {
			return 0, a.cur.err
		}
		if a.cur.buf != nil {
			a.free <- a.cur.buf // never waits: there is room for all blocks
		}
		select {
		case a.cur = <-a.full:
			a.rest = a.cur.buf[:a.cur.n]
		case <-a.ctx.Done():
			a.cur = block{err: a.ctx.Err()}
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// stop ends the goroutine and waits until it no longer reads.
func (a *ahead) stop() {
	a.cancel()
	<-a.ended
}
