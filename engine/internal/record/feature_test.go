// What is stored of a text for measures of texts.

package record

import (
	"errors"
	"reflect"
	"testing"

	"github.com/simdb/simdb/api"
)

func FuzzDecodeFeatures(f *testing.F) {
	k, err := parseKept(&api.Settings{SI: "m3a k4", Versions: true, Entities: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(k.EncodeFeatures(k.FeaturesOf("Some Text of Two Names. Another sentence.\n\nAnd a paragraph.")))
	f.Fuzz(func(t *testing.T, value []byte) {
		features, err := k.DecodeFeatures(value)
		if err != nil {
			if !errors.Is(err, api.ErrCorrupt) {
				t.Fatalf("decodeFeatures = %v, want ErrCorrupt", err)
			}
			return
		}
		again, err := k.DecodeFeatures(k.EncodeFeatures(features))
		if err != nil || !reflect.DeepEqual(again, features) {
			t.Fatalf("%+v comes back as %+v, %v", features, again, err)
		}
	})
}
