// Settings as they are given and as they are kept.

package record

import (
	"errors"
	"testing"
	"unicode"

	"github.com/simdb/simdb/api"
)

func TestSettingsOfKeptTexts(t *testing.T) {
	c, err := NewSchema(unicode.Version, 1, "c", api.Settings{SI: " m43B K40 w100 , 3a k4"})
	if err != nil || c.Settings.SI != "m43b k40, m3a k4" {
		t.Errorf("settings.SI = %q, %v, want it in canonical form", c.Settings.SI, err)
	}
	for _, si := range []string{"m43", "m99b", "m13a", "m43b k40, m43b", "m1a, m2a, m3a, m4a, m5a", "x"} {
		if _, err := NewSchema(unicode.Version, 1, "c", api.Settings{SI: si}); err == nil != (si == "m43") || err != nil && !errors.Is(err, api.ErrInvalid) {
			t.Errorf("si = %q: %v", si, err)
		}
	}
}
