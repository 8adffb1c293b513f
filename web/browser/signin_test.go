package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/simdb/simdb/web"
)

// A server with a token asks for it once, and not again when the page is loaded anew.
func TestSignIn(t *testing.T) {
	b := visit(t, demo(t), &web.Options{Token: "open sesame"}, "#find?id=release-1.1.txt", nil)
	b.says("#sign-in", "Token required")
	for _, token := range []string{"wrong", "open sesame"} {
		b.do(chromedp.Focus(chromedp.CSS("#sign-in-token")), evaluate(`document.querySelector("#sign-in-token").value = ""`), insert(token))
		b.keys(kb.Enter)
		if token == "wrong" {
			b.says("#sign-in-error", "Wrong token.")
		}
	}
	b.says("#find-status", "release-1.1.txt: 2 versions")
	b.do(chromedp.Reload())
	b.says("#find-status", "release-1.1.txt: 2 versions")
}

// The address that the command prints has the token; it does not stay there.
func TestTokenInTheAddress(t *testing.T) {
	b := open(t, demo(t), &web.Options{Token: "open & sesame"}, "#token=open%20%26%20sesame", nil)
	b.says("#over-status", "resemble another")
	if got := get[string](b, "location.href"); got != b.origin+"/" {
		t.Errorf("the address is %s", got)
	}
}
