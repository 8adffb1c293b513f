package record

// A log record without what was erased (docs/decisions/0071).

// Without returns a log record without the operations that are gone, and without notes, which
// may name what is gone and which nothing reads in an old record. It is nil if the record has
// neither. The time of its commit stays.
func Without(payload []byte, gone func(*Operation) bool) ([]byte, error) {
	_, ops, err := DecodeOperations(payload)
	if err != nil {
		return nil, err
	}
	out, left := make([]byte, 0, len(payload)), 0
	for i := range ops {
		if o := &ops[i]; o.Kind != OpNote && !gone(o) {
			out = o.Encode(out)
			left++
		}
	}
	if left == len(ops) {
		return nil, nil
	}
	return append(out, payload[len(payload)-timeBytes:]...), nil
}
