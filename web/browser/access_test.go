package browser

// What a program can tell of accessibility, by axe-core, which npm brings; and both themes.

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// axeVersion is what the tests were last read with; a newer one may find more.
const axeVersion = "4.14.1"

// axe is the source of axe-core. It is fetched once into a folder that git ignores.
func axe(t *testing.T) string {
	t.Helper()
	file := filepath.Join("node_modules", "axe-core", "axe.min.js")
	source, err := os.ReadFile(file)
	if err == nil {
		return string(source)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "axe-core@"+axeVersion)
	if out, err := install.CombinedOutput(); err != nil {
		missing(t, fmt.Errorf("axe-core %s is not here and npm does not bring it: %v\n%s", axeVersion, err, out))
	}
	if source, err = os.ReadFile(file); err != nil {
		t.Fatal(err)
	}
	return string(source)
}

// finding is a rule that the page breaks.
type finding struct {
	ID, Help string
	Nodes    []struct {
		HTML           string
		FailureSummary string
	}
}

// Every view passes, in both themes, on a desk, on a phone and on a large screen.
func TestAccessibility(t *testing.T) {
	source := axe(t)
	db := demo(t)
	for _, theme := range []string{"light", "dark"} {
		for view, place := range places {
			b := open(t, db, nil, place, nil)
			b.do(media("prefers-color-scheme", theme))
			for width, name := range map[int64]string{1366: "desk", 390: "phone", 1920: "projector"} {
				b.do(chromedp.EmulateViewport(width, 860))
				b.until(`document.querySelector("section:not([hidden]) .status h2, .error p") && !document.querySelector("main progress")`)
				if view == "plan" && !get[bool](b, `document.querySelector("#find-plan").open`) {
					b.click("#find-plan summary")
				}
				time.Sleep(200 * time.Millisecond) // colours have come to rest
				b.do(evaluate(source))
				ctx, cancel := context.WithTimeout(b.ctx, patience)
				found, err := chromedp.Run(ctx, chromedp.Evaluate[[]finding](`axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations)`, awaited))
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range found {
					for _, n := range f.Nodes {
						t.Errorf("%s, %s, %s: %s: %s\n%s\n%s", view, name, theme, f.ID, f.Help, n.HTML, n.FailureSummary)
					}
				}
				if wide := get[int](b, "document.documentElement.scrollWidth - innerWidth"); wide > 0 {
					t.Errorf("%s, %s: the page is %d pixels wider than the window", view, name, wide)
				}
			}
		}
	}
}

func awaited(p *runtime.EvaluateParams) {
	yes := true
	p.AwaitPromise = &yes
}

// The page follows the system, and the switch goes before it.
func TestThemes(t *testing.T) {
	b := open(t, demo(t), nil, "#find", nil)
	dark := `getComputedStyle(document.body).backgroundColor.match(/\d+/g).every((c) => c < 60)`
	b.do(media("prefers-color-scheme", "light"))
	b.until("!" + dark)
	b.do(media("prefers-color-scheme", "dark"))
	b.until(dark)
	b.click("#theme")
	b.says("#theme", "light")
	b.until("!" + dark)
	b.click("#theme")
	b.says("#theme", "dark")
	b.do(media("prefers-color-scheme", "light"), chromedp.Reload())
	b.until(dark)
	b.says("#theme", "dark")
}

// Where a visitor wants no motion, nothing moves.
func TestReducedMotion(t *testing.T) {
	b := open(t, demo(t), nil, "#compare?a=release-1.0.txt&b=release-1.1.txt", nil)
	b.do(media("prefers-reduced-motion", "reduce"))
	b.says("#compare-at", "Passage 1 of 2")
	b.until(`[...document.querySelectorAll("*")].every((e) => getComputedStyle(e).transitionDuration === "0s" && getComputedStyle(e).animationName === "none")`)
}

// The first paint takes few bytes.
func TestBytesOfFirstPaint(t *testing.T) {
	b := open(t, demo(t), nil, "", nil)
	b.says("#over-pairs", "backup")
	b.mu.Lock()
	defer b.mu.Unlock()
	var sum int64
	for _, n := range b.bytes {
		sum += n
	}
	t.Logf("%d requests, %d bytes", len(b.bytes), sum)
	if sum == 0 || sum >= 100_000 {
		t.Errorf("the page takes %d bytes until it is there, want less than 100,000", sum)
	}
}
