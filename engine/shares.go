package engine

import "math"

// shares counts the documents of each set; 0 means that the set has ended. One byte
// suffices for most sets, because few documents share a set.
type shares struct {
	few  []uint8
	many map[uint32]uint32 // of sets with math.MaxUint8 in few
}

func (s *shares) len() uint32 { return uint32(len(s.few)) }

// of returns the count of a set, 0 for an unassigned number.
func (s *shares) of(set uint32) uint32 {
	switch {
	case set >= s.len():
		return 0
	case s.few[set] < math.MaxUint8:
		return uint32(s.few[set])
	}
	return s.many[set]
}

// put sets the count of a set, and appends the set if its number is len. The number must
// not be greater.
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

// merge replaces the counts of the sets that others has too.
func (s *shares) merge(others shares) {
	for set, n := range others.few {
		if n > 0 {
			s.few[set] = n
		}
	}
	s.many = others.many
}
