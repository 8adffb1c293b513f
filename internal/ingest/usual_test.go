package ingest

// usualFields are those of records without options.
var usualFields, _ = newIDRule(Options{})
