package ingest

// Identification of binary files by their first bytes, so that a reject can advise. Most such files
// could be read as Latin-1, but the result would be useless.

import (
	"bytes"
	"fmt"
	"strings"
)

// magic is the common beginning of the files of a kind.
type magic struct {
	at     int
	prefix string
	kind   string
	do     string // advice, or ""
	vague  bool   // a text may also begin like this: match only if the head has a NUL byte
}

const (
	decompressFirst = "decompress it first"
	unpackFirst     = "unpack it first"
	extractText     = "import the text of it"
	asLines         = "write its records as JSON lines or Parquet, and import these"
)

// magics lists known beginnings; the first match counts.
var magics = []magic{
	{0, "BZh", "bzip2 file", decompressFirst, true},
	{4, "1AY&SY", "bzip2 file", decompressFirst, false},
	{0, "\x1f\x8b\x08", "gzip file within a compressed one", decompressFirst, false},
	{0, "\x28\xb5\x2f\xfd", "zstd file within a compressed one", decompressFirst, false},
	{0, "\xfd7zXZ\x00", "xz file within a compressed one", decompressFirst, false},
	{0, "LZIP\x01", "lzip file", decompressFirst, false},
	{0, "\x04\x22\x4d\x18", "lz4 file", decompressFirst, false},
	{0, "\x1f\x9d", "compress (.Z) file", decompressFirst, false},
	{0, "7z\xbc\xaf\x27\x1c", "7z archive", unpackFirst, false},
	{0, "Rar!\x1a\x07", "RAR archive", unpackFirst, false},
	{0, "!<arch>\n", "ar archive", unpackFirst, true},
	{0, "%PDF-", "PDF document", extractText, false},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Office document (doc, xls, ppt)", extractText, false},
	{0, "AT&TFORM", "DjVu document", extractText, false},
	{0, "\x89PNG\r\n\x1a\n", "PNG image", "", false},
	{0, "\xff\xd8\xff", "JPEG image", "", false},
	{0, "GIF8", "GIF image", "", true},
	{0, "BM", "BMP image", "", true},
	{0, "II*\x00", "TIFF image", "", false},
	{0, "MM\x00*", "TIFF image", "", false},
	{8, "WEBPVP8", "WebP image", "", false},
	{8, "WAVEfmt ", "WAV sound", "", false},
	{0, "ID3", "MP3 sound", "", true},
	{0, "OggS\x00", "Ogg sound", "", false},
	{0, "fLaC\x00", "FLAC sound", "", false},
	{4, "ftyp", "MP4 video", "", true},
	{0, "\x1aE\xdf\xa3", "Matroska video", "", false},
	{0, "\x7fELF", "ELF program", "", false},
	{0, "MZ", "Windows program", "", true},
	{0, "\xca\xfe\xba\xbe", "Java class or macOS program", "", false},
	{0, "\xcf\xfa\xed\xfe", "macOS program", "", false},
	{0, "\x00asm", "WebAssembly program", "", false},
	{0, "SQLite format 3\x00", "SQLite database", "write its table as CSV: sqlite3 -header -csv FILE 'SELECT …' | simdb import DB -", false},
	{8, "DUCK", "DuckDB database", "write its table: duckdb FILE \"COPY (SELECT …) TO 'x.parquet'\"", true},
	{0, "\x93NUMPY", "NumPy array (npy)", asLines, false},
	{0, "\x80\x02", "Python pickle", asLines, false},
	{0, "\x80\x03", "Python pickle", asLines, false},
	{0, "\x80\x04\x95", "Python pickle", asLines, false},
	{0, "\x80\x05\x95", "Python pickle", asLines, false},
	{0, "ORC", "ORC file", asLines, true},
	{0, "RDX3\n", "R data file", "write it with jsonlite::stream_out", false},
	{0, "RDX2\n", "R data file", "write it with jsonlite::stream_out", false},
	{0, "X\n\x00\x00\x00", "R object (rds)", "write it with jsonlite::stream_out", false},
	{0, "<stata_dta>", "Stata file", asLines, false},
	{4, "Standard Jet DB\x00", "Access database", "export its table as CSV", false},
	{4, "Standard ACE DB\x00", "Access database", "export its table as CSV", false},
	{0, `{"simdb_dump":`, "dump of simdb", "read it with simdb restore", false},
	{0, "PAR1", "Parquet file", "simdb import reads it where it lies", true},
	{0, "ARROW1\x00\x00", "Arrow file", "simdb import reads it", false},
	{0, "\xff\xff\xff\xff", "Arrow stream", "simdb import reads it", true},
	{0, "FEA1", "Feather file of version 1", "write it with pyarrow.feather.write_feather, which makes version 2", false},
	{0, "Obj\x01", "Avro file", asLines, false},
	{0, "\x89HDF\r\n\x1a\n", "HDF5 file", asLines, false},
	{0, "wOF", "font", "", true},
	{0, "\x00\x01\x00\x00", "font", "", false},
}

// isZip reports whether a stream begins like a zip.
func isZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// documentZip returns the kind of document that a zip contains, or "", by its first entries.
func documentZip(head []byte) string {
	const nameAt = 30 // in the header of an entry
	switch {
	case !isZip(head):
		return ""
	case bytes.Contains(head, []byte("[Content_Types].xml")), bytes.Contains(head, []byte("_rels/.rels")):
		return "Office document (docx, xlsx, pptx)"
	case len(head) > nameAt && bytes.HasPrefix(head[nameAt:], []byte("mimetype")):
		return "OpenDocument or EPUB document"
	}
	return ""
}

// knownReason returns the reject reason of a file of a known binary kind, or "".
func knownReason(head []byte) string {
	if kind := documentZip(head); kind != "" {
		return kindReason(kind, extractText)
	}
	if isZip(head) {
		return kindReason("zip archive", "give it the ending .zip, or name it alone with --input-format zip")
	}
	// Short magics such as "BM" or "MZ" also begin ordinary texts; a NUL byte confirms them.
	nul := bytes.IndexByte(head, 0) >= 0
	for _, m := range magics {
		if len(head) > m.at && bytes.HasPrefix(head[m.at:], []byte(m.prefix)) && (nul || !m.vague) {
			return kindReason(m.kind, m.do)
		}
	}
	return ""
}

// textlessKinds maps the last word of a file kind to a kind of file without text.
var textlessKinds = map[string]string{"image": "picture", "sound": "sound", "video": "video", "program": "program", "font": "font", "index": "mail index"}

// textlessKindOf returns the kind of a rejected file that contains no useful text, such as a
// picture, or "" for a possible text.
func textlessKindOf(reason string) string {
	switch {
	case strings.HasPrefix(reason, symbolicLink), reason == hardLink:
		return "link"
	case reason == notRegular:
		return "special file"
	}
	kind, ok := strings.CutSuffix(reason, notText)
	if !ok {
		return ""
	}
	return textlessKinds[kind[strings.LastIndexByte(kind, ' ')+1:]]
}

const notText = ", not a text"

// kindReason returns the reject reason of a kind of file, with advice.
func kindReason(kind, do string) string {
	if do == "" {
		return kind + notText
	}
	return kind + notText + "; " + do
}

// binaryReason returns the reject reason of a binary file with this head, or "".
func binaryReason(head []byte) string {
	head = head[:min(len(head), sniffBytes)]
	if reason := knownReason(head); reason != "" {
		return reason
	}
	at := bytes.IndexByte(head, 0)
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("binary file: NUL byte at offset %d; use --binary to read its bytes as Latin-1", at)
}
