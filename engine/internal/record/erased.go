package record

// A log record without what was erased (docs/decisions/0071).

// Without returns a log record without the operations that are gone, and without notes, which
// may name what is gone and which nothing reads in an old record. gone may also change one. It
// is nil if the record stays as it is. The time of its commit stays.
func Without(payload []byte, gone func(*Operation) (gone, changed bool)) ([]byte, error) {
	_, ops, err := DecodeOperations(payload)
	if err != nil {
		return nil, err
	}
	out, same := make([]byte, 0, len(payload)), true
	for i := range ops {
		o := &ops[i]
		gone, changed := gone(o)
		if gone = gone || o.Kind == OpNote; !gone {
			out = o.Encode(out)
		}
		same = same && !gone && !changed
	}
	if same {
		return nil, nil
	}
	return append(out, payload[len(payload)-timeBytes:]...), nil
}
