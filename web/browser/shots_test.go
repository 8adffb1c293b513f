package browser

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/simdb/simdb"
)

var (
	shots = flag.String("shots", "", "a folder to write pictures of the page to")
	from  = flag.String("db", "", "a database for the pictures of the docs, or to measure; it holds the linuxdoc corpus, with patricia = on")
)

// places are views with something in them.
var places = map[string]string{
	"start":   "",
	"about":   "#find?id=release-1.1.txt",
	"text":    "#find?text=Shingles+overlap+like+those+on+a+roof%2C+which+is+where+the+name+comes+from.+Nobody+else+says+so+here.",
	"find":    "#find?id=release-1.1.txt&min=20",
	"plan":    "#find?id=release-1.1.txt&min=60",
	"none":    "#find?id=lecture.txt&how=measure",
	"compare": "#compare?a=release-1.0.txt&b=release-1.1.txt",
	"groups":  "#overview?min=65",
	"kept":    "#kept?in=releases&open=4",
	"ask":     "#ask?q=SIMILAR+PAIRS+WHERE+sim+%3E%3D+0.1",
	"wrong":   "#ask?q=SIMILAR+PAIRS+WHERE+sim+%3E%3D+high",
}

// docPlaces are the views that the docs show.
var docPlaces = map[string]string{
	"find":     "#find?id=linux-6.1/devicetree/bindings/clock/rockchip,rk3036-cru.yaml",
	"compare":  "#compare?a=linux-6.1/process/howto.rst&b=linux-6.12/process/howto.rst&at=6",
	"overview": "",
}

// Pictures for who works on the page, and with -db for the docs:
//
//	go test -run Pictures -shots /tmp/shots .
func TestPictures(t *testing.T) {
	if *shots == "" {
		t.Skip("no pictures are wanted; -shots names a folder for them")
	}
	views, picture := places, chromedp.FullScreenshot(100)
	var db *simdb.DB
	if *from == "" {
		db = demo(t)
	} else {
		db = stored(t, *from)
		views, picture = docPlaces, chromedp.CaptureScreenshot()
	}
	for _, theme := range []string{"light", "dark"} {
		for name, width := range map[string]int64{"desktop": 1440, "phone": 390} {
			for view, place := range views {
				b := open(t, db, nil, place, nil)
				b.do(media("prefers-color-scheme", theme), chromedp.EmulateViewport(width, 860))
				b.until(`document.querySelector("section:not([hidden]) .status h2, .error p") && !document.querySelector("main progress")`)
				if view == "plan" {
					b.click("#find-plan summary")
				}
				if *from != "" && view == "find" {
					b.do(evaluate(`scrollTo(0, document.querySelector("#find-how").offsetTop - 12)`))
				}
				if *from != "" && view == "compare" {
					b.do(evaluate(`scrollTo(0, document.querySelector("#compare-jump").offsetTop)`))
					b.click("#compare-prev")
				}
				time.Sleep(time.Second) // what moves has come to rest
				taken, err := chromedp.Run(b.ctx, picture)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(*shots, view+"-"+name+"-"+theme+".png"), small(t, taken), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// small is a picture in its 256 most frequent colours, which takes a third of the bytes.
func small(t *testing.T, taken []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(taken))
	if err != nil {
		t.Fatal(err)
	}
	often := map[color.RGBA]int{}
	area := full.Bounds()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			often[color.RGBAModel.Convert(full.At(x, y)).(color.RGBA)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(often), func(a, b color.RGBA) int { return often[b] - often[a] })
	var chosen color.Palette
	for _, c := range colours[:min(256, len(colours))] {
		chosen = append(chosen, c)
	}
	few := image.NewPaletted(area, chosen)
	draw.Draw(few, area, full, area.Min, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// stored opens a database of the machine, to read only.
func stored(t *testing.T, path string) *simdb.DB {
	t.Helper()
	db, err := simdb.Open(path, &simdb.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// media lets the page believe what a visitor has chosen in the system.
func media(name, value string) chromedp.Action[chromedp.Void] {
	return call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}}})
}
