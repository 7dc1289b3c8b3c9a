// Links checks the links and the images of all pages of the repository, the Markdown files that
// git knows: that files exist, and that pages have the headings that anchors name. Of the comments
// in Go files it checks the links to files of the repository. It asks no server, so links to
// other places are only listed, with -other.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

var (
	inline    = regexp.MustCompile(`\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)`)
	reference = regexp.MustCompile(`(?m)^\[[^\]]+\]:\s*(\S+)`)
	html      = regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	fenced    = regexp.MustCompile("(?ms)^[ ]*```.*?^[ ]*```[ ]*$")
	code      = regexp.MustCompile("`[^`\n]*`")
	heading   = regexp.MustCompile(`(?m)^#{1,6} +(.*?)[ #]*$`)
	linked    = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	own       = regexp.MustCompile(`https://github\.com/fastcorners/fast/(?:blob|tree)/main/([^\s)"#]+)`)
)

func main() {
	log.SetFlags(0)
	other := flag.Bool("other", false, "list the links that lead out of the repository")
	flag.Parse()
	pages := read("*.md")

	links, broken := 0, 0
	for name, page := range pages {
		for _, link := range find(page) {
			target, err := url.Parse(link)
			if err == nil && target.Scheme != "" {
				if *other {
					fmt.Println(link)
				}
				continue
			}
			links++
			if err == nil {
				err = check(pages, name, target)
			}
			if err != nil {
				broken++
				fmt.Printf("%s: %s: %v\n", name, link, err)
			}
		}
	}
	for name, file := range read("*.go") {
		for _, m := range own.FindAllStringSubmatch(file, -1) {
			links++
			if _, err := os.Stat(m[1]); err != nil {
				broken++
				fmt.Printf("%s: %s: %v\n", name, m[0], err)
			}
		}
	}
	fmt.Println(len(pages), "pages,", links, "links within the repository,", broken, "broken")
	if broken > 0 || links == 0 {
		os.Exit(1)
	}
}

// read returns the files that git knows whose names match a pattern.
func read(pattern string) map[string]string {
	list, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", pattern).Output()
	if err != nil {
		log.Fatal(err)
	}
	files := map[string]string{}
	for name := range bytes.SplitSeq(bytes.TrimRight(list, "\x00"), []byte{0}) {
		file, err := os.ReadFile(string(name))
		if err != nil {
			log.Fatal(err)
		}
		files[filepath.Clean(string(name))] = string(file)
	}
	return files
}

// find returns the targets of the links and images of a page, but for those in code.
func find(page string) []string {
	page = code.ReplaceAllString(fenced.ReplaceAllString(page, ""), "``")
	var targets []string
	for _, form := range []*regexp.Regexp{inline, reference, html} {
		for _, m := range form.FindAllStringSubmatch(page, -1) {
			targets = append(targets, m[1])
		}
	}
	return targets
}

// check returns an error if the page with a name has a link to a target that there is not.
func check(pages map[string]string, name string, target *url.URL) error {
	file := name
	if target.Path != "" {
		file = filepath.Join(filepath.Dir(name), target.Path)
		if _, err := os.Stat(file); err != nil {
			return err
		}
	}
	if target.Fragment == "" {
		return nil
	}
	page, ok := pages[file]
	if !ok {
		page, ok = pages[filepath.Join(file, "README.md")]
	}
	if !ok {
		return fmt.Errorf("%s is no page", file)
	}
	if !anchors(page)[target.Fragment] {
		return fmt.Errorf("%s has no heading #%s", file, target.Fragment)
	}
	return nil
}

// anchors returns the names that GitHub gives to the headings of a page.
func anchors(page string) map[string]bool {
	names := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		text := strings.ToLower(linked.ReplaceAllString(m[1], "$1"))
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
				return r
			}
			return -1
		}, text)
		name := anchor
		for n := 1; names[name]; n++ {
			name = fmt.Sprintf("%s-%d", anchor, n)
		}
		names[name] = true
	}
	return names
}
