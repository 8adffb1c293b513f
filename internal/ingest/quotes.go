package ingest

// How quotes and backslashes are read in a row of CSV.

import "bytes"

// quoting is a way to read quotes.
type quoting uint8

const (
	strict  quoting = iota // as RFC 4180 has it; a quote within a field without quotes is a character
	escaped                // and a backslash escapes the next character
	loose                  // a quote in a quoted field closes it only before the end of a field
	spliced                // what stands behind the closing quote belongs to the field
	literal                // quotes are characters as any other
)

type quoteState uint8

const (
	atField    quoteState = iota // where a field begins
	inField                      // in a field without quotes
	inQuotes                     // in a quoted field
	afterQuote                   // behind a quote in a quoted field: the end, or half of a doubled one
)

// quotes goes through a row.
type quotes struct {
	dialect
	state     quoteState
	backslash bool
	bad       bool // a quote stands where none may
	fields    int  // that have ended
}

// action is what becomes of a byte.
type action uint8

const (
	drop        action = iota
	keep               // it belongs to the field
	keepQuote          // the quote before it does, too
	keepEscaped        // it does, and a backslash stands before it
	endField
)

// step goes over a byte. A row ends with a newline outside of quotes.
func (q *quotes) step(c byte) action {
	switch {
	case q.backslash:
		if q.backslash = false; q.state == atField {
			q.state = inField
		}
		return keepEscaped
	case q.how == escaped && c == '\\':
		q.backslash = true
		return drop
	case q.state == inQuotes && c == '"':
		q.state = afterQuote
		return drop
	case q.state == inQuotes:
		return keep
	case q.how == loose && q.state == afterQuote && c == '\n': // looked for by readsLoose
		q.state = inQuotes
		return keepQuote
	case c == '\n', c == q.between:
		q.state = atField
		q.fields++
		return endField
	case q.state == afterQuote && c == '"':
		q.state = inQuotes
		return keep
	case q.state == afterQuote && c == '\r':
		return drop
	case q.state == afterQuote && q.how == loose:
		q.state = inQuotes
		return keepQuote
	case q.state == afterQuote:
		q.state, q.bad = inField, q.bad || q.how != spliced
		return keep
	case q.state == atField && c == '"' && q.how != literal:
		q.state = inQuotes
		return drop
	}
	q.state = inField
	return keep
}

// scan goes over a line and reports whether the row goes on behind it.
func (q *quotes) scan(line []byte) (open bool) {
	did := drop
	for _, c := range line {
		did = q.step(c)
	}
	return q.state == inQuotes || q.backslash || did != endField && line[len(line)-1] == '\n'
}

// splitRow returns the fields of a row, and whether it is read without a fault.
func splitRow(row []byte, d dialect) (fields []string, good bool) {
	fields, _, good = split(row, d)
	return fields, good
}

// split also returns which fields are NULL; nil if none.
func split(row []byte, d dialect) (fields []string, null []bool, good bool) {
	row = bytes.TrimSuffix(row, []byte("\n"))
	row = bytes.TrimSuffix(row, []byte("\r"))
	if bytes.IndexByte(row, '"') < 0 && (d.how != escaped || bytes.IndexByte(row, '\\') < 0) || d.how == literal {
		for field := range bytes.SplitSeq(row, []byte{d.between}) {
			fields = append(fields, string(field))
		}
		return fields, nil, true
	}
	row = bytes.ReplaceAll(row, []byte("\r\n"), []byte("\n"))
	q := quotes{dialect: d}
	buf := make([]byte, 0, len(row))
	isNull := false
	end := func() {
		if isNull && len(buf) == 1 {
			for len(null) < len(fields) {
				null = append(null, false)
			}
			null = append(null, true)
		} else if null != nil {
			null = append(null, false)
		}
		fields = append(fields, string(buf))
		buf, isNull = buf[:0], false
	}
	for _, c := range row {
		before := q.state
		switch q.step(c) {
		case keep:
			buf = append(buf, c)
		case keepQuote:
			buf = append(buf, '"', c)
		case keepEscaped:
			isNull = c == 'N' && before == atField
			buf = appendEscaped(buf, c, d.between, isNull)
		case endField:
			end()
		}
	}
	if q.backslash {
		buf = append(buf, '\\')
	}
	good = !q.bad && q.state != inQuotes
	end()
	if null != nil && len(null) < len(fields) {
		null = append(null, make([]bool, len(fields)-len(null))...)
	}
	return fields, null, good
}

// appendEscaped appends what a backslash and a character mean. Databases that write tabs between
// fields have letters for control characters; elsewhere only quotes and backslashes are escaped.
func appendEscaped(buf []byte, c, between byte, null bool) []byte {
	const letters, meanings = "tnrb0", "\t\n\r\b\x00"
	if at := bytes.IndexByte([]byte(letters), c); between == '\t' && at >= 0 {
		return append(buf, meanings[at])
	}
	if c == '"' || c == '\\' || c == between || c == '\n' || null || between == '\t' {
		return append(buf, c)
	}
	return append(buf, '\\', c)
}
