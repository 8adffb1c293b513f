// What is stored of a text for measures of texts.

package record

import (
	"errors"
	"reflect"
	"testing"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/internal/shingle"
)

func FuzzDecodeFeatures(f *testing.F) {
	k, err := parseKept(&api.Settings{SI: "m3a k4", Versions: true, Entities: true}, shingle.Analysis{})
	if err != nil {
		f.Fatal(err)
	}
	var seed Features
	k.Derive("Some Text of Two Names. Another sentence.\n\nAnd a paragraph.", &seed)
	f.Add(k.Encode(InFeatures, &seed))
	f.Fuzz(func(t *testing.T, value []byte) {
		var features, again Features
		if err := k.Decode(InFeatures, value, &features); err != nil {
			if !errors.Is(err, api.ErrCorrupt) {
				t.Fatalf("Decode = %v, want ErrCorrupt", err)
			}
			return
		}
		err := k.Decode(InFeatures, k.Encode(InFeatures, &features), &again)
		if err != nil || !reflect.DeepEqual(again, features) {
			t.Fatalf("%+v comes back as %+v, %v", features, again, err)
		}
	})
}
