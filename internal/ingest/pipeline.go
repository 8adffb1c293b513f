package ingest

// The pipeline reads, decodes and yields batches concurrently, in the order of the input.

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// pipeline reads ahead of the consumer. One goroutine reads the input and splits it into chunks.
// Workers decode the chunks. deliver yields them in the order of the input.
type pipeline struct {
	o     Options
	total int64
	read  atomic.Int64 // input bytes
	queue chan *chunk  // in order; its capacity limits the chunks in memory
	work  chan *chunk
	err   error // of the reader, valid once queue is closed
	group sync.WaitGroup
}

// startPipeline starts the goroutines. They end with ctx or with the input.
func startPipeline(ctx context.Context, inputs []input, o Options, ids idRule, run uint64, after cursor) *pipeline {
	workers := runtime.GOMAXPROCS(0)
	p := &pipeline{
		o:     o,
		queue: make(chan *chunk, workers+1),
		work:  make(chan *chunk, workers+1),
	}
	if o.Progress != nil {
		p.total = totalBytes(ctx, inputs)
	}
	r := &reader{ctx: ctx, o: o, ids: ids, skip: newRules("", o.Exclude), run: run, after: after, met: after == cursor{}, pipe: p, trail: newTrail()}
	p.group.Go(func() {
		defer close(p.queue)
		defer close(p.work)
		p.err = r.readAll(inputs)
	})
	// Decoders have buffers of their own, so that workers share nothing.
	for range workers {
		p.group.Go(func() {
			d := decoder{ctx: ctx, o: o, ids: ids, json: jsonDecoder{ids: ids, home: o.Home}}
			for c := range p.work {
				d.decode(c)
				close(c.decoded)
			}
		})
	}
	return p
}

// send passes a chunk to the consumer and to a worker.
func (p *pipeline) send(ctx context.Context, c *chunk) error {
	select {
	// The queue comes first, because its capacity limits the chunks in memory.
	case p.queue <- c:
		p.work <- c // short: workers wait for nothing else
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wait waits for the goroutines to end.
func (p *pipeline) wait() { p.group.Wait() }

// deliver yields the decoded batches until the input ends, the consumer stops, or ctx is done.
func (p *pipeline) deliver(ctx context.Context, yield func(*Batch, error) bool) {
	next, stop := p.ordered(ctx)
	defer stop()
	var odd oddities
	for {
		c, err := next()
		p.progress()
		if err != nil {
			yield(nil, err)
			return
		}
		if c == nil {
			if last := odd.last(); last != nil {
				yield(last, nil)
			}
			return
		}
		odd.note(&c.batch)
		if p.o.OnReject != nil {
			for _, reject := range c.batch.Rejects {
				p.o.OnReject(reject)
			}
		}
		if !yield(&c.batch, nil) {
			return
		}
	}
}

// progress calls Options.Progress.
func (p *pipeline) progress() {
	if p.o.Progress != nil {
		p.o.Progress(p.read.Load(), p.total)
	}
}

// ordered returns a function that waits for the next decoded chunk, and returns nil after the last.
// While waiting it reports progress, because a resumed import may skip input for a long time before
// its first batch.
func (p *pipeline) ordered(ctx context.Context) (next func() (*chunk, error), stop func()) {
	var tick <-chan time.Time
	stop = func() {}
	if p.o.Progress != nil {
		ticker := time.NewTicker(progressEvery)
		tick, stop = ticker.C, ticker.Stop
	}
	next = func() (*chunk, error) {
		for {
			select {
			case c, ok := <-p.queue:
				if !ok {
					return nil, p.err
				}
				select {
				case <-c.decoded:
					return c, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			case <-tick:
				p.progress()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	return next, stop
}
