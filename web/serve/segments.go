package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// What a program of WebAssembly consists of.
const (
	preamble    = 8    // bytes before the sections
	dataSection = 11   // the number of the section with the segments of data
	activeData  = 0    // the kind of a segment that is copied to memory when the program starts
	constant    = 0x41 // the instruction i32.const
	end         = 0x0b // of instructions
)

// joinedZeros is the most zeros that are stored between two segments of data.
const joinedZeros = 64

var errSegments = errors.New("the program's data are not as Go's linker writes them")

// joinSegments returns a program of WebAssembly in which segments of data that are near to each
// other are one. Go's linker leaves out nine zeros or more, and so makes 50,000 segments of a few
// bytes, most of a table that tells functions by the program counter. Their addresses hardly
// compress, unlike zeros.
func joinSegments(program []byte) ([]byte, error) {
	if len(program) < preamble {
		return nil, errSegments
	}
	joined := slices.Clone(program[:preamble])
	for rest := program[preamble:]; len(rest) > 0; {
		id := rest[0]
		content, after, err := cut(rest[1:])
		if err != nil {
			return nil, err
		}
		rest = after
		if id == dataSection {
			segments, err := readSegments(content)
			if err != nil {
				return nil, err
			}
			content = appendSegments(nil, join(segments))
		}
		joined = appendSized(append(joined, id), content)
	}
	return joined, nil
}

// A segment is bytes of the memory that a program starts with.
type segment struct {
	address uint64
	data    []byte
}

// join joins segments that follow each other.
func join(segments []segment) []segment {
	var joined []segment
	for _, s := range segments {
		if len(joined) > 0 {
			last := &joined[len(joined)-1]
			gap := s.address - last.address - uint64(len(last.data)) // huge if it is negative
			if gap <= joinedZeros {
				last.data = append(append(last.data, make([]byte, gap)...), s.data...)
				continue
			}
		}
		joined = append(joined, segment{s.address, slices.Clone(s.data)})
	}
	return joined
}

// readSegments reads the content of the section of data.
func readSegments(content []byte) ([]segment, error) {
	count, n := binary.Uvarint(content)
	if n <= 0 {
		return nil, errSegments
	}
	content = content[n:]
	var segments []segment
	for range count {
		if len(content) < 2 || content[0] != activeData || content[1] != constant {
			return nil, errSegments
		}
		// The number is signed. It is also this one if it is not negative, as addresses below 2 GB are.
		address, n := binary.Uvarint(content[2:])
		if n <= 0 || len(content) <= 2+n || content[2+n] != end {
			return nil, errSegments
		}
		data, rest, err := cut(content[2+n+1:])
		if err != nil {
			return nil, err
		}
		segments, content = append(segments, segment{address, data}), rest
	}
	if len(content) > 0 {
		return nil, fmt.Errorf("%w: %d bytes follow", errSegments, len(content))
	}
	return segments, nil
}

// appendSegments appends the content of the section of data.
func appendSegments(content []byte, segments []segment) []byte {
	content = binary.AppendUvarint(content, uint64(len(segments)))
	for _, s := range segments {
		content = binary.AppendUvarint(append(content, activeData, constant), s.address)
		if last := &content[len(content)-1]; *last&0x40 != 0 { // it would be the sign
			*last |= 0x80
			content = append(content, 0)
		}
		content = appendSized(append(content, end), s.data)
	}
	return content
}

// cut returns bytes that are preceded by their number, and what follows.
func cut(b []byte) (content, rest []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return nil, nil, errSegments
	}
	return b[n:][:size], b[n:][size:], nil
}

// appendSized appends bytes and before them their number.
func appendSized(b, content []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(content))), content...)
}
