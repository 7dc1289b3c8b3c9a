package camera

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A yamlParser reads a subset of YAML: a document of mappings, sequences and scalars of one line,
// and flow style of several lines, of which JSON is a part. Tags are ignored, and all scalars are
// strings.
type yamlParser struct {
	lines []yamlLine // those with content
	next  int
	rest  string // what is not read yet of the line before next, in flow style
}

// A yamlLine is a line without its indentation.
type yamlLine struct {
	number, indent int
	text           string
}

// parseYAML returns the mapping of a file.
func parseYAML(text string) (file, error) {
	p := &yamlParser{}
	if err := p.split(text); err != nil {
		return nil, err
	}
	if len(p.lines) == 0 {
		return nil, nil
	}
	var v any
	var err error
	if first := p.lines[0]; first.text[0] == '{' {
		v, err = p.inline(first.text, 0)
	} else {
		v, err = p.block(first.indent, 0)
	}
	if err != nil {
		return nil, err
	}
	if p.next < len(p.lines) {
		return nil, p.errorf("a line that does not belong to those before")
	}
	f, ok := v.(file)
	if !ok {
		return nil, errors.New("camera: a file that is not a mapping")
	}
	return f, nil
}

// split sets the lines of a file, which may begin with directives and a mark of its document.
func (p *yamlParser) split(text string) error {
	number, ended := 0, false
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, " \t\r\n")
		content := strings.TrimLeft(line, " ")
		switch {
		case strings.TrimLeft(content, "\t") == "", content[0] == '#', line[0] == '%' && len(p.lines) == 0:
			continue
		case line == "---" && len(p.lines) == 0:
			continue
		case line == "...":
			ended = true
			continue
		}
		p.lines = append(p.lines, yamlLine{number, len(line) - len(content), content})
		p.next = len(p.lines) - 1 // for the error
		if ended || line == "---" {
			return p.errorf("a second document, which is not supported")
		}
	}
	p.next = 0
	return nil
}

// errorf returns an error about the next line, or the last one.
func (p *yamlParser) errorf(format string, args ...any) error {
	line := p.lines[min(p.next, len(p.lines)-1)]
	return fmt.Errorf("camera: line %d: %s", line.number, fmt.Sprintf(format, args...))
}

// block returns the mapping or the sequence of the lines with the given indentation.
func (p *yamlParser) block(indent, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	if isItem(p.lines[p.next].text) {
		return p.sequence(indent, depth)
	}
	return p.mapping(indent, depth)
}

// isItem reports whether a line is one of a sequence.
func isItem(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }

// more reports whether the next line has the given indentation.
func (p *yamlParser) more(indent int) bool {
	return p.next < len(p.lines) && p.lines[p.next].indent == indent
}

func (p *yamlParser) sequence(indent, depth int) (any, error) {
	items := []any{}
	for p.more(indent) && isItem(p.lines[p.next].text) {
		line := &p.lines[p.next]
		content := strings.TrimLeft(line.text[1:], " ")
		var item any
		var err error
		if _, _, isKey := cutKey(content); isKey || isItem(content) {
			// A block begins in the line of the item, indented by what is before it.
			line.indent += len(line.text) - len(content)
			line.text = content
			item, err = p.block(line.indent, depth+1)
		} else {
			item, err = p.value(content, indent, depth)
		}
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
}

func (p *yamlParser) mapping(indent, depth int) (any, error) {
	f := file{}
	for p.more(indent) && !isItem(p.lines[p.next].text) {
		text := p.lines[p.next].text
		if text[0] == '\t' {
			return nil, p.errorf("indentation by a tab")
		}
		key, content, ok := cutKey(text)
		if !ok {
			return nil, p.errorf("no key with a colon")
		}
		if _, repeated := f[key]; repeated {
			return nil, p.errorf("the key %s a second time", key)
		}
		if key == "?" || key == "<<" {
			return nil, p.errorf("the key %s, which is not supported", key)
		}
		v, err := p.value(content, indent, depth)
		if err != nil {
			return nil, err
		}
		f[key] = v
	}
	return f, nil
}

// cutKey returns the key of a line of a mapping and what follows its colon. It reports false if the
// line has none.
func cutKey(text string) (key, content string, ok bool) {
	if text == "" || strings.IndexByte("[{!", text[0]) >= 0 {
		return "", "", false
	}
	quoted, err := cutQuoted(text)
	if err != nil {
		return "", "", false
	}
	if quoted != "" {
		content, ok = strings.CutPrefix(strings.TrimLeft(text[len(quoted):], " "), ":")
		key, err = unquote(quoted)
		return key, strings.TrimLeft(content, " "), ok && err == nil
	}
	key, content, ok = strings.Cut(text, ": ")
	if !ok {
		key, ok = strings.CutSuffix(text, ":")
	}
	return strings.TrimRight(key, " "), strings.TrimLeft(content, " "), ok && !strings.Contains(key, " #")
}

// value returns the value of an item or a key of the next line, after which content follows: in that
// line, or in the lines that are indented more. Sequences in a mapping need no more indentation.
func (p *yamlParser) value(content string, indent, depth int) (any, error) {
	if strings.HasPrefix(content, "!") {
		_, content, _ = strings.Cut(content, " ")
		content = strings.TrimLeft(content, " ")
	}
	if content != "" && content[0] != '#' {
		return p.inline(content, depth)
	}
	inMapping := !isItem(p.lines[p.next].text)
	p.next++
	if p.next < len(p.lines) {
		line := p.lines[p.next]
		if line.indent > indent || line.indent == indent && inMapping && isItem(line.text) {
			return p.block(line.indent, depth+1)
		}
	}
	return "", nil
}

// inline returns the value that begins with content, the end of the next line.
func (p *yamlParser) inline(content string, depth int) (v any, err error) {
	switch content[0] {
	case '|', '>', '&', '*', '@', '`':
		return nil, p.errorf("a value that begins with %c, which is not supported", content[0])
	case '[', '{':
		p.rest = content
		v, err = p.flow(depth + 1)
		content = p.rest
	case '"', '\'':
		quoted, err := cutQuoted(content)
		if err != nil {
			return nil, p.errorf("%v", err)
		}
		if v, err = unquote(quoted); err != nil {
			return nil, p.errorf("%v", err)
		}
		content = content[len(quoted):]
	default:
		text, _, _ := strings.Cut(content, " #")
		v, content = strings.TrimRight(text, " "), ""
	}
	if err != nil {
		return nil, err
	}
	if after := strings.TrimLeft(content, " "); after != "" && after[0] != '#' {
		return nil, p.errorf("%q after a value", after)
	}
	p.next++
	return v, nil
}

// cutQuoted returns the string in quotes that text begins with, or "" if it begins without.
func cutQuoted(text string) (string, error) {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return "", nil
	}
	for i := 1; i < len(text); i++ {
		switch {
		case text[0] == '"' && text[i] == '\\':
			i++
		case text[0] == '\'' && text[i] == '\'' && strings.HasPrefix(text[i+1:], "'"):
			i++
		case text[i] == text[0]:
			return text[:i+1], nil
		}
	}
	return "", errors.New("a string that does not end in its line")
}

// unquote returns what a string in quotes stands for.
func unquote(quoted string) (string, error) {
	inner := quoted[1 : len(quoted)-1]
	if quoted[0] == '\'' {
		return strings.ReplaceAll(inner, "''", "'"), nil
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(inner, "\\")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		var r rune
		if r, inner = unescape(after); r < 0 {
			return "", fmt.Errorf("a string with an escape that is not supported: %s", quoted)
		}
		b.WriteRune(r)
	}
}

// unescape returns the character of an escape, of which the backslash was read, and what follows. The
// character is negative if there is none.
func unescape(text string) (r rune, rest string) {
	const names, meanings = `"\/abfnrtve0`, "\"\\/\a\b\f\n\r\t\v\x1b\x00"
	kind, rest := text[:1], text[1:] // a backslash is never last, since it would escape the quotes
	if i := strings.Index(names, kind); i >= 0 {
		return rune(meanings[i]), rest
	}
	switch kind {
	case "x":
		r, rest = codePoint(rest, 2)
	case "U":
		r, rest = codePoint(rest, 8)
	case "u":
		r, rest = codePoint(rest, 4)
		if low, ok := strings.CutPrefix(rest, `\u`); ok && utf16.IsSurrogate(r) { // two for one character, as in JSON
			var second rune
			second, rest = codePoint(low, 4)
			r = utf16.DecodeRune(r, second)
			if r == utf8.RuneError {
				return -1, ""
			}
		}
	default:
		return -1, ""
	}
	if !utf8.ValidRune(r) {
		return -1, ""
	}
	return r, rest
}

// codePoint returns the number of the given hexadecimal digits, and what follows. It is negative if
// there are none.
func codePoint(text string, digits int) (r rune, rest string) {
	if len(text) < digits {
		return -1, ""
	}
	v, err := strconv.ParseUint(text[:digits], 16, 32)
	if err != nil {
		return -1, ""
	}
	return rune(v), text[digits:]
}

// skip skips spaces, comments and the ends of lines in flow style.
func (p *yamlParser) skip() error {
	for {
		p.rest = strings.TrimLeft(p.rest, " \t")
		if p.rest != "" && p.rest[0] != '#' {
			return nil
		}
		if p.next+1 == len(p.lines) {
			return p.errorf("a list or mapping without an end")
		}
		p.next++
		p.rest = p.lines[p.next].text
	}
}

// flow returns the value that begins the rest, in flow style.
func (p *yamlParser) flow(depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	switch p.rest[0] {
	case '[':
		items := []any{}
		err := p.each("]", func() error {
			v, err := p.flow(depth + 1)
			items = append(items, v)
			return err
		})
		return items, err
	case '{':
		f := file{}
		err := p.each("}", func() error {
			key, err := p.scalar(",:[]{}")
			if err != nil {
				return err
			}
			if err := p.skip(); err != nil {
				return err
			}
			if p.rest[0] != ':' {
				return p.errorf("a key without a colon: %q", key)
			}
			if _, repeated := f[key]; repeated {
				return p.errorf("the key %s a second time", key)
			}
			p.rest = p.rest[1:]
			if err := p.skip(); err != nil {
				return err
			}
			f[key], err = p.flow(depth + 1)
			return err
		})
		return f, err
	}
	return p.scalar(",[]{}")
}

// each calls read for each element up to the end of a list or mapping, which begins the rest.
func (p *yamlParser) each(end string, read func() error) error {
	p.rest = p.rest[1:]
	for {
		if err := p.skip(); err != nil {
			return err
		}
		if strings.HasPrefix(p.rest, end) {
			p.rest = p.rest[1:]
			return nil
		}
		if err := read(); err != nil {
			return err
		}
		if err := p.skip(); err != nil {
			return err
		}
		switch {
		case p.rest[0] == ',':
			p.rest = p.rest[1:]
		case !strings.HasPrefix(p.rest, end):
			return p.errorf("%q in a list or mapping", p.rest)
		}
	}
}

// scalar returns the scalar that begins the rest. Without quotes it ends before any of the given
// characters, a comment and the end of the line.
func (p *yamlParser) scalar(ends string) (string, error) {
	quoted, err := cutQuoted(p.rest)
	if err != nil {
		return "", p.errorf("%v", err)
	}
	if quoted != "" {
		p.rest = p.rest[len(quoted):]
		text, err := unquote(quoted)
		if err != nil {
			return "", p.errorf("%v", err)
		}
		return text, nil
	}
	text := p.rest
	if n := strings.IndexAny(text, ends); n >= 0 {
		text = text[:n]
	}
	text, _, _ = strings.Cut(text, " #")
	n := len(text)
	text = strings.TrimRight(text, " \t")
	if text == "" {
		return "", p.errorf("%q in a list or mapping, where a value should be", p.rest)
	}
	p.rest = p.rest[n:]
	return text, nil
}
