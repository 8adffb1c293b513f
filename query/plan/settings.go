package plan

// The settings of a collection, as in CREATE COLLECTION and import --with.

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

// ParseSettings parses settings as CREATE COLLECTION has them between its parentheses, and
// reads the files that they name.
func ParseSettings(src string) (api.Settings, error) {
	list, err := syntax.ParseSettings(src)
	if err != nil {
		return api.Settings{}, Invalid(err)
	}
	return settingsOf(list, newArguments(nil, nil), readRegular)
}

// FormatSettings formats settings for ParseSettings. It omits settings that are off, and
// shows only the length of a list.
func FormatSettings(s api.Settings) string {
	list := []string{"unit = " + syntax.QuoteString(s.Unit), fmt.Sprint("k = ", s.K)}
	if s.UniqueSim != "" {
		list = append(list, "unique_sim = "+s.UniqueSim)
	}
	all := api.AllSettings()
	for _, set := range all {
		// Unit, unique_sim and index have a place of their own; empty settings are
		// defaults.
		if text := set.Text(&s); text != nil && !set.File && !slices.Contains([]string{"unit", "unique_sim", "index"}, set.Name) && *text != "" && *text != "none" {
			list = append(list, set.Name+" = "+syntax.QuoteString(*text))
		}
	}
	for _, set := range all {
		if on := set.Switch(&s); on != nil && *on {
			list = append(list, set.Name+" = on")
		}
	}
	for _, set := range all {
		// The file itself is no longer known, so only the length of the list appears.
		if set.File && *set.Text(&s) != "" {
			list = append(list, set.Name+" = "+syntax.QuoteString(ListLength(*set.Text(&s))))
		}
	}
	if s.Index != "" {
		list = append(list, "index = "+syntax.QuoteString(s.Index))
	}
	return strings.Join(list, ", ")
}

// ListLength describes the length of a gazetteer or a list of synonyms.
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

// Settings returns the settings of a CREATE COLLECTION.
func (pl *Planner) Settings(s *syntax.Create) (api.Settings, error) {
	settings, err := settingsOf(s.Settings, pl.args, pl.opts.readFile)
	if err != nil {
		return settings, err
	}
	return settings, pl.Done(s.Pos)
}

// settingsOf collects the values of settings. read returns the text of a file.
func settingsOf(list []syntax.Setting, args *arguments, read func(path string) (string, error)) (out api.Settings, err error) {
	for _, set := range list {
		v, err := args.constant(set.Value)
		if err != nil {
			return out, err
		}
		if want, hint := setSetting(&out, set.Name, v); want != "" {
			return out, ErrorAt(set.Value.Place(), want, value.Show(v), hint)
		}
		// The store keeps the content of the file, so that it does not depend on the file
		// later.
		if known := api.SettingNamed(set.Name); known.File {
			to := known.Text(&out)
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

// setSetting sets one setting. For a wrong value it returns the expected one, and perhaps a
// hint.
func setSetting(out *api.Settings, name string, v any) (want, hint string) {
	set := api.SettingNamed(name)
	text, isText := v.(string)
	number, isNumber := v.(*big.Rat)
	switch to, on := set.Text(out), set.Switch(out); {
	case name == "unit":
		if units := []string{"word", "char", "token", "code"}; !slices.Contains(units, text) {
			return set.Want, syntax.DidYouMean(text, units)
		}
		out.Unit = text
	case name == "k":
		k, isWhole := value.Whole(number)
		if !isWhole || k < 1 || k > 100 {
			return set.Want, ""
		}
		out.K = int(k)
	case name == "unique_sim":
		if !isNumber {
			return set.Want, ""
		}
		if hint, ok := syntax.SimHint(value.Decimal(number)); !ok {
			return "a similarity between 0 and 1", hint
		}
		// The engine stores thresholds in fixed precision, rounded down.
		t, _ := threshold(number)
		out.UniqueSim = t.String()
	case to != nil:
		if !isText || text == "" && name != "intervals" {
			return set.Want, ""
		}
		*to = text
	default:
		is, ok := switched(v)
		if !ok {
			return set.Want, ""
		}
		*on = is
	}
	return "", ""
}

// switched reads a bool, or the strings 'on' and 'off'.
func switched(v any) (on, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case string:
		return strings.EqualFold(v, "on"), strings.EqualFold(v, "on") || strings.EqualFold(v, "off")
	}
	return false, false
}

// Refused adds a position to an error of creating a collection: the wrong setting, if the
// engine reads only one, or the name.
func Refused(s *syntax.Create, err error) error {
	at := s.Name.Pos
	// Only these settings reach the engine unchecked; the planner has checked the others.
	unread := slices.DeleteFunc(slices.Clone(s.Settings), func(set syntax.Setting) bool {
		return !slices.Contains([]string{"fold", "language", "intervals", "si", "unique_sim", "gazetteer", "synonyms", "index"}, set.Name)
	})
	if len(unread) == 1 && !errors.Is(err, api.ErrExists) {
		at = unread[0].Value.Place()
	}
	return Placed(at, err)
}
