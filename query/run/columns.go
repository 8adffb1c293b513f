package run

// Columns of the statements that do not search. Their rows are complete before the caller
// reads them.

import (
	"slices"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/plan"
)

// text returns a column of text.
func text(name, about string) api.Column {
	return api.Column{Name: name, Type: api.TextType, About: about}
}

// integer returns a column of whole numbers.
func integer(name, about string) api.Column {
	return api.Column{Name: name, Type: api.IntegerType, About: about}
}

// number returns a column of fractions.
func number(name, about string) api.Column {
	return api.Column{Name: name, Type: api.NumberType, About: about}
}

// boolean returns a column of truth values.
func boolean(name, about string) api.Column {
	return api.Column{Name: name, Type: api.BooleanType, About: about}
}

// Columns that only some answers of their statements have.
var (
	columnCollection       = text("collection", "collection of the document")
	columnKeeperCollection = text("keeper_collection", "collection of the keeper; NULL if dropped since")
	columnStore            = text("store", "store of the document")
	columnIgnored          = integer("ignored", "distinct shingles that IGNORING removed from the two texts")
	columnWeight           = number("weight", "weight of the shared shingles, by weighted only")
	columnWhole            = number("whole", "weight of the compared shingles, by weighted only")
	columnALine            = integer("a_line", "first line of the passage in the first text, for code only")
	columnBLine            = integer("b_line", "first line of the passage in the second text, for code only")
)

// ledgerColumns are the columns of LEDGER. Several collections add columnCollection and
// columnKeeperCollection.
var ledgerColumns = []api.Column{
	text("id", "id of the displaced document"),
	text("keeper", "id of the document that displaced it"),
	number("sim", "similarity of the two, from 0 to 1"),
	integer("shared", "numerator of sim"),
	integer("union", "denominator of sim"),
	text("measure", "measure that decided, with its IGNORING clause"),
	text("threshold", "threshold that sim reached"),
	text("by", "operation that displaced the document"),
	text("at", "time of the operation, as RFC 3339 in UTC"),
	text("hash", "SHA-256 of the text, in hexadecimal"),
}

// compareColumns are the columns of COMPARE. The measure weighted adds weight and whole;
// IGNORING adds ignored.
var compareColumns = []api.Column{
	text("measure", "measure with its arguments"),
	number("sim", "similarity, from 0 to 1 (above 1 only by patricia); NULL if a text is too short for the measure"),
	integer("shared", "shared units: the numerator of sim"),
	integer("union", "compared units: the denominator of sim"),
	integer("dist", "differing bits of the fingerprints, from 0 to 64"),
}

// textBytes locates a common piece in two texts.
var textBytes = []api.Column{
	integer("a_start_byte", "start in the first text, in bytes"),
	integer("a_end_byte", "end in the first text, in bytes"),
	integer("b_start_byte", "start in the second text, in bytes"),
	integer("b_end_byte", "end in the second text, in bytes"),
}

var (
	// Columns of COMPARE with SHOW.
	passageColumns  = append(slices.Clone(textBytes), integer("chars", "length of the passage, in characters"), text("text", "passage as written in the first text"))
	sentenceColumns = append(slices.Clone(textBytes), integer("dist", "differing bits of the fingerprints of the sentences"),
		text("a", "sentence of the first text"), text("b", "sentence of the second text"))
)

// sourceColumns are the columns of SOURCES OF.
var sourceColumns = []api.Column{
	text("id", "id of the source"),
	number("share", "share of the text that comes from the source, from 0 to 1"),
	integer("chars", "characters of the text that come from the source"),
	integer("of", "characters of the text"),
	integer("passages", "number of passages that come from the source"),
	integer("longest", "length of the longest passage, in characters"),
}

// sourcePassageColumns are the columns of SOURCES OF with SHOW PASSAGES.
var sourcePassageColumns = []api.Column{
	integer("start_byte", "start of the passage in the text, in bytes"),
	integer("end_byte", "end of the passage in the text, in bytes"),
	text("id", "id of the source"),
	integer("doc_start_byte", "start of the passage in the source, in bytes"),
	integer("doc_end_byte", "end of the passage in the source, in bytes"),
	integer("chars", "length of the passage, in characters"),
	text("text", "passage as written in the text"),
}

// collectionsColumns are the columns of SHOW COLLECTIONS.
var collectionsColumns = []api.Column{
	text("collection", "name of the collection"),
	integer("documents", "number of documents"),
	integer("sets", "number of distinct shingle sets"),
	integer("text_bytes", "length of all texts, in bytes"),
}

// groupsColumns are the columns of SHOW GROUPS.
var groupsColumns = []api.Column{
	text("groups", "name of the grouping"),
	text("collection", "collection of the documents"),
	text("measure", "measure with its arguments"),
	text("sim", "threshold of the grouping"),
	text("kind", "connected, or stars"),
	text("keep", "order that determines the keeper"),
}

var (
	// Columns of the other statements.
	fieldsColumns   = []api.Column{text("collection", "name of the collection"), text("field", "metadata field of at least one document")}
	statsColumns    = []api.Column{text("stat", "name of the statistic"), {Name: "value", About: "its value"}}
	markColumns     = []api.Column{text("mark", "position in the history, for SINCE")}
	propertyColumns = []api.Column{text("property", "property of the plan"), {Name: "value", About: "its value"}}
	insertColumns   = []api.Column{integer("inserted", "number of new documents"), integer("replaced", "number of documents that replaced a stored document")}
	unlessColumns   = []api.Column{
		text("id", "id of the document"),
		boolean("stored", "whether the document is stored"),
		text("like", "id of the similar document that kept it out"),
	}
	createColumns  = []api.Column{text("created", "name of the collection or grouping")}
	dropColumns    = []api.Column{text("dropped", "name of the collection or grouping")}
	problemColumns = []api.Column{text("collection", "collection with the problem"), text("id", "id of the document"), text("problem", "description of the problem")}
	compactColumns = []api.Column{integer("bytes_before", "size on disk before"), integer("bytes_after", "size on disk after")}
	updateColumns  = []api.Column{integer("updated", "number of documents")}
	deleteColumns  = []api.Column{integer("deleted", "number of documents")}
	eraseColumns   = []api.Column{integer("erased", "number of documents")}
	traceColumns   = []api.Column{
		text("place", "place with traces of the documents: documents, ledger, log and history, or notes"),
		integer("traces", "number of documents, ledger rows, changes or notes"),
		text("until", "event that removes the traces"),
	}
	duplicatesColumns = []api.Column{integer("deleted", "number of documents"), integer("changed", "number of duplicates not deleted because they, or the similar documents that stay, changed during the statement")}
)

// Kinds returns the kinds of rows of statements that do not search.
func Kinds() []plan.Kind {
	optional := func(columns []api.Column, more ...api.Column) []api.Column { return slices.Concat(columns, more) }
	return []plan.Kind{
		{Rows: "COMPARE", Columns: optional(compareColumns, columnWeight, columnWhole, columnIgnored)},
		{Rows: "COMPARE SHOW PASSAGES", Columns: optional(passageColumns, columnALine, columnBLine)},
		{Rows: "COMPARE SHOW SENTENCES", Columns: sentenceColumns},
		{Rows: "SOURCES OF", Columns: optional(sourceColumns, columnCollection, columnStore)},
		{Rows: "SOURCES OF SHOW PASSAGES", Columns: optional(sourcePassageColumns, columnCollection, columnStore)},
		{Rows: "LEDGER", Columns: optional(ledgerColumns, columnCollection, columnKeeperCollection)},
		{Rows: "SHOW COLLECTIONS", Columns: collectionsColumns},
		{Rows: "SHOW GROUPS", Columns: groupsColumns},
		{Rows: "SHOW FIELDS", Columns: fieldsColumns},
		{Rows: "SHOW STATS", Columns: statsColumns},
		{Rows: "SHOW MARK", Columns: markColumns},
		{Rows: "EXPLAIN", Columns: propertyColumns},
		{Rows: "INSERT", Columns: insertColumns},
		{Rows: "INSERT UNLESS SIMILAR, with the columns of the measure", Columns: unlessColumns},
		{Rows: "UPDATE", Columns: updateColumns},
		{Rows: "DELETE", Columns: deleteColumns},
		{Rows: "DELETE ERASE", Columns: eraseColumns},
		{Rows: "ERASE, DROP COLLECTION ERASE", Columns: traceColumns},
		{Rows: "DELETE DUPLICATES", Columns: duplicatesColumns},
		{Rows: "CREATE", Columns: createColumns},
		{Rows: "DROP", Columns: dropColumns},
		{Rows: "CHECK", Columns: problemColumns},
		{Rows: "COMPACT", Columns: compactColumns},
	}
}
