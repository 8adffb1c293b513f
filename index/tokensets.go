package index

// Finding the sets with given members in one segment, without counting.

// EachWith calls yield with the sets that have a member of the same token as members[i], among
// them every set with that member.
func EachWith(s Stored, members []uint64, yield func(i int, set uint32)) error {
	err := lookUp(s, members, Parts, func(_, i int, payloads []uint32) {
		for _, p := range payloads {
			yield(i, s.Lo+PayloadSet(Prefix, p))
		}
	})
	columns := columnsOf(s)
	var sets []uint32
	for i := 0; i < len(members) && err == nil; i++ {
		var c column
		var ok bool
		if c, ok, err = columns.of(PartKey(Parts-1, token(members[i]))); ok {
			sets = c.appendTo(sets[:0])
			for _, rel := range sets {
				yield(i, s.Lo+rel)
			}
		}
	}
	return err
}
