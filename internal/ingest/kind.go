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
	csvRecords
	tarArchive
	zipArchive
)

var kindOfFormat = map[string]kind{"text": text, "jsonl": jsonl, "csv": csvRecords, "tar": tarArchive, "zip": zipArchive}

// sniffBytes is how much of a stream is looked at before its kind is decided.
// NUL bytes up to here count, and the magic of a tar ends at 262.
const sniffBytes = 8 << 10

// kindOf decides what an unwrapped stream is.
func (r *reader) kindOf(s stream, head []byte) kind {
	if r.o.Format != "auto" && s.depth == 0 {
		return kindOfFormat[r.o.Format]
	}
	if s.named {
		switch {
		case isZip(head) && (documentZip(head) == "" || strings.EqualFold(path.Ext(s.name), ".zip")):
			return zipArchive
		case len(head) >= 262 && string(head[257:262]) == "ustar":
			return tarArchive
		case s.stdin && bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, utf8BOM)), []byte("{")):
			return jsonl
		}
	}
	switch strings.ToLower(path.Ext(s.name)) {
	case ".jsonl", ".ndjson":
		return jsonl
	case ".csv":
		if !s.named && !hasHeader(head, r.ids.field) {
			return text // a table that is in the directory by chance
		}
		return csvRecords
	case ".tar":
		return tarArchive
	case ".zip":
		return zipArchive
	}
	return text
}

var (
	gzipMagic = []byte{0x1f, 0x8b, 8}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// compression returns the compression that a head shows, or "" if there is
// none.
func compression(head []byte) string {
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		return "gzip"
	case bytes.HasPrefix(head, zstdMagic):
		return "zstd"
	}
	return ""
}

// beginsCompressed says whether a whole file is what is left of a compressed one that
// was cut off in its first bytes.
func beginsCompressed(whole []byte) bool {
	return bytes.HasPrefix(gzipMagic, whole) || bytes.HasPrefix(zstdMagic, whole)
}

// trimCompression removes .gz or .zst from a name, unless nothing is left.
func trimCompression(name string) string {
	ext := path.Ext(name)
	bare := strings.TrimSuffix(name, ext)
	switch strings.ToLower(ext) {
	case ".gz", ".zst":
		if bare != "" && !strings.HasSuffix(bare, "/") {
			return bare
		}
	}
	return name
}

// unwrappedName returns the name that tells what a compressed stream holds.
func unwrappedName(name string) string {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".tgz", ".tzst":
		return strings.TrimSuffix(name, ext) + ".tar"
	}
	return trimCompression(name)
}
