package ingest

// Warnings for irregularities of many records, reported once with their number.

// oddities counts irregular documents across batches.
type oddities struct {
	source   string // of the last document
	nulls    int64  // replaced numbers in its file
	numbered int64  // documents without an id, in all files
	first    Doc    // the first of them
	end      Position
}

// note counts the irregular documents of a batch, and adds the warnings for finished files to it.
func (o *oddities) note(b *Batch) {
	for i := range b.Docs {
		d := &b.Docs[i]
		if d.Source != o.source {
			o.report(b)
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

// report adds the warning for the current file to a batch.
func (o *oddities) report(b *Batch) {
	if o.nulls > 0 {
		b.Warnings = append(b.Warnings, Warning{o.source, nullNumbers(o.nulls)})
	}
	o.nulls = 0
}

// nullNumbers returns the warning for n numbers replaced by NULL.
func nullNumbers(n int64) string {
	if n == 1 {
		return "a number that is NaN, infinite or too large is NULL"
	}
	return grouped(n) + " numbers that are NaN, infinite or too large are NULL"
}

// last returns a batch with the final warnings, nil if there are none.
func (o *oddities) last() *Batch {
	b := &Batch{End: o.end}
	o.report(b)
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
