package phrase

// This file chooses between the kernels and the portable functions, by what the
// processor has.

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var (
	hasBMI    = cpu.X86.HasBMI2
	hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ
)

// words returns the words of steps, for assembly.
func words(steps []step) *uint64 { return (*uint64)(unsafe.Pointer(unsafe.SliceData(steps))) }

// inStreams does what streamPlain does. The contents of at are undefined
// afterwards.
func inStreams(f *finder, padded []byte, steps []step, at, end *[streams]int) (n int) {
	if !hasAVX512 {
		return streamPlain(f, padded, steps, at, end)
	}
	all := stream512(&f.buckets[0], &f.first[0], &f.entries[0], &padded[0], len(padded)-pad, words(steps), at, end)
	return all / streams
}

// candidate does what candidatePlain does.
func (r *repeats) candidate(text []byte, steps []step) (passed, first int) {
	if !hasBMI {
		return r.candidatePlain(text, steps)
	}
	return candidateBMI(&text[0], &r.last[0], uint64(r.shift), words(steps), len(steps))
}

// threes does what threesPlain does.
func (w *bitWriter) threes(steps []step) (done int) {
	if !hasBMI || len(steps) < 3 {
		return w.threesPlain(steps)
	}
	threes := len(steps) / 3
	_ = w.out[w.written+6*threes+pad] // assembly does not look; no code is longer than 2 bytes
	written, held, n := writeBMI(&w.out[w.written], words(steps), threes, w.held, uint64(w.n))
	w.written, w.held, w.n = w.written+written, held, uint(n)
	return 3 * threes
}
