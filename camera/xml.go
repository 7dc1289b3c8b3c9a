package camera

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxDepth is how deep the parts of files may be nested.
const maxDepth = 64

var errDepth = fmt.Errorf("camera: a file with more than %d nested parts", maxDepth)

// parseXML returns the mapping of an OpenCV FileStorage.
func parseXML(text string) (file, error) {
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return nil, errors.New("camera: XML without an element")
		}
		if err != nil {
			return nil, fmt.Errorf("camera: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local != "opencv_storage" {
			return nil, fmt.Errorf("camera: XML with an element %s, not opencv_storage", start.Name.Local)
		}
		v, err := parseElement(d, start.Name.Local, 0)
		f, _ := v.(file) // unless it has no elements with names
		return f, err
	}
}

// parseElement returns the value of an element whose start was read: a mapping if it has elements
// with names, a sequence if theirs is _, and else its text.
func parseElement(d *xml.Decoder, name string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	var text strings.Builder
	var items []any
	fields := file{}
	for ended := false; !ended; {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("camera: %w", err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			ended = true
		case xml.StartElement:
			tag := token.Name.Local
			v, err := parseElement(d, tag, depth+1)
			if err != nil {
				return nil, err
			}
			if tag == "_" {
				items = append(items, v)
				continue
			}
			if _, repeated := fields[tag]; repeated {
				return nil, fmt.Errorf("camera: two elements %s", tag)
			}
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
	return strings.Trim(strings.TrimSpace(text.String()), `"`), nil
}
