package ingest

// What a stream is read as, by its first bytes and its name.

import (
	"bytes"
	"path"
	"strings"
)

// kind is what a stream is read as.
type kind uint8

const (
	text kind = iota
	jsonl
	jsonArray
	csvRecords
	table // that Tables reads
	tarArchive
	zipArchive
	document // that a Renderer reads
	mailbox
	warcArchive
	arrowTable
)

// recordNames are what documents are called by the kind that they came from.
var recordNames = map[kind]string{text: "text", jsonl: "JSONL record", jsonArray: "JSON record", csvRecords: "CSV record", table: "Parquet record", arrowTable: "Arrow record", document: "document", warcArchive: "web page"}

var kindOfFormat = map[string]kind{"text": text, "jsonl": jsonl, "json": jsonArray, "csv": csvRecords, "parquet": table, "arrow": arrowTable, "tar": tarArchive, "warc": warcArchive, "zip": zipArchive}

// sniffBytes is how much of a stream is looked at before its kind is decided.
// NUL bytes up to here count, and the magic of a tar ends at 262.
const sniffBytes = 8 << 10

// kindOf decides what an unwrapped stream is.
func (r *reader) kindOf(s stream, head []byte) kind {
	if r.o.Format != "auto" && s.depth == 0 {
		return kindOfFormat[r.o.Format]
	}
	if r.o.Format == "auto" && isWARC(head) {
		return warcArchive
	}
	if r.o.Renderer != nil && r.o.Format == "auto" {
		switch {
		case isMailbox(s.name, head):
			return mailbox
		case r.o.Renderer.Reads(s.name, head):
			return document
		}
	}
	if r.o.Tables != nil && r.o.Format == "auto" && r.o.Tables.Reads(head) {
		if !bytes.HasPrefix(head, []byte("PAR")) {
			return arrowTable
		}
		return table
	}
	if s.named {
		switch {
		case isZip(head) && (documentZip(head) == "" || strings.EqualFold(path.Ext(s.name), ".zip")):
			return zipArchive
		case len(head) >= 262 && string(head[257:262]) == "ustar":
			return tarArchive
		case s.stdin && bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, utf8BOM)), []byte("{")):
			return jsonl
		case s.stdin && isArray(head):
			return jsonArray
		}
	}
	switch strings.ToLower(path.Ext(s.name)) {
	case ".jsonl", ".ndjson":
		return jsonl
	case ".json":
		if isArray(head) && (s.named || isArrayOfObjects(head)) {
			return jsonArray
		}
	case ".csv", ".tsv":
		return csvRecords
	case ".tar":
		return tarArchive
	case ".zip":
		return zipArchive
	}
	return text
}

// trimCompression removes .gz, .zst, .xz or .bz2 from a name, unless nothing is left.
func trimCompression(name string) string {
	ext := path.Ext(name)
	bare := strings.TrimSuffix(name, ext)
	switch strings.ToLower(ext) {
	case ".gz", ".zst", ".xz", ".bz2":
		if bare != "" && !strings.HasSuffix(bare, "/") {
			return bare
		}
	}
	return name
}

// unwrappedName returns the name that tells what a compressed stream holds.
func unwrappedName(name string) string {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".tgz", ".tzst", ".txz", ".tbz2", ".tbz":
		return strings.TrimSuffix(name, ext) + ".tar"
	}
	return trimCompression(name)
}
