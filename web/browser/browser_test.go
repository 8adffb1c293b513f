package browser

// One Chromium for all tests, and a tab with a server of its own for each. Every tab is
// watched: no request may leave the server, and no script may fail.

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/simdb/simdb"
	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/web"
)

// patience bounds every wait.
const patience = 20 * time.Second

var chromium struct {
	sync.Once
	ctx context.Context
	end func()
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.end != nil {
		chromium.end()
	}
	os.Exit(code)
}

// start starts Chromium when the first test needs it.
func start() {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		chromium.err = fmt.Errorf("there is no Chromium; on Debian install chromium")
		return
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, // Chromium refuses to start as root with it
		chromedp.Flag("disable-dev-shm-usage", true))
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, end := chromedp.NewContext(alloc)
	chromium.ctx, chromium.end = ctx, func() { end(); endAlloc() }
	chromium.err = chromedp.Do(ctx)
}

// missing skips a test that lacks something, or fails it where CI is set.
func missing(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// tab is a page in a browser, and the server that it came from.
type tab struct {
	*testing.T
	ctx     context.Context
	origin  string
	mu      sync.Mutex
	foreign []string // requests to elsewhere
	faults  []string // what the page did wrong
	bytes   map[network.RequestID]int64
}

// open serves a database and opens its page at a place, such as #ask, until it is ready.
// around, if it is not nil, stands between the two.
func open(t *testing.T, db *simdb.DB, opts *web.Options, place string, around func(http.Handler) http.Handler) *tab {
	t.Helper()
	b := visit(t, db, opts, place, around)
	b.until(`document.documentElement.dataset.ready === "yes"`)
	return b
}

// visit is open for a page that is not ready by itself.
func visit(t *testing.T, db *simdb.DB, opts *web.Options, place string, around func(http.Handler) http.Handler) *tab {
	t.Helper()
	chromium.Do(start)
	if chromium.err != nil {
		missing(t, chromium.err)
	}
	handler := web.Handler(db, opts)
	if around != nil {
		handler = around(handler)
	}
	server := httptest.NewServer(handler)
	ctx, cancel := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext())
	b := &tab{T: t, ctx: ctx, origin: server.URL, bytes: map[network.RequestID]int64{}}
	// The first action of a tab makes it, and its context must outlast the others.
	if err := chromedp.Listen(ctx, b.watch); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		server.CloseClientConnections()
		server.Close()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, url := range b.foreign {
			t.Errorf("the page asked for %s", url)
		}
		for _, fault := range b.faults {
			t.Errorf("the page: %s", fault)
		}
	})
	b.do(call(network.Enable, network.EnableParams{}), call(log.Enable, cdp.Empty{}), chromedp.EmulateViewport(1280, 900), chromedp.Navigate(server.URL+"/"+place))
	return b
}

// watch notes what a page does that none may do.
func (b *tab) watch(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if url := e.Request.URL; !strings.HasPrefix(url, b.origin+"/") && !strings.HasPrefix(url, "data:") {
			b.foreign = append(b.foreign, url)
		}
	case *network.EventLoadingFinished:
		b.bytes[e.RequestID] = int64(e.EncodedDataLength)
	case *runtime.EventExceptionThrown:
		b.faults = append(b.faults, fmt.Sprint(e.ExceptionDetails.Text, " ", describe(e.ExceptionDetails.Exception)))
	case *log.EventEntryAdded:
		// The browser says of every refused request that it failed; the page says why.
		if e.Entry.Level == log.EntryLevelError && !strings.HasPrefix(e.Entry.Text, "Failed to load resource") {
			b.faults = append(b.faults, e.Entry.Text)
		}
	}
}

// do runs actions in time.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.Fatal(err)
	}
}

// get evaluates an expression.
func get[T any](b *tab, expression string) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return out
}

// text is what an element says.
func (b *tab) text(selector string) string {
	b.Helper()
	return get[string](b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? 'no '+%q", selector, selector))
}

// until waits until an expression is true.
func (b *tab) until(expression string) {
	b.Helper()
	end := time.Now().Add(patience)
	for !get[bool](b, "!!("+expression+")") {
		if time.Now().After(end) {
			b.Fatalf("not in %v: %s\nthe page says: %s", patience, expression, b.text("main"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// says waits until an element says something.
func (b *tab) says(selector, what string) {
	b.Helper()
	b.until(fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", selector, what))
}

// click clicks where an element is, as a mouse does. Rows that the page shows anew meanwhile
// take the place of the element that was found: then it is looked for again.
func (b *tab) click(selector string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
		switch {
		case err == nil:
			return
		case ctx.Err() != nil || !strings.Contains(err.Error(), "Could not find node"):
			b.Fatal(err)
		}
	}
}

// keys presses keys where the focus is.
func (b *tab) keys(keys ...string) {
	b.Helper()
	for _, k := range keys {
		b.do(chromedp.KeyEvent(k))
	}
}

// call is a command of the browser's protocol as an action.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// evaluate runs a script for what it does.
func evaluate(script string) chromedp.Action[chromedp.Void] {
	return call(runtime.Evaluate, runtime.EvaluateParams{Expression: script})
}

// describe is what the script threw.
func describe(thrown *runtime.RemoteObject) string {
	if thrown == nil {
		return ""
	}
	return thrown.Description
}

// store makes a database in memory with documents by id.
func store(t *testing.T, documents map[string]string) *simdb.DB {
	t.Helper()
	db, err := simdb.Open("", &simdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, id := range slices.Sorted(maps.Keys(documents)) { // groups are numbered in the order of writing
		if err := db.Put(t.Context(), api.Document{ID: id, Text: documents[id]}); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// demo is the database of the README, with groups.
func demo(t *testing.T) *simdb.DB {
	t.Helper()
	files, err := os.ReadDir("../../testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	documents := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile("../../testdata/demo/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		documents[f.Name()] = string(text)
	}
	db := store(t, documents)
	if err := db.CreateGroups(t.Context(), api.Grouping{Name: "releases", Min: api.Ratio(13, 20), Keep: api.KeepShortestID}); err != nil {
		t.Fatal(err)
	}
	return db
}
