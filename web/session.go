package web

// The token: programs send it with each request, the page signs in with it and gets a
// cookie. The cookie is not the token but made from it, so no session has to be kept, and
// no other site can have it sent (SameSite=Strict) or read it (HttpOnly).

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/simdb/simdb"
)

const (
	cookieName = "simdb"
	maxLogin   = 4 << 10 // bytes of a request to sign in
)

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

// sessionAnswer says what the caller may do.
type sessionAnswer struct {
	TokenRequired bool     `json:"token_required"`
	SignedIn      bool     `json:"signed_in"`
	Writable      bool     `json:"writable"`
	Several       bool     `json:"several"`
	Version       string   `json:"version"`
	Renders       bool     `json:"renders"`
	Tables        []string `json:"tables"`
	MaxBody       int64    `json:"max_body"`
	MaxRows       int      `json:"max_rows"`
}

// session answers /api/v1/session: GET says what the caller may do, POST signs in, DELETE
// signs out.
func (s *server) session(w http.ResponseWriter, r *http.Request) {
	in := s.signedIn(r)
	switch r.Method {
	case http.MethodPost:
		var login struct{ Token string }
		r.Body = http.MaxBytesReader(w, r.Body, maxLogin) // whoever sends it need not know the token
		c := &call{server: s, ctx: r.Context(), w: w, r: r, start: time.Now()}
		err := c.read()
		if err == nil {
			err = c.asked(&login)
		}
		if err != nil {
			fail(w, err)
			return
		}
		if in = s.Token == "" || same(login.Token, s.Token); !in {
			fail(w, refuse(http.StatusUnauthorized, "unauthorized", "this is not the token of this server; simdb serve was started with it"))
			return
		}
		s.setCookie(w, r, s.cookie(), 0)
	case http.MethodDelete:
		in = s.Token == ""
		s.setCookie(w, r, "", -1)
	}
	give(w, http.StatusOK, sessionAnswer{s.Token != "", in, s.Writable, s.shards != nil, simdb.Version, s.Renderer != nil, s.tables(), s.MaxBody, s.MaxRows})
}

// setCookie sets the cookie until the browser is closed, or removes it.
func (s *server) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
}
