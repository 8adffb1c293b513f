package ingest

// usualFields are those of records without options.
var usualFields = idRule{of: "path", field: idField, text: textField}
