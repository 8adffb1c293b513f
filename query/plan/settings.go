package plan

// The settings of a collection, as CREATE COLLECTION and import --with write them.

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
	"github.com/simdb/simdb/query/syntax"
	"github.com/simdb/simdb/query/value"
)

// ParseSettings reads settings as they stand between the parentheses of CREATE COLLECTION.
func ParseSettings(src string) (api.Settings, error) {
	list, err := syntax.ParseSettings(src)
	if err != nil {
		return api.Settings{}, Invalid(err)
	}
	return settingsOf(list, newArguments(nil, nil), readRegular)
}

// FormatSettings writes settings in the form that ParseSettings reads.
func FormatSettings(s api.Settings) string {
	list := []string{"unit = " + syntax.QuoteString(s.Unit), fmt.Sprint("k = ", s.K)}
	if s.UniqueSim != "" {
		list = append(list, "unique_sim = "+s.UniqueSim)
	}
	for _, name := range []string{"normalize", "fold", "language", "intervals", "si"} {
		if text := *api.TextSetting(&s, name); text != "" && text != "none" {
			list = append(list, name+" = "+syntax.QuoteString(text))
		}
	}
	for _, name := range api.SettingNames {
		if on := api.SwitchSetting(&s, name); on != nil && *on {
			list = append(list, name+" = on")
		}
	}
	for _, name := range []string{"gazetteer", "synonyms"} {
		if given := *api.TextSetting(&s, name); given != "" {
			list = append(list, name+" = "+syntax.QuoteString(ListLength(given)))
		}
	}
	if s.Index != "" {
		list = append(list, "index = "+syntax.QuoteString(s.Index))
	}
	return strings.Join(list, ", ")
}

// ListLength says how long a gazetteer or a list of synonyms is.
func ListLength(list string) string {
	if list == "" {
		return ""
	}
	n := 0
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			n++
		}
	}
	return fmt.Sprintf("(lines: %d)", n)
}

// Settings are those of a CREATE COLLECTION.
func (pl *Planner) Settings(s *syntax.Create) (api.Settings, error) {
	settings, err := settingsOf(s.Settings, pl.args, pl.opts.readFile)
	if err != nil {
		return settings, err
	}
	return settings, pl.Done(s.Pos)
}

// settingsOf takes the values of settings. read gives the text of a file.
func settingsOf(list []syntax.Setting, args *arguments, read func(path string) (string, error)) (out api.Settings, err error) {
	for _, set := range list {
		v, err := args.constant(set.Value)
		if err != nil {
			return out, err
		}
		if want, hint := setSetting(&out, set.Name, v); want != "" {
			return out, ErrorAt(set.Value.Place(), want, value.Show(v), hint)
		}
		if set.Name == "gazetteer" || set.Name == "synonyms" {
			to := api.TextSetting(&out, set.Name)
			if *to, err = read(*to); err != nil {
				return out, unreadFile(set.Value.Place(), err, "no "+set.Name+" here", ", as simdb query, shell and import do")
			}
			if strings.TrimSpace(*to) == "" {
				return out, ErrorAt(set.Value.Place(), "a file with a line", "an empty one", "")
			}
		}
	}
	return out, nil
}

// textWanted describes the text that a setting takes.
var textWanted = map[string]string{
	"normalize": "names like 'diacritics, hyphenation'",
	"fold":      "'names' or 'all'",
	"language":  "a language like 'java', or 'plain'",
	"intervals": "'none', 'paper' or a list like '1-10,11-20'",
	"si":        "similarity indexes like 'm43b k40, m3b k16'",
	"gazetteer": "the name of a file",
	"synonyms":  "the name of a file",
	"index":     "metadata fields like 'year, author'",
}

// setSetting sets one of the settings. If the value is wrong, it returns what
// was wanted, and perhaps a hint.
func setSetting(out *api.Settings, name string, v any) (want, hint string) {
	text, isText := v.(string)
	number, isNumber := v.(*big.Rat)
	if want := textWanted[name]; want != "" {
		if !isText || text == "" && name != "intervals" {
			return want, ""
		}
		*api.TextSetting(out, name) = text
		return "", ""
	}
	switch name {
	case "unit":
		if units := []string{"word", "char", "token", "code"}; !slices.Contains(units, text) {
			return "'word', 'char', 'token' or 'code'", syntax.DidYouMean(text, units)
		}
		out.Unit = text
	case "k":
		k, isWhole := value.Whole(number)
		if !isWhole || k < 1 || k > 100 {
			return "a whole number from 1 to 100", ""
		}
		out.K = int(k)
	case "unique_sim":
		if !isNumber {
			return "a number between 0 and 1", ""
		}
		if hint, ok := syntax.SimHint(value.Decimal(number)); !ok {
			return "a similarity between 0 and 1", hint
		}
		t, _ := threshold(number)
		out.UniqueSim = t.String()
	default:
		on, ok := switched(v)
		if !ok {
			return "on or off", ""
		}
		*api.SwitchSetting(out, name) = on
	}
	return "", ""
}

// switched reads a boolean, or 'on' and 'off' as a string.
func switched(v any) (on, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		return strings.EqualFold(v, "on"), strings.EqualFold(v, "on") || strings.EqualFold(v, "off")
	}
	return false, false
}

// Refused gives a place to an error of making a collection: that of the setting which is wrong,
// if only one is read by the engine, or of the name.
func Refused(s *syntax.Create, err error) error {
	at := s.Name.Pos
	unread := slices.DeleteFunc(slices.Clone(s.Settings), func(set syntax.Setting) bool {
		return !slices.Contains([]string{"fold", "language", "intervals", "si", "unique_sim", "gazetteer", "synonyms", "index"}, set.Name)
	})
	if len(unread) == 1 && !errors.Is(err, api.ErrExists) {
		at = unread[0].Value.Place()
	}
	return Placed(at, err)
}
