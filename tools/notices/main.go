// Command notices says whose work is linked into the command simdb.
//
// In come the modules that it links on the platforms of a release, as the go
// command tells them, and their licences in the module cache. Out comes the list
// THIRD_PARTY_NOTICES.md, and with -texts a folder of the full texts, which go into
// the archives of a release.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("notices: ")
	project := flag.String("project", "..", "folder of the module of simdb")
	out := flag.String("out", "", "file to write the list to; standard output without it")
	texts := flag.String("texts", "", "new folder to write the full texts to, instead of the list")
	flag.Parse()
	if err := write(*project, *out, *texts); err != nil {
		log.Fatal(err)
	}
}

func write(project, out, texts string) error {
	modules, err := linked(project, "./cmd/simdb")
	if err != nil {
		return err
	}
	for i := range modules {
		if err := modules[i].read(); err != nil {
			return err
		}
	}
	if texts != "" {
		return writeTexts(texts, modules)
	}
	list, err := list(modules)
	if err != nil {
		return err
	}
	if out == "" {
		_, err = os.Stdout.WriteString(list)
		return err
	}
	return os.WriteFile(out, []byte(list), 0o644)
}

const head = `# Third-party notices

The command simdb holds the work of others. This table lists the modules that it links on one or more of the platforms
of a release, and what of Go itself it holds. A program that imports the package simdb links most of them.
[LICENSE](LICENSE) is that of simdb.

Many of these licences want their text and the copyright notice to come with a binary. The archives of a release hold all
of them in the folder ` + "`licences`" + `. Who builds the command and passes it on can make that folder by
` + "`make licences`" + `.

| module | version | licence | copyright |
| --- | --- | --- | --- |
`

// list returns the page that lists the modules.
func list(modules []module) (string, error) {
	var b strings.Builder
	b.WriteString(head)
	for _, m := range modules {
		licence, err := m.spdx()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.path, m.version, licence, strings.Join(m.copyrights(), "<br>"))
	}
	b.WriteString("\nMade by `make notices`; a test fails when a module is missing or its version has changed.\n")
	return b.String(), nil
}
