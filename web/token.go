package web

// The token and a cookie derived from it. The server stores no sessions, and no other site can
// send the cookie (SameSite=Strict) or read it (HttpOnly).

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
)

const cookieName = "simdb"

// cookie returns the value of the cookie after sign-in.
func (s *server) cookie() string {
	h := hmac.New(sha256.New, []byte(s.Token))
	h.Write([]byte("simdb session"))
	return hex.EncodeToString(h.Sum(nil))
}

// signedIn reports whether a request has the token or the cookie.
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

// same compares two secrets in constant time, including their lengths.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// setCookie sets the cookie for the browser session, or removes it with a negative age.
func (s *server) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
}
