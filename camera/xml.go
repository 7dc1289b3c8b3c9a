package camera

import (
	"errors"
	"fmt"
	"strings"
)

// maxDepth is how deep the parts of files may be nested.
const maxDepth = 64

var errDepth = fmt.Errorf("camera: a file with more than %d nested parts", maxDepth)

// An xmlParser reads the subset of XML that FileStorages have: elements, whose attributes are ignored,
// texts and comments.
type xmlParser struct {
	rest string // what is not read yet
}

// parseXML returns the mapping of an OpenCV FileStorage.
func parseXML(text string) (file, error) {
	p := &xmlParser{text}
	_, name, closed, err := p.next()
	if err != nil {
		return nil, err
	}
	if name != "opencv_storage" {
		return nil, fmt.Errorf("camera: XML with an element %s, not opencv_storage", name)
	}
	if closed {
		return nil, nil
	}
	v, err := p.element(name, 0)
	f, _ := v.(file) // unless it has no elements with names
	return f, err
}

// next returns the text before the next tag, the name in it, which begins with a slash if it ends an
// element, and whether it is an element without contents.
func (p *xmlParser) next() (text, name string, closed bool, err error) {
	var before strings.Builder
	for {
		part, tag, _ := strings.Cut(p.rest, "<")
		before.WriteString(part)
		end := ">"
		switch {
		case strings.HasPrefix(tag, "!--"):
			end = "-->"
		case strings.HasPrefix(tag, "?"):
			end = "?>"
		case strings.HasPrefix(tag, "!"):
			return "", "", false, errors.New("camera: XML with <!, which is not supported")
		}
		tag, rest, found := strings.Cut(tag, end)
		if !found {
			return "", "", false, errors.New("camera: XML that ends within an element")
		}
		p.rest = rest
		if end == ">" {
			tag, closed = strings.CutSuffix(tag, "/")
			name, _, _ = strings.Cut(strings.TrimRight(tag, " \t\r\n"), " ")
			return before.String(), name, closed, nil
		}
	}
}

// entities replaces what stands for characters.
var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")

// element returns the value of an element whose tag was read: a mapping if it has elements with names,
// a sequence if theirs is _, and else its text.
func (p *xmlParser) element(name string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	var text strings.Builder
	var items []any
	fields := file{}
	for {
		before, tag, closed, err := p.next()
		if err != nil {
			return nil, err
		}
		text.WriteString(before)
		if end, ok := strings.CutPrefix(tag, "/"); ok {
			if end != name {
				return nil, fmt.Errorf("camera: an element %s that ends as %s", name, end)
			}
			break
		}
		var v any = ""
		if !closed {
			if v, err = p.element(tag, depth+1); err != nil {
				return nil, err
			}
		}
		switch _, repeated := fields[tag]; {
		case tag == "_":
			items = append(items, v)
		case repeated:
			return nil, fmt.Errorf("camera: two elements %s", tag)
		default:
			fields[tag] = v
		}
	}
	switch {
	case len(fields) > 0 && items != nil:
		return nil, fmt.Errorf("camera: an element %s with elements that have names and others that have none", name)
	case len(fields) > 0:
		return fields, nil
	case items != nil:
		return items, nil
	}
	value := strings.TrimSpace(text.String())
	if n := len(value) - 1; n > 0 && value[0] == '"' && value[n] == '"' {
		value = value[1:n]
	}
	return entities.Replace(value), nil
}
