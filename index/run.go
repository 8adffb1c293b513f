package index

// Pages gives the pages of one run, by number. The bytes are read-only.
type Pages interface {
	Page(n int) ([]byte, error)
}

// Run is the directory of a sorted array of (key, payload) entries, cut into
// pages of about 32 KB that are stored elsewhere. Prefix buckets, interval
// buckets and rotated tables are all runs.
type Run struct {
	First   []uint64 // first key of each page
	Entries uint64
}

// Lookup appends the payloads of the entries with lo ≤ key ≤ hi to dst.
func (r *Run) Lookup(p Pages, lo, hi uint64, dst []uint32) ([]uint32, error) { panic("stub") }

// Encode and DecodeRun store the directory; DecodeRun never panics.
func (r *Run) Encode() []byte          { panic("stub") }
func DecodeRun(b []byte) (*Run, error) { panic("stub") }
