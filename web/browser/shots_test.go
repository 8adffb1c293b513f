package browser

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "a folder to write pictures of the page to")

// Pictures for who works on the page, and for the docs:
//
//	go test -run Pictures -shots /tmp/shots .
func TestPictures(t *testing.T) {
	if *shots == "" {
		t.Skip("no pictures are wanted; -shots names a folder for them")
	}
	db := demo(t)
	for _, theme := range []string{"light", "dark"} {
		for name, width := range map[string]int64{"desktop": 1280, "phone": 390} {
			for view, place := range places {
				b := open(t, db, nil, place, nil)
				b.do(media("prefers-color-scheme", theme), chromedp.EmulateViewport(width, 860))
				time.Sleep(500 * time.Millisecond) // what moves has come to rest
				if view == "plan" {
					b.click("#find-plan summary")
				}
				picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(*shots, view+"-"+name+"-"+theme+".png"), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// places are views with something in them.
var places = map[string]string{
	"find":    "#find?id=release-1.1.txt&min=20",
	"plan":    "#find?id=release-1.1.txt&min=60",
	"none":    "#find?id=lecture.txt",
	"text":    "#find?text=Shingles+overlap+like+those+on+a+roof%2C+which+is+where+the+name+comes+from.&min=10",
	"compare": "#compare?a=release-1.0.txt&b=release-1.1.txt",
	"groups":  "#groups?min=65",
	"spread":  "#spread",
	"ask":     "#ask?q=SIMILAR+PAIRS+WHERE+sim+%3E%3D+0.1",
	"wrong":   "#ask?q=SIMILAR+PAIRS+WHERE+sim+%3E%3D+high",
}

// media lets the page believe what a visitor has chosen in the system.
func media(name, value string) chromedp.Action[chromedp.Void] {
	return call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}}})
}
