package batch

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// A piece is a file with the rows of a group, features and dead letters, until all rows of its
// shard are written. Each row is a byte that tells its table, the length, 4 bytes, and the row.
type piece struct {
	fs     filesystem.Interface
	path   string
	name   string // while it is written, where files appear before they are complete
	cancel context.CancelFunc
	file   io.WriteCloser
	buffer *bufio.Writer
	row    []byte
}

// The bytes that tell the table of a row.
const (
	featuresRow byte = iota
	deadRow
)

// createPiece begins a piece. The caller must close or abort it.
func createPiece(ctx context.Context, fs filesystem.Interface, path string) (*piece, error) {
	p := &piece{fs: fs, path: path, name: path}
	if _, ok := fs.(filesystem.Renamer); ok {
		p.name = path + "-" + rand.Text()
	}
	ctx, p.cancel = context.WithCancel(ctx)
	var err error
	if p.file, err = fs.OpenWrite(ctx, p.name); err != nil {
		p.cancel()
		return nil, fmt.Errorf("%s: %w", path, reason(err))
	}
	p.buffer = bufio.NewWriterSize(p.file, 1<<18)
	return p, nil
}

func (p *piece) write(table byte, row interface{ appendTo([]byte) []byte }) error {
	p.row = row.appendTo(append(p.row[:0], table, 0, 0, 0, 0))
	if len(p.row)-5 > math.MaxInt32 {
		return fmt.Errorf("%s: a row of %d bytes", p.path, len(p.row))
	}
	binary.LittleEndian.PutUint32(p.row[1:], uint32(len(p.row)-5))
	if _, err := p.buffer.Write(p.row); err != nil {
		return fmt.Errorf("%s: %w", p.path, reason(err))
	}
	return nil
}

// close ends the piece, which then has its name.
func (p *piece) close(ctx context.Context) error {
	err := errors.Join(p.buffer.Flush(), p.file.Close())
	p.cancel()
	if renamer, ok := p.fs.(filesystem.Renamer); ok && err == nil {
		err = renamer.Rename(ctx, p.name, p.path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.path, reason(err))
	}
	return nil
}

// abort abandons the piece.
func (p *piece) abort() {
	p.cancel()
	p.file.Close()
}

// readPiece calls found for each row of a piece.
func readPiece(r io.Reader, found func(table byte, row []byte) error) error {
	in := bufio.NewReaderSize(r, 1<<18)
	var row []byte
	for {
		var head [5]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		n := int(binary.LittleEndian.Uint32(head[1:]))
		if cap(row) < n {
			row = make([]byte, n)
		}
		row = row[:n]
		if _, err := io.ReadFull(in, row); err != nil {
			return err
		}
		if err := found(head[0], row); err != nil {
			return err
		}
	}
}

// A feature is a row of features.
type feature interface {
	Keypoints | Corners
	Row
	appendTo(row []byte) []byte
}

// parseFeature returns what appendTo has written.
func parseFeature[R feature](row []byte) (r R, err error) {
	p := parser{row: row}
	switch r := any(&r).(type) {
	case *Keypoints:
		r.Name, r.Width, r.Height = p.text(), p.int32(), p.int32()
		r.Keypoints = make([]Keypoint, p.count(6*4+len(Keypoint{}.Descriptor)))
		for i := range r.Keypoints {
			r.Keypoints[i] = Keypoint{p.float32(), p.float32(), p.float32(), p.float32(), p.float32(), p.int32(), [32]byte(p.next(32))}
		}
	case *Corners:
		r.Name, r.Width, r.Height = p.text(), p.int32(), p.int32()
		r.Corners = make([]Corner, p.count(6*4))
		for i := range r.Corners {
			r.Corners[i] = Corner{p.int32(), p.int32(), p.float32(), p.float32(), p.float32(), p.int32()}
		}
	}
	return r, p.end()
}

func (k Keypoints) appendTo(row []byte) []byte {
	row = appendInts(appendText(row, k.Name), k.Width, k.Height, int32(len(k.Keypoints)))
	for i := range k.Keypoints {
		p := &k.Keypoints[i]
		row = appendInts(appendFloats(row, p.X, p.Y, p.Size, p.Angle, p.Response), p.Octave)
		row = append(row, p.Descriptor[:]...)
	}
	return row
}

func (c Corners) appendTo(row []byte) []byte {
	row = appendInts(appendText(row, c.Name), c.Width, c.Height, int32(len(c.Corners)))
	for i := range c.Corners {
		p := &c.Corners[i]
		row = appendInts(appendFloats(appendInts(row, p.X, p.Y), p.Response, p.DX, p.DY), p.KernelSize)
	}
	return row
}

func (d DeadLetter) appendTo(row []byte) []byte {
	return appendText(appendText(row, d.Name), d.Reason)
}

func parseDead(row []byte) (DeadLetter, error) {
	p := parser{row: row}
	d := DeadLetter{p.text(), p.text()}
	return d, p.end()
}

func appendText(row []byte, text string) []byte {
	return append(appendInts(row, int32(len(text))), text...)
}

func appendInts(row []byte, values ...int32) []byte {
	for _, v := range values {
		row = binary.LittleEndian.AppendUint32(row, uint32(v))
	}
	return row
}

func appendFloats(row []byte, values ...float32) []byte {
	for _, v := range values {
		row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
	}
	return row
}

// A parser takes values from the beginning of a row. Where the row ends too early they are 0.
type parser struct {
	row []byte
	bad bool
}

func (p *parser) next(n int) []byte {
	if n < 0 || n > len(p.row) {
		p.bad, p.row = true, nil
		n = max(0, min(n, 64))
		return make([]byte, n)
	}
	value := p.row[:n]
	p.row = p.row[n:]
	return value
}

func (p *parser) int32() int32     { return int32(binary.LittleEndian.Uint32(p.next(4))) }
func (p *parser) float32() float32 { return math.Float32frombits(uint32(p.int32())) }
func (p *parser) text() string     { return string(p.next(int(p.int32()))) }

// count takes the number of values that follow, of the given size.
func (p *parser) count(size int) int {
	n := int(p.int32())
	if n < 0 || n > len(p.row)/size {
		p.bad = true
		return 0
	}
	return n
}

func (p *parser) end() error {
	if p.bad || len(p.row) > 0 {
		return errors.New("a damaged row")
	}
	return nil
}
