package camera

import (
	"bytes"
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
func parseXML(text []byte) (file, error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := nextToken(d)
		if err != nil {
			return nil, err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local != "opencv_storage" {
			return nil, fmt.Errorf("camera: XML with an element %s, not opencv_storage", start.Name.Local)
		}
		v, err := parseElement(d, 0)
		f, _ := v.(file) // unless it has no elements with names
		return f, err
	}
}

// nextToken returns the next token, which there should be.
func nextToken(d *xml.Decoder) (xml.Token, error) {
	token, err := d.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("camera: %w", err)
	}
	return token, nil
}

// parseElement returns the value of an element whose start was read: a mapping if it has elements
// with names, a sequence if theirs is _, and else its text.
func parseElement(d *xml.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	var text strings.Builder
	var items []any
	fields := file{}
	for {
		token, err := nextToken(d)
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			v, err := parseElement(d, depth+1)
			if err != nil {
				return nil, err
			}
			name := token.Name.Local
			switch _, repeated := fields[name]; {
			case name == "_":
				items = append(items, v)
			case repeated:
				return nil, fmt.Errorf("camera: two elements %s", name)
			default:
				fields[name] = v
			}
		case xml.EndElement:
			switch {
			case len(fields) > 0 && items != nil:
				return nil, errors.New("camera: an element with elements that have names and others that have none")
			case len(fields) > 0:
				return fields, nil
			case items != nil:
				return items, nil
			}
			return strings.Trim(strings.TrimSpace(text.String()), `"`), nil
		}
	}
}
