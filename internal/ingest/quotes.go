package ingest

// Quotes and backslashes in rows of CSV.

import "bytes"

// quoting is a rule for reading quotes.
type quoting uint8

const (
	strict  quoting = iota // RFC 4180; a quote inside an unquoted field is literal
	escaped                // like strict, and a backslash escapes the next character
	loose                  // a quote in a quoted field closes it only before the end of a field
	spliced                // text after the closing quote belongs to the field
	literal                // quotes have no special meaning
)

// quoteState is the state within a row.
type quoteState uint8

const (
	atField    quoteState = iota // at the beginning of a field
	inField                      // in an unquoted field
	inQuotes                     // in a quoted field
	afterQuote                   // after a quote in a quoted field: the end, or half of a doubled quote
)

// quotes scans a row byte by byte.
type quotes struct {
	dialect
	state     quoteState
	backslash bool
	bad       bool // a quote stands in an invalid place
	fields    int  // completed fields
}

// action is the effect of a byte.
type action uint8

const (
	drop        action = iota
	keep               // part of the field
	keepQuote          // part of the field, together with the quote before it
	keepEscaped        // part of the field, after a backslash
	endField
)

// step processes a byte. A newline outside quotes ends the row.
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
	case q.how == loose && q.state == afterQuote && c == '\n': // only readsLoose gets here
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

// scan processes a line and reports whether the row continues on the next line.
func (q *quotes) scan(line []byte) (open bool) {
	did := drop
	for _, c := range line {
		did = q.step(c)
	}
	return q.state == inQuotes || q.backslash || did != endField && line[len(line)-1] == '\n'
}

// splitRow returns the fields of a row, and whether its quotes are valid.
func splitRow(row []byte, d dialect) (fields []string, good bool) {
	fields, _, good = split(row, d)
	return fields, good
}

// split is splitRow that also returns which fields are NULL; nil if none is.
func split(row []byte, d dialect) (fields []string, null []bool, good bool) {
	row = bytes.TrimSuffix(row, []byte("\n"))
	row = bytes.TrimSuffix(row, []byte("\r"))
	if bytes.IndexByte(row, '"') < 0 && (d.how != escaped || bytes.IndexByte(row, '\\') < 0) || d.how == literal {
		for field := range bytes.SplitSeq(row, []byte{d.between}) {
			fields = append(fields, string(field))
		}
		return fields, nil, true
	}
	// Line ends inside quoted fields become \n, as in encoding/csv.
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

// appendEscaped appends the meaning of a backslash and a character. Databases that separate fields
// by tabs use letters for control characters; otherwise only quotes, backslashes, delimiters and
// newlines are escaped.
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
