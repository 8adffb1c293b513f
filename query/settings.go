package query

// The settings of a collection, as CREATE COLLECTION and import --with write them.

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simdb/simdb/api"
)

// ParseSettings reads the settings of a collection as they stand between the
// parentheses of CREATE COLLECTION: "versions = on, si = 'm43b k40'". Wrong
// settings give a *ParseError. The engine checks whether there is such an index
// or such intervals. The files that gazetteer and synonyms name are read.
func ParseSettings(src string) (api.Settings, error) {
	p := newParser(newLexer(src))
	list := p.settings()
	if p.err == nil && p.tok.kind != tokEnd {
		p.expected("a comma or the end of the settings")
	}
	if p.err != nil {
		return api.Settings{}, p.err
	}
	return settingsOf(list, newArguments(nil), readRegular)
}

// FormatSettings writes the settings of a collection in the form that
// ParseSettings reads. It leaves out those that are off, and of lists it says only how long
// they are.
func FormatSettings(s api.Settings) string {
	list := []string{"unit = " + quoteString(s.Unit), fmt.Sprint("k = ", s.K)}
	if s.UniqueSim != "" {
		list = append(list, "unique_sim = "+s.UniqueSim)
	}
	for _, text := range []struct{ name, value string }{{"intervals", s.Intervals}, {"si", s.SI}} {
		if text.value != "" && text.value != "none" {
			list = append(list, text.name+" = "+quoteString(text.value))
		}
	}
	for _, kept := range []struct {
		name string
		is   bool
	}{{"versions", s.Versions}, {"entities", s.Entities}, {"words", s.Words}, {"patricia", s.Patricia}} {
		if kept.is {
			list = append(list, kept.name+" = on")
		}
	}
	for _, given := range []struct{ name, value string }{{"gazetteer", s.Gazetteer}, {"synonyms", s.Synonyms}} {
		if given.value != "" {
			list = append(list, given.name+" = "+quoteString(listLength(given.value)))
		}
	}
	if s.Index != "" {
		list = append(list, "index = "+quoteString(s.Index))
	}
	return strings.Join(list, ", ")
}

// listLength says how long a gazetteer or a list of synonyms is.
func listLength(list string) string {
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

// readByEngine returns the settings whose values only the engine can check.
func readByEngine(list []Setting) []Setting {
	return slices.DeleteFunc(slices.Clone(list), func(s Setting) bool {
		return !slices.Contains([]string{"intervals", "si", "unique_sim", "gazetteer", "synonyms", "index"}, s.Name)
	})
}

// settingsOf takes the values of settings. read gives the text of a file.
func settingsOf(list []Setting, args *arguments, read func(path string) (string, error)) (out api.Settings, err error) {
	for _, set := range list {
		v, err := args.constant(set.Value)
		if err != nil {
			return out, err
		}
		if want, hint := setSetting(&out, set.Name, v); want != "" {
			return out, errorAt(set.Value.Place(), want, show(v), hint)
		}
		if to := map[string]*string{"gazetteer": &out.Gazetteer, "synonyms": &out.Synonyms}[set.Name]; to != nil {
			if *to, err = read(*to); err != nil {
				return out, unreadFile(set.Value.Place(), err, "no "+set.Name+" here", ", as simdb query, shell and import do")
			}
			if strings.TrimSpace(*to) == "" {
				return out, errorAt(set.Value.Place(), "a file with a line", "an empty one", "")
			}
		}
	}
	return out, nil
}

// setSetting sets one of the settings. If the value is wrong, it returns what
// was wanted, and perhaps a hint.
func setSetting(out *api.Settings, name string, v any) (want, hint string) {
	text, isText := v.(string)
	number, isNumber := v.(rational)
	switch name {
	case "unit":
		if text != "word" && text != "char" && text != "token" {
			return "'word', 'char' or 'token'", didYouMean(text, []string{"word", "char", "token"})
		}
		out.Unit = text
	case "k":
		k, whole := number.whole()
		if !isNumber || !whole || k < 1 || k > 100 {
			return "a whole number from 1 to 100", ""
		}
		out.K = int(k)
	case "unique_sim":
		if !isNumber {
			return "a number between 0 and 1", ""
		}
		if hint, ok := simHint(number.decimal()); !ok {
			return "a similarity between 0 and 1", hint
		}
		t, _ := threshold(number)
		out.UniqueSim = t.String()
	case "intervals":
		if !isText {
			return "'none', 'paper' or a list like '1-10,11-20'", ""
		}
		out.Intervals = text
	case "si":
		if !isText || text == "" {
			return "similarity indexes like 'm43b k40, m3b k16'", ""
		}
		out.SI = text
	case "gazetteer", "synonyms":
		if !isText || text == "" {
			return "the name of a file", ""
		}
		*map[string]*string{"gazetteer": &out.Gazetteer, "synonyms": &out.Synonyms}[name] = text
	case "index":
		if !isText || text == "" {
			return "metadata fields like 'year, author'", ""
		}
		out.Index = text
	default:
		on, ok := switched(v)
		if !ok {
			return "on or off", ""
		}
		*map[string]*bool{"versions": &out.Versions, "entities": &out.Entities, "words": &out.Words, "patricia": &out.Patricia}[name] = on
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
