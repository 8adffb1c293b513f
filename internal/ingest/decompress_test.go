package ingest

// Files compressed with xz and bzip2, intact, damaged, and with excessive requests for memory.

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
)

// bz is "one two three\n" compressed by bzip2 -9: Go has no bzip2 writer.
func bz(t *testing.T) string {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWUi9wi8AAATRgAAQQAACQZSAIAAxBkxA0GJpisJ8Y5AvF3JFOFCQSL3CLw==")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func xzOf(t testing.TB, content string, dictionary int) string {
	t.Helper()
	var b bytes.Buffer
	w, err := xz.WriterConfig{DictCap: dictionary}.NewWriter(&b)
	if err == nil {
		_, err = w.Write([]byte(content))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestXZAndBzip2(t *testing.T) {
	const records = "{\"id\":\"a\",\"text\":\"b\"}\n"
	for _, test := range []struct{ name, content, want string }{
		{"a.txt.xz", xzOf(t, "one two three\n", 1<<20), "a.txt.xz=\"one two three\\n\"\n"},
		{"a.txt.bz2", bz(t), "a.txt.bz2=\"one two three\\n\"\n"},
		{"unnamed", bz(t), "unnamed=\"one two three\\n\"\n"},
		{"a.jsonl.xz", xzOf(t, records, 1<<20), "a=\"b\"\n"},
		{"a.txz", xzOf(t, tarOf(t, "in.txt", "x"), 1<<20), "in.txt=\"x\"\n"},
		{"a.tar", tarOf(t, "in.txt.bz2", bz(t)), "in.txt.bz2=\"one two three\\n\"\n"},
	} {
		checkSummary(t, Options{}, test.name, test.content, test.want)
	}
}

// A header may request a dictionary of 4 GB, which the decoder would allocate.
func TestXZDictionary(t *testing.T) {
	for size, want := range map[int]uint64{4096: 4096, 1 << 20: 1 << 20, 3 << 20: 3 << 20, 64 << 20: 64 << 20} {
		if got := xzDictionary([]byte(xzOf(t, "x", size))); got != want {
			t.Errorf("a dictionary of %d bytes is read as %d", size, got)
		}
	}
	packed := []byte(xzOf(t, "some text", 1<<20))
	at := bytes.Index(packed, []byte{0x21, 1}) + 2
	packed[at] = 40
	got := checkReject(t, Options{}, "a.xz", string(packed))
	if !strings.Contains(got, "a dictionary of xz of 4095 MiB is over half of --memory; give --memory 8191MiB") {
		t.Errorf("a dictionary of 4 GB gives %q", got)
	}
}

// A frame may request a window of 2 GiB. It is read if its content cannot fill the window, or if
// the window fits into half of the memory limit; otherwise the reject contains advice.
func TestZstdWindows(t *testing.T) {
	const record = "{\"id\":\"a\",\"text\":\"b\"}\n"
	frame := func(flags, window string) string {
		return "\x28\xb5\x2f\xfd" + flags + window + string([]byte{byte(len(record)<<3 | 1), 0, 0}) + record
	}
	const plain, sized, long = "\x00", "\x80", "\xa8"
	sizes := string([]byte{byte(len(record)), 0, 0, 0})
	for name, test := range map[string]struct {
		o       Options
		content string
		want    string
	}{
		"fills little":       {Options{}, frame(plain, long), "a=\"b\"\n"},
		"says its size":      {Options{MaxRatio: -1}, frame(sized, long+sizes), "a=\"b\"\n"},
		"may fill it":        {Options{MaxRatio: -1}, frame(plain, long), "reject a.jsonl.zst:0 : a zstd window of 2048 MiB is over half of --memory; give --memory 4096MiB, or recompress the file: zstd -d --long=31 -c FILE | zstd\n"},
		"and half of memory": {Options{MaxRatio: -1, MemoryBytes: 512 << 20}, frame(plain, "\x90"), "a=\"b\"\n"},
		"a later frame":      {Options{}, frame(plain, "\x00") + frame(plain, long), "a=\"b\"\nreject a.jsonl.zst:2 : a zstd window of 2048 MiB is over half of --memory; give --memory 4096MiB, or recompress the file: zstd -d --long=31 -c FILE | zstd; nothing behind it is read\n"},
	} {
		t.Run(name, func(t *testing.T) { checkSummary(t, test.o, "a.jsonl.zst", test.content, test.want) })
	}
}

// Reading a small file that unpacks to an excessive size stops early.
func TestXZExpands(t *testing.T) {
	bomb := xzOf(t, strings.Repeat("\x00", freeBytes+1), 1<<20)
	if got := checkReject(t, Options{MaxDocBytes: 2 * freeBytes}, "a.xz", bomb); !strings.Contains(got, "binary file") {
		t.Errorf("NUL bytes give %q", got)
	}
	bomb = xzOf(t, strings.Repeat("text\n", freeBytes/5+1), 1<<20)
	if got := checkReject(t, Options{MaxDocBytes: 2 * freeBytes}, "a.xz", bomb); !strings.Contains(got, "raise --max-ratio") {
		t.Errorf("%d bytes that unpack to more than 64 MiB give %q", len(bomb), got)
	}
}

// checkReject returns the reason of the only reject.
func checkReject(t *testing.T, o Options, name, content string) string {
	t.Helper()
	path := t.TempDir() + "/" + name
	write(t, path, content)
	got := readAll(t, o, path)
	if len(got.docs) != 0 || len(got.rejects) != 1 {
		t.Fatalf("%s gives %d documents and rejects %v, want one reject", name, len(got.docs), got.rejects)
	}
	return got.rejects[0].Reason
}
