package browser

import (
	"testing"

	"github.com/simdb/simdb/api"
)

// A collection says how it was made, and what fell to what.
func TestSettingsAndLedger(t *testing.T) {
	db := store(t, nil)
	if err := db.CreateCollection(t.Context(), "kept", api.Settings{Ledger: true, Patricia: true}); err != nil {
		t.Fatal(err)
	}
	const bad = "<img src=x>"
	for _, id := range []string{"first", bad} {
		if _, _, err := db.PutUnlessSimilar(t.Context(), api.Document{Collection: "kept", ID: id, Text: "the trick is to look at many small pieces"}); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, db, nil, "#spread?in=kept", nil)
	b.says("#spread-ledger", "1 text fell to a similar document")
	b.says("#spread-ledger tbody tr", bad+"\tfirst\t100 %\tunless similar")
	b.until(`[...document.querySelectorAll("#spread-settings div")].map((d) => d.innerText.replace("\n", "=")).join(";").includes("patricia=on")`)
	b.says("#spread-settings", "Common passages")
	b.do(evaluate(`location.hash = "#spread"`))
	b.says("#spread-ledger", "keeps no ledger")
}
