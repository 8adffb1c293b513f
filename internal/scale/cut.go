package scale

// The memory of a task of meet: the postings of a partition are read in ranges of tokens, each
// of which has no more postings than there is room for. A token that has more by itself is
// cut: its postings are sorted in parts, in a file, and every two parts meet.

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"sort"
)

const (
	meetPostings = 8 << 20 // room for postings
	heaps        = 256     // that the postings of a range are sorted in
	countedBits  = 16      // of tokens, that are counted apart
)

// tokens is a range of the high 32 bits of tokens, and how many postings it has.
type tokens struct {
	from, to uint64 // to is not in it
	n        int64
}

// ranges divides the postings of a partition. A range with more postings than there is room for
// is a single token.
func (j *Job) ranges(ctx context.Context, partition int) (list []tokens, total int64, err error) {
	err = j.sections(ctx, partition, func(p *result, i int) error {
		_, length, _, _, err := p.place(i)
		total += length / postingBytes
		return err
	})
	whole := tokens{0, 1 << 32, total}
	if err != nil || total <= j.room {
		return []tokens{whole}, total, err
	}
	coarse, err := j.counted(ctx, partition, []tokens{whole}, 32-countedBits)
	if err != nil {
		return nil, 0, err
	}
	var large []tokens
	for _, of := range coarse {
		if of.n > j.room {
			large = append(large, of)
		}
	}
	var fine []tokens // of the large ones, token by token
	if len(large) > 0 {
		if fine, err = j.counted(ctx, partition, large, 0); err != nil {
			return nil, 0, err
		}
	}
	add := func(of tokens) {
		if n := len(list); n > 0 && list[n-1].n+of.n <= j.room {
			list[n-1].n += of.n
			list[n-1].to = of.to
			return
		}
		list = append(list, of)
	}
	for _, of := range coarse {
		if of.n <= j.room {
			add(of)
			continue
		}
		for len(fine) > 0 && fine[0].from < of.to {
			add(fine[0])
			fine = fine[1:]
		}
	}
	return list, total, nil
}

// counted divides each range into 2^countedBits equal ones, and counts their postings. Those
// without any are left out.
func (j *Job) counted(ctx context.Context, partition int, of []tokens, shift int) (list []tokens, err error) {
	counts := make([][1 << countedBits]int64, len(of))
	err = j.eachPosting(ctx, partition, func(x [2]uint64) error {
		t := x[0] >> 32
		if i := sort.Search(len(of), func(i int) bool { return t < of[i].to }); i < len(of) && t >= of[i].from {
			counts[i][(t-of[i].from)>>shift]++
		}
		return nil
	})
	for i := range counts {
		for k, n := range counts[i] {
			if from := of[i].from + uint64(k)<<shift; n > 0 {
				list = append(list, tokens{from, from + 1<<shift, n})
			}
		}
	}
	return list, err
}

// eachPosting calls do with every posting of a partition.
func (j *Job) eachPosting(ctx context.Context, partition int, do func([2]uint64) error) error {
	return j.sections(ctx, partition, func(p *result, i int) error {
		words, err := p.words(i)
		if err != nil {
			return err
		}
		for k := 0; k+1 < len(words); k += 2 {
			if err := do([2]uint64{words[k], words[k+1]}); err != nil {
				return err
			}
		}
		return nil
	})
}

// postings reads those of a range of tokens, in heaps of ascending tokens: a few small sorts
// take less time than one, and do not keep Ctrl-C waiting.
func (j *Job) postings(ctx context.Context, partition int, of tokens) (list [heaps][][2]uint64, err error) {
	for i := range list {
		list[i] = make([][2]uint64, 0, of.n/heaps*9/8)
	}
	width := of.to - of.from
	err = j.eachPosting(ctx, partition, func(x [2]uint64) error {
		if t := x[0] >> 32; t >= of.from && t < of.to {
			h := (t - of.from) * heaps / width
			list[h] = append(list[h], x)
		}
		return nil
	})
	return list, err
}

// cut joins the sets of one token, which are more than there is room for. Two parts are held
// at once.
func (m *meeting) cut(ctx context.Context, j *Job, partition int, of tokens) error {
	f, err := os.CreateTemp(filepath.Dir(m.o.f.Name()), "group"+tempPattern)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	parts := parts{f: f, size: int(max(j.room/2, 1))}
	err = j.eachPosting(ctx, partition, func(x [2]uint64) error {
		if x[0]>>32 != of.from {
			return nil
		}
		return parts.add(x)
	})
	if err == nil {
		err = parts.end()
	}
	if err != nil {
		return err
	}
	m.largest, m.most = max(m.largest, of.n), max(m.most, int64(2*parts.size))
	var a, b [][2]uint64
	for i := range parts.n {
		if a, err = parts.read(a, i); err != nil {
			return err
		}
		if err := m.group(ctx, a); err != nil {
			return err
		}
		for k := i + 1; k < parts.n; k++ {
			if b, err = parts.read(b, k); err != nil {
				return err
			}
			if err := m.cross(ctx, a, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// parts is a file of sorted lists of postings, all but the last of one size.
type parts struct {
	f    *os.File
	size int // postings in a part
	n    int
	held [][2]uint64
	b    []byte // scratch
}

func (p *parts) add(x [2]uint64) error {
	if p.held = append(p.held, x); len(p.held) < p.size {
		return nil
	}
	return p.end()
}

// end writes what is held as a part.
func (p *parts) end() error {
	if len(p.held) == 0 {
		return nil
	}
	sortPostings(p.held)
	for list := p.held; len(list) > 0; {
		n := min(len(list), 1<<12)
		p.b = p.b[:0]
		for _, x := range list[:n] {
			p.b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(p.b, x[0]), x[1])
		}
		if _, err := p.f.Write(p.b); err != nil {
			return err
		}
		list = list[n:]
	}
	p.held = p.held[:0]
	p.n++
	return nil
}

// read reads a part into a list.
func (p *parts) read(into [][2]uint64, i int) ([][2]uint64, error) {
	p.held = nil // it is as large as a part
	into = into[:0]
	in := io.NewSectionReader(p.f, int64(i)*int64(p.size)*postingBytes, int64(p.size)*postingBytes)
	b := make([]byte, 1<<16)
	for {
		n, err := io.ReadFull(in, b)
		for at := 0; at+postingBytes <= n; at += postingBytes {
			into = append(into, [2]uint64{binary.LittleEndian.Uint64(b[at:]), binary.LittleEndian.Uint64(b[at+8:])})
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return into, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
