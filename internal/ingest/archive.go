package ingest

// Files in a tar or a zip. A link, a nested archive or a name that leads out of the archive is
// rejected; the other files are read.

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
)

// readTar reads the files of a tar in order. A tar ends with blocks of zeros. A tar truncated
// between two files has none, which archive/tar accepts, so readTar checks for them.
func (r *reader) readTar(b *bufio.Reader, p *probe) error {
	s := p.stream
	if s.depth > 0 {
		return r.reject(1, s.source, 0, archiveInArchive)
	}
	in := &ending{in: b}
	archive := tar.NewReader(in)
	for entry := int64(1); ; entry++ {
		header, err := archive.Next()
		if err == io.EOF {
			if in.zeros >= tarBlock {
				return nil
			}
			err = io.ErrUnexpectedEOF
		}
		r.at.entry = entry
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			r.trail.enterEntry("", 0, 0)
			return r.brokenOff(record{n: 1}, s, err)
		}
		r.trail.enterEntry(header.Name, uint64(header.Size), uint64(header.ModTime.UnixNano()))
		if r.at.compareEntry(r.after) < 0 {
			continue
		}
		if err := r.readEntry(archive, s, header.Name, header.Size, tarReason(header)); err != nil {
			return err
		}
	}
}

// tarBlock is the block size of tar, in bytes.
const tarBlock = 512

// ending counts the trailing zero bytes of a stream.
type ending struct {
	in    io.Reader
	zeros int
}

// Read updates the count of trailing zeros.
func (e *ending) Read(p []byte) (int, error) {
	n, err := e.in.Read(p)
	if rest := len(bytes.TrimRight(p[:n], "\x00")); rest > 0 {
		e.zeros = n - rest
	} else {
		e.zeros += n
	}
	return n, err
}

// sparseFile is the reject reason of a file with holes. Holes consist of NUL bytes, so the file is
// not a text, and a tar of one kilobyte may declare holes of any size.
const sparseFile = "sparse file"

const hardLink = "hard link"

// tarReason returns the reason for not reading an entry: "" to read it, blank to skip it silently.
func tarReason(h *tar.Header) string {
	switch h.Typeflag {
	case tar.TypeReg:
		for key := range h.PAXRecords {
			if strings.HasPrefix(key, "GNU.sparse.") {
				return sparseFile
			}
		}
		return ""
	case tar.TypeGNUSparse:
		return sparseFile
	case tar.TypeDir, tar.TypeXGlobalHeader:
		return blank
	case tar.TypeSymlink:
		return symbolicLink
	case tar.TypeLink:
		return hardLink
	}
	return notRegular
}

const archiveInArchive = "archive in an archive"

// readZip reads the files of a zip in the order of its directory.
func (r *reader) readZip(_ *bufio.Reader, p *probe) error {
	s := p.stream
	switch {
	case s.stdin:
		return errZipStdin
	case s.depth > 0:
		return r.reject(1, s.source, 0, archiveInArchive)
	case s.file == nil:
		return r.reject(1, s.source, 0, "compressed zip: decompress it first")
	}
	// The directory of a zip is at its end, so reading requires random access.
	file, ok := s.file.(io.ReaderAt)
	if !ok {
		return r.reject(1, s.source, 0, "zip in a file system that reads files only from their beginning")
	}
	archive, err := zip.NewReader(countedReaderAt{r, file}, s.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return r.failed(1, s, 0, err)
	}
	// Check the whole directory before reading, so that a hostile zip yields no documents at all.
	if reason := checkZip(archive.File, s.expansion); reason != "" {
		return r.reject(1, s.source, 0, reason)
	}
	for i, f := range archive.File {
		r.at.entry = int64(i) + 1
		r.trail.enterEntry(f.Name, f.UncompressedSize64, uint64(f.CRC32))
		if r.at.compareEntry(r.after) < 0 {
			continue
		}
		if err := r.readZipEntry(f, s); err != nil {
			return err
		}
	}
	return nil
}

// readZipEntry reads one entry of a zip, or rejects it.
func (r *reader) readZipEntry(f *zip.File, s stream) error {
	const encrypted = 1
	reason := ""
	switch mode := f.Mode(); {
	case mode.IsDir():
		reason = blank
	case mode&fs.ModeSymlink != 0:
		reason = symbolicLink
	case !mode.IsRegular():
		reason = notRegular
	case f.Flags&encrypted != 0:
		reason = "encrypted"
	default:
		reason = entryReason(f, s.expansion)
	}
	if reason != "" {
		return r.readEntry(nil, s, f.Name, 0, reason)
	}
	in, err := f.Open()
	if err != nil {
		return r.readEntry(nil, s, f.Name, 0, readFailure(err))
	}
	defer in.Close()
	return r.readEntry(in, s, f.Name, int64(min(f.UncompressedSize64, 1<<62)), "")
}

// readEntry reads one file of an archive. With a reason it rejects the file; blank skips it.
func (r *reader) readEntry(in io.Reader, s stream, name string, size int64, reason string) error {
	if reason == blank {
		return r.ctx.Err()
	}
	source := s.source + "/" + name
	inner, ok := entryPath(name)
	switch {
	case !ok:
		return r.reject(1, source, 0, "path leads out of the archive")
	case r.skip.excludesFile(inner):
		return r.ctx.Err()
	case reason != "":
		return r.reject(1, source, 0, reason)
	}
	return r.readStream(in, stream{source: source, path: entryID(s, inner), name: inner, depth: s.depth + 1, size: size, expansion: s.expansion})
}

// countedReaderAt counts the bytes read from a zip.
type countedReaderAt struct {
	r *reader
	f io.ReaderAt
}

// ReadAt counts its bytes and ends with the context.
func (c countedReaderAt) ReadAt(p []byte, offset int64) (int, error) {
	return c.r.count(func() (int, error) { return c.f.ReadAt(p, offset) })
}
