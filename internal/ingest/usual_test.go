package ingest

// usualFields are the id and text fields of the default options.
var usualFields, _ = newIDRule(Options{})
