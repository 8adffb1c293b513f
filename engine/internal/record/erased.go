package record

// Removal of erased operations from a log record (docs/decisions/0071).

// Without returns a log record without the operations for which gone returns true, and without
// notes: they may name erased documents, and nothing reads the notes of an old record. gone may
// change an operation in place. The time of the commit is kept. Without returns nil if nothing
// changes.
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
