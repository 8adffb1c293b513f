package engine

import "math"

// shares counts the documents of each set; 0 is dead. Few documents have the same set
// mostly, so a byte does for it.
type shares struct {
	few  []uint8
	many map[uint32]uint32 // of the sets that have math.MaxUint8 there
}

func (s *shares) len() uint32 { return uint32(len(s.few)) }

// of returns the count of a set, 0 for one that was never made.
func (s *shares) of(set uint32) uint32 {
	switch {
	case set >= s.len():
		return 0
	case s.few[set] < math.MaxUint8:
		return uint32(s.few[set])
	}
	return s.many[set]
}

// put sets the count of a set, which is one more than all others at most.
func (s *shares) put(set, n uint32) {
	if set == s.len() {
		s.few = append(s.few, 0)
	}
	if s.few[set] = uint8(min(n, math.MaxUint8)); n < math.MaxUint8 {
		delete(s.many, set)
		return
	}
	if s.many == nil {
		s.many = map[uint32]uint32{}
	}
	s.many[set] = n
}
