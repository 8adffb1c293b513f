package web

// Whether the database answers. Programs that start and stop servers ask this. It needs no token and
// tells nothing of what is stored.

import "net/http"

type healthAnswer struct {
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// health answers GET /healthz.
func (s *server) health(w http.ResponseWriter, _ *http.Request) {
	db, done := s.Lend()
	defer done()
	snap, err := db.Snapshot()
	if err != nil {
		give(w, http.StatusServiceUnavailable, healthAnswer{"failing", failureOf(err).Message})
		return
	}
	snap.Close()
	give(w, http.StatusOK, healthAnswer{Status: "ok"})
}
