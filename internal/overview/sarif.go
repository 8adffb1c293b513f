package overview

// A report as SARIF 2.1.0, for tools that show findings in code: one result for each common passage.

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/simdb/simdb/api"
)

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	sarifRule   = "similar-text"
)

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string          `json:"name"`
		Version string          `json:"semanticVersion,omitempty"`
		URI     string          `json:"informationUri"`
		Rules   []sarifReported `json:"rules"`
	}
	sarifReported struct {
		ID          string       `json:"id"`
		Short       sarifMessage `json:"shortDescription"`
		Help        sarifMessage `json:"help"`
		Configuring sarifLevel   `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifMessage `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Start int `json:"startLine"`
		End   int `json:"endLine"`
	}
)

// WriteSARIF writes the pairs with their passages. Ids become paths below a folder; version is that of
// simdb.
func (r *Report) WriteSARIF(w io.Writer, folder, version string) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}, Tool: sarifTool{sarifDriver{Name: "simdb", Version: strings.TrimPrefix(version, "v"), URI: "https://github.com/simdb/simdb",
		Rules: []sarifReported{{sarifRule, sarifMessage{"Similar texts"}, sarifMessage{"The number is the " + words(r.Question.Measure, r.Question.Args) + "."}, sarifLevel{"note"}}}}}}
	for _, c := range r.Compared {
		if len(c.Passages) == 0 {
			run.Results = append(run.Results, r.finding(c, nil, folder))
		}
		for i := range c.Passages {
			run.Results = append(run.Results, r.finding(c, &c.Passages[i], folder))
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// finding is the result for a passage of a pair, or for a pair without passages.
func (r *Report) finding(c Compared, p *Passage, folder string) sarifResult {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q", c.A, c.B)
	at := func(id string, lines *[2]int) sarifLocation {
		u := url.URL{Path: path.Join(folder, id)}
		l := sarifLocation{Physical: sarifPhysical{Artifact: sarifArtifact{u.String()}}}
		if lines != nil {
			l.Physical.Region = &sarifRegion{lines[0], lines[1]}
		}
		return l
	}
	b := bracketed(c.B)
	text := fmt.Sprintf("%s similar to [%s](1)", percent(c.Sim), b)
	first, second := at(c.A, nil), at(c.B, nil)
	if p != nil {
		first, second = at(c.A, &p.ALines), at(c.B, &p.BLines)
		text = fmt.Sprintf("%s in common with [%s, %s](1); the texts are %s similar", many(int64(p.Chars), "character"), b, lineRange(p.BLines), percent(c.Sim))
		fmt.Fprintf(h, " %q", p.A)
	}
	second.ID, second.Message = 1, &sarifMessage{"the same text"}
	return sarifResult{RuleID: sarifRule, Level: "note", Message: sarifMessage{text + countedOf(r.Question.Measure, c)}, Locations: []sarifLocation{first}, Related: []sarifLocation{second},
		Fingerprints: map[string]string{"similarText/v1": fmt.Sprintf("%016x", h.Sum64())},
		Properties:   map[string]any{"sim": c.Sim, "shared": c.Shared, "union": c.Union}}
}

// bracketed escapes an id within the brackets of a link.
func bracketed(id string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`).Replace(shown(id))
}

// countedOf returns the integers of a pair in brackets.
func countedOf(m api.Measure, c Compared) string {
	if n := counted(m, c.PairMatch); n != "" {
		return " (" + n + ")"
	}
	return ""
}
