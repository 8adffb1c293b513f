package licence

// Names that files give themselves: tags of SPDX, and the notices of the GNU licences, which
// have the same words but for name and number.

import (
	"regexp"
	"strings"
)

var (
	tagLine = regexp.MustCompile(`SPDX-License-Identifier:[ \t]*([(]*[A-Za-z0-9](?:[A-Za-z0-9.+-]*[A-Za-z0-9+])?[)]*(?:[ \t]+(?:AND|OR|WITH|and|or|with)[ \t]+[(]*[A-Za-z0-9](?:[A-Za-z0-9.+-]*[A-Za-z0-9+])?[)]*)*)`)

	gnuID     = regexp.MustCompile(`^((?:AGPL|GFDL|GPL|LGPL)-[0-9.]+?)((?:-no)?-invariants)?(\+|-only|-or-later)?$`)
	gnuInTag  = regexp.MustCompile(`\b(?:AGPL|GFDL|GPL|LGPL)-[0-9.]+(?:-no-invariants|-invariants|-only|-or-later|\+)?`)
	gnuNotice = regexp.MustCompile(`(affero |lesser |library |free )?(?:gnu )?(?:general public|documentation) licen[sc]e (?:\S+ ){0,12}?v(?:ersion)? ?([0-9](?:\.[0-9])?)`)
	gnuBefore = regexp.MustCompile(`version ([0-9](?:\.[0-9])?) (?:\S+ ){0,3}?gnu (affero |lesser |library |free )?`)
	notWord   = regexp.MustCompile(`[^\pL\pN.]+`)
)

// gnuShort are the short names of what is called GNU … General Public License, and of the one for documents.
var gnuShort = map[string]string{"affero ": "AGPL-", "lesser ": "LGPL-", "library ": "LGPL-", "free ": "GFDL-", "": "GPL-"}

// tagOf returns what the first SPDX-License-Identifier of a text says, with the ids that
// SPDX has now.
func tagOf(text string) (f finding, ok bool) {
	if !strings.Contains(text, "SPDX-License-Identifier:") {
		return f, false
	}
	m := tagLine.FindStringSubmatchIndex(text)
	if m == nil {
		return f, false
	}
	says := strings.Join(strings.Fields(text[m[2]:m[3]]), " ")
	if !strings.Contains(says, " ") {
		says = strings.Trim(says, "()")
	}
	for _, word := range []string{"and", "or", "with"} {
		says = strings.ReplaceAll(says, " "+word+" ", " "+strings.ToUpper(word)+" ")
	}
	says = gnuInTag.ReplaceAllStringFunc(says, func(id string) string { return named(id, "") })
	return finding{licence: says, sim: 1, start: m[0], end: m[1]}, true
}

// longTitle is from where on a place is a full licence, which says its name first, and may
// have another in an example.
const longTitle = 3000

// named is the id of a licence whose text stands here. A notice of a GNU licence says name and number
// itself, and whether a later version may be taken.
func named(id, here string) string {
	if id == "BSD-2-Clause-FreeBSD" {
		return "BSD-2-Clause-Views" // what SPDX calls it now
	}
	m := gnuID.FindStringSubmatch(id)
	if m == nil {
		return id
	}
	says := strings.ToLower(notWord.ReplaceAllString(here[:min(len(here), longTitle)], " "))
	if len(here) > longTitle {
		says = says[:min(len(says), 200)]
	}
	if n := gnuNotice.FindStringSubmatch(says); n != nil {
		m[1] = gnuShort[n[1]] + point(n[2])
	} else if n := gnuBefore.FindStringSubmatch(says); n != nil {
		m[1] = gnuShort[n[2]] + point(n[1])
	}
	if strings.Contains(says, "or later") || strings.Contains(says, "any later version") ||
		here == "" && (m[3] == "+" || m[3] == "-or-later") {
		return m[1] + m[2] + "-or-later"
	}
	return m[1] + m[2] + "-only"
}

// point writes a number as ids have it.
func point(number string) string {
	if strings.Contains(number, ".") {
		return number
	}
	return number + ".0"
}
