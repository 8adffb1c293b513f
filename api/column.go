package api

// Column describes a column of rows.
type Column struct {
	Name  string     `json:"name"`
	Type  ColumnType `json:"type"`
	About string     `json:"about,omitempty"` // documentation, a phrase
}

// ColumnType is the type of the values of a column. Every column may contain NULL.
type ColumnType uint8

const (
	AnyType     ColumnType = iota // the type varies by row, as for fields of metadata
	TextType                      // string
	JSONType                      // text that encodes a value as JSON
	IntegerType                   // 64 bits
	NumberType                    // float64; if a value is an exact ratio, statements compare the ratio
	BooleanType
)

var columnTypes = [...]string{"any", "text", "JSON", "integer", "number", "boolean"}

// String returns the name of the type in the documentation.
func (t ColumnType) String() string { return columnTypes[t] }

// Numeric reports whether all values of the type are numbers.
func (t ColumnType) Numeric() bool { return t == IntegerType || t == NumberType }
