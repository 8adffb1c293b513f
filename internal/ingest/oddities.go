package ingest

// What is odd about many records is told once, with its number.

// oddities counts what is odd about the documents of batches.
type oddities struct {
	source   string // of the last document
	nulls    int64  // in its file
	numbered int64  // documents without an id, of all files
	first    Doc    // of them
	end      Position
}

// note counts what is odd about the documents of a batch, and adds to it what can be said of the
// files that have ended.
func (o *oddities) note(b *Batch) {
	for i := range b.Docs {
		d := &b.Docs[i]
		if d.Source != o.source {
			o.tell(b)
			o.source = d.Source
		}
		o.nulls += int64(d.nulls)
		if d.numbered {
			if o.numbered++; o.numbered == 1 {
				o.first = Doc{ID: d.ID, Source: d.Source}
			}
		}
	}
	o.end = b.End
}

func (o *oddities) tell(b *Batch) {
	if o.nulls > 0 {
		b.Warnings = append(b.Warnings, Warning{o.source, nullNumbers(o.nulls)})
	}
	o.nulls = 0
}

// nullNumbers says that so many numbers are NULL.
func nullNumbers(n int64) string {
	if n == 1 {
		return "a number that is NaN, infinite or too large is NULL"
	}
	return grouped(n) + " numbers that are NaN, infinite or too large are NULL"
}

// last returns a batch of what is left to say at the end, nil if nothing is.
func (o *oddities) last() *Batch {
	b := &Batch{End: o.end}
	o.tell(b)
	if o.numbered > 0 {
		why := grouped(o.numbered) + " records have no id: each got its place, " + o.first.ID + " the first; --id-field names the field of their ids"
		if o.numbered == 1 {
			why = "a record has no id: it got its place, " + o.first.ID + "; --id-field names the field of the id"
		}
		b.Warnings = append(b.Warnings, Warning{o.first.Source, why})
	}
	if len(b.Warnings) == 0 {
		return nil
	}
	return b
}
