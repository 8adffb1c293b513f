package web

// The token, and the cookie that is made from it: no session has to be kept, and no other site
// can have the cookie sent (SameSite=Strict) or read it (HttpOnly).

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
)

const cookieName = "simdb"

// cookie is what a browser that has signed in sends.
func (s *server) cookie() string {
	h := hmac.New(sha256.New, []byte(s.Token))
	h.Write([]byte("simdb session"))
	return hex.EncodeToString(h.Sum(nil))
}

// signedIn says whether a request has the token, or the cookie made from it.
func (s *server) signedIn(r *http.Request) bool {
	if s.Token == "" {
		return true
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return same(strings.TrimSpace(token), s.Token)
	}
	c, err := r.Cookie(cookieName)
	return err == nil && same(c.Value, s.cookie())
}

// same compares two secrets in a time that tells nothing of where they differ, or how long
// they are.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// setCookie sets the cookie until the browser is closed, or removes it.
func (s *server) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
}
