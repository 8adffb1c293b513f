//go:build !amd64

package phrase

// This file takes the portable functions on processors without kernels.

func inStreams(f *finder, padded []byte, steps []step, at, end *[streams]int) (n int) {
	return streamPlain(f, padded, steps, at, end)
}

func (r *repeats) candidate(text []byte, steps []step) (passed, first int) {
	return r.candidatePlain(text, steps)
}

func (w *bitWriter) threes(steps []step) (done int) { return w.threesPlain(steps) }
