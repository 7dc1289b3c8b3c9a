package files

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"io"
	"os"
)

// headSize is the number of bytes of a PNG file before the mark: the signature and the first
// chunk, which has the size.
const headSize = 8 + 25

// mark is the chunk that marks pictures of the program, a textual chunk of the PNG
// specification.
var mark = makeChunk("tEXt", "Software\x00corners (github.com/fastcorners/fast)")

// svgMark is the comment that begins the program's files in SVG.
const svgMark = "<!-- Software: corners (github.com/fastcorners/fast) -->\n"

// makeChunk returns a chunk of a PNG file.
func makeChunk(kind, data string) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	chunk = append(chunk, kind+data...)
	return binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
}

// encodePNG writes a picture with the mark.
func encodePNG(w io.Writer, picture image.Image) error {
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return encoder.Encode(&marker{w: w, head: headSize}, picture)
}

// A marker writes a PNG file to w and the mark into it.
type marker struct {
	w    io.Writer
	head int // number of bytes still to be written before the mark
}

func (m *marker) Write(p []byte) (int, error) {
	if m.head == 0 || len(p) < m.head {
		m.head -= min(m.head, len(p))
		return m.w.Write(p)
	}
	n, err := m.w.Write(p[:m.head])
	if err != nil {
		return n, err
	}
	if _, err := m.w.Write(mark); err != nil {
		return n, err
	}
	m.head = 0
	rest, err := m.w.Write(p[n:])
	return n + rest, err
}

// isDrawn reports whether a file is a picture that the program has drawn.
func isDrawn(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, headSize+len(mark))
	_, err = io.ReadFull(f, head)
	isPNG := bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")) && bytes.HasSuffix(head, mark)
	return err == nil && (isPNG || bytes.HasPrefix(head, []byte(svgMark)))
}
