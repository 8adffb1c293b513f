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
	b := open(t, db, nil, "#overview?in=kept", nil)
	b.click("#over-ledger-fold summary")
	b.says("#over-ledger", "1 text fell to a similar document")
	b.says("#over-ledger tbody tr", bad+"\tfirst\t100 %\tunless similar")
	b.until(`[...document.querySelectorAll("#over-settings div")].map((d) => d.textContent.replace("patricia", "patricia=")).join(";").includes("patricia=on")`)
	b.do(evaluate(`location.hash = "#overview"`))
	b.until(`document.querySelector("#over-ledger-fold").hidden`)
}
