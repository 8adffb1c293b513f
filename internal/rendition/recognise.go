package rendition

// Recognition of formats: by the first bytes if these are certain, else by name.

import (
	"bytes"
	"path"
	"regexp"
	"strings"
)

var byEnding = map[string]string{
	".html": "html", ".htm": "html", ".xhtml": "html",
	".eml": "mail",
	".md":  "markdown", ".markdown": "markdown",
	".srt": "srt", ".vtt": "vtt",
}

// textTypes are the media types of texts with a syntax.
var textTypes = map[string]string{
	".c": "text/x-c", ".h": "text/x-c", ".cc": "text/x-c++", ".cpp": "text/x-c++", ".hpp": "text/x-c++", ".cs": "text/x-csharp",
	".css": "text/css", ".csv": "text/csv", ".go": "text/x-go", ".java": "text/x-java", ".js": "text/javascript", ".json": "application/json",
	".kt": "text/x-kotlin", ".lua": "text/x-lua", ".php": "text/x-php", ".pl": "text/x-perl", ".py": "text/x-python", ".rb": "text/x-ruby",
	".rs": "text/x-rust", ".sh": "text/x-sh", ".sql": "application/sql", ".swift": "text/x-swift", ".tex": "text/x-tex", ".toml": "application/toml",
	".ts": "text/x-typescript", ".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
}

// sniffed is the number of bytes of a file that recognition examines.
const sniffed = 8 << 10

var (
	htmlStart = regexp.MustCompile(`(?i)^\s*(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)*<(!doctype\s+html|html)[\s>]`)
	vttStart  = regexp.MustCompile(`^WEBVTT([ \t].*)?\r?\n`)
)

// recognise returns the format of a file, "" for a text that needs no conversion.
func recognise(name string, head []byte) string {
	head = head[:min(len(head), sniffed)]
	ending := strings.ToLower(path.Ext(name))
	bare := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	switch {
	case bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) && (ending == ".pdf" || bytes.HasPrefix(head, []byte("%PDF-"))):
		return "pdf"
	case bytes.HasPrefix(bare, []byte(`{\rtf`)):
		return "rtf"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return recogniseZip(ending, head)
	case vttStart.Match(bare):
		return "vtt"
	case byEnding[ending] != "" && (!hasNUL(head) || unicode16(head) != ""):
		return byEnding[ending]
	case ending == "" && htmlStart.Match(bare):
		return "html"
	case textTypes[ending] == "" && beginsAsMail(bare):
		return "mail"
	case unicode16(head) != "" && unicode16(head) != "utf-16":
		return "text"
	}
	return ""
}

// recogniseZip returns the format of a zip, "" if it is no document.
func recogniseZip(ending string, head []byte) string {
	const nameAt = 30
	first := string(head[min(len(head), nameAt):])
	switch {
	case strings.HasPrefix(first, "mimetypeapplication/epub+zip"):
		return "epub"
	case strings.HasPrefix(first, "mimetypeapplication/vnd.oasis.opendocument.text"):
		return "odt"
	case ending == ".epub" || ending == ".odt":
		return ending[1:]
	case ending == ".docx", ending == ".docm", ending == ".dotx", ending == "" && strings.Contains(first, "word/"):
		return "docx"
	}
	return ""
}

// mailHeaders are the headers that identify a mail. A mail has at least one that is
// true here, and if that is From, with an address: so a text that begins with lines of
// the form "Name: value" does not pass for a mail.
var mailHeaders = map[string]bool{
	"from": true, "message-id": true, "received": true, "return-path": true,
	"date": false, "to": false, "cc": false, "subject": false, "sender": false, "reply-to": false, "in-reply-to": false, "references": false,
	"mime-version": false, "content-type": false, "content-transfer-encoding": false, "delivered-to": false,
	"newsgroups": false, "organization": false, "lines": false,
}

// fewestMailHeaders is the least number of these headers in a mail.
const fewestMailHeaders = 3

// beginsAsMail reports whether a file begins with the headers of a mail and a blank
// line. The files of a Maildir have no extension, so their names do not help. Headers
// may be longer than head.
func beginsAsMail(head []byte) bool {
	seen, sure := map[string]bool{}, false
	for rest := head; ; {
		line, more, whole := bytes.Cut(rest, []byte("\n"))
		rest = more
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case !whole && len(head) < sniffed-3:
			return false // the file ends within its headers
		case !whole || len(line) == 0:
			return sure && len(seen) >= fewestMailHeaders
		case line[0] == ' ' || line[0] == '\t':
			if len(seen) == 0 {
				return false
			}
			continue // continues the previous header
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || len(name) == 0 || bytes.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return false
		}
		lower := strings.ToLower(string(name))
		if must, known := mailHeaders[lower]; known {
			seen[lower], sure = true, sure || must && (lower != "from" || bytes.IndexByte(value, '@') >= 0)
		}
	}
}

// hasNUL reports whether head contains a NUL byte, as binary files do and texts do not,
// except in UTF-16.
func hasNUL(head []byte) bool { return bytes.IndexByte(head, 0) >= 0 }
