package content

// This file names the variants of a control file and says what each holds. Names
// carry the change, so that Results can tell from a folder alone which file was
// made of which.

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// variantName puts a suffix before the ending: a.txt becomes a_dup.txt, and
// a.txt.gz becomes a_dup.txt.gz. A dot at the beginning begins no ending.
func variantName(name, suffix string) string {
	dir, base := path.Split(name)
	stem, packed := base, ""
	if s, ok := strings.CutSuffix(base, ".gz"); ok && s != "" {
		stem, packed = s, ".gz"
	}
	ext := path.Ext(stem)
	if ext == stem {
		ext = ""
	}
	return dir + strings.TrimSuffix(stem, ext) + suffix + ext + packed
}

// planned is a file to be written.
type planned struct {
	name    string // slash-separated, under OUT
	control string // the control file it is, or is a variant of
	make    func(content []byte) []byte
}

// plan says what a control file becomes. An empty file has no N % of anything,
// hence only its duplicate.
func (l Loader) plan(name string, content []byte) []planned {
	files := []planned{{name, name, keep}, {variantName(name, "_dup"), name, keep}}
	if len(content) > 0 {
		for _, insert := range []bool{false, true} {
			for _, n := range l.percents() {
				c := change{insert, n}
				files = append(files, planned{variantName(name, c.suffix()), name, c.edit})
			}
		}
	}
	if l.Pack && isText(content) {
		for _, f := range files {
			files = append(files, planned{f.name + ".gz", name, func(b []byte) []byte { return pack(f.make(b)) }})
		}
	}
	return files
}

func keep(b []byte) []byte { return b }

// edit applies a change to a file, inside if it is packed.
func (c change) edit(b []byte) []byte {
	if inside, ok := unpack(b); ok {
		return pack(c.apply(inside))
	}
	return c.apply(b)
}

// unique fails on two files of one name: a control that is called as a variant
// of another would overwrite it.
func unique(files []planned) error {
	of := map[string]string{}
	for _, f := range files {
		if other, ok := of[f.name]; ok {
			return fmt.Errorf("both %s and %s become %s; rename one of them", other, f.control, f.name)
		}
		of[f.name] = f.control
	}
	return nil
}

var variant = regexp.MustCompile(`^(.*)(_dup|_[di]_[0-9]+)((?:\.[^./]*)?(?:\.gz)?)$`)

// controlOf takes the suffix out of the name of a variant; ok is false for a
// name without one.
func controlOf(name string) (control, suffix string, ok bool) {
	dir, base := path.Split(name)
	m := variant.FindStringSubmatch(base)
	if m == nil {
		return "", "", false
	}
	return dir + m[1] + m[3], m[2], true
}
