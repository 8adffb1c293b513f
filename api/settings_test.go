package api

import (
	"reflect"
	"testing"
)

// Every field of Settings has a name in the language.
func TestSettingNames(t *testing.T) {
	var s Settings
	at := map[any]string{&s.K: "k"}
	all := AllSettings()
	for _, set := range all {
		name, text, on := set.Name, set.Text(&s), set.Switch(&s)
		switch {
		case text != nil && on == nil && at[text] == "":
			at[text] = name
		case on != nil && text == nil && at[on] == "":
			at[on] = name
		case name != "k":
			t.Errorf("%s is text %v and switch %v", name, text, on)
		}
	}
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		if at[v.Field(i).Addr().Interface()] == "" {
			t.Errorf("%s has no name", v.Type().Field(i).Name)
		}
	}
	if len(at) != len(all) {
		t.Errorf("%d fields, %d names", len(at), len(all))
	}
}
