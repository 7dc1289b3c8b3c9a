package batch

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/fastcorners/fast/match"
)

// A piece is a file with the rows of a group, features and dead letters, until all rows of its
// shard are written. Each row is a byte that tells its table, the length, 4 bytes, and the row.
// The last one has the checksum of all bytes before it.
type piece struct {
	fs     filesystem.Interface
	dir    string
	draft  string // the path of the file while it is written
	cancel context.CancelFunc
	file   io.WriteCloser
	buffer *bufio.Writer
	sum    uint32
	row    []byte
}

// The bytes that tell the table of a row.
const (
	featuresRow byte = iota
	deadRow
	lastRow
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errDamaged is the error of a piece that is not as it was written.
var errDamaged = errors.New("a damaged piece")

// createPiece begins a piece in the directory of a group. The caller must close or abort it.
func createPiece(ctx context.Context, fs filesystem.Interface, dir string) (*piece, error) {
	p := &piece{fs: fs, dir: dir, draft: join(dir, draftPrefix+rand.Text())}
	ctx, p.cancel = context.WithCancel(ctx)
	var err error
	p.file, err = fs.OpenWrite(ctx, p.draft)
	if notFound(err) { // another run has removed the directory at the wrong moment
		p.file, err = fs.OpenWrite(ctx, p.draft)
	}
	if err != nil {
		p.cancel()
		return nil, fmt.Errorf("%s: %w", p.draft, reason(err))
	}
	p.buffer = bufio.NewWriterSize(p.file, 1<<18)
	return p, nil
}

func (p *piece) write(table byte, row interface{ appendTo([]byte) []byte }) error {
	p.row = row.appendTo(append(p.row[:0], table, 0, 0, 0, 0))
	if len(p.row)-5 > math.MaxInt32 {
		return fmt.Errorf("%s: a row of %d bytes", p.dir, len(p.row))
	}
	binary.LittleEndian.PutUint32(p.row[1:], uint32(len(p.row)-5))
	p.sum = crc32.Update(p.sum, castagnoli, p.row)
	if _, err := p.buffer.Write(p.row); err != nil {
		return fmt.Errorf("%s: %w", p.draft, reason(err))
	}
	return nil
}

// A checksum is the last row of a piece.
type checksum uint32

func (c checksum) appendTo(row []byte) []byte {
	return binary.LittleEndian.AppendUint32(row, uint32(c))
}

// close ends the piece, which then has the given name.
func (p *piece) close(ctx context.Context, name string) error {
	defer p.cancel()
	path := join(p.dir, name)
	err := errors.Join(p.write(lastRow, checksum(p.sum)), p.buffer.Flush())
	if upload, ok := p.file.(*upload); ok {
		upload.name = path
	}
	err = errors.Join(err, p.file.Close())
	if renamer, ok := p.fs.(filesystem.Renamer); ok && err == nil {
		err = renamer.Rename(ctx, p.draft, path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, reason(err))
	}
	return nil
}

// abort abandons the piece.
func (p *piece) abort(ctx context.Context) {
	p.cancel()
	p.file.Close()
	if _, ok := p.fs.(filesystem.Renamer); ok { // else there is none
		remove(context.WithoutCancel(ctx), p.fs, p.draft)
	}
}

// readPiece calls found for each row of a piece.
func readPiece(r io.Reader, found func(table byte, row []byte) error) error {
	in := bufio.NewReaderSize(r, 1<<18)
	var row []byte
	var sum uint32
	for {
		var head [5]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return damaged(err)
		}
		n := int(binary.LittleEndian.Uint32(head[1:]))
		if head[0] == lastRow && n != 4 || head[0] > lastRow || n > math.MaxInt32 {
			return errDamaged
		}
		// Memory is for what there is, whatever the length says.
		row = row[:0]
		for len(row) < n {
			at := len(row)
			row = slices.Grow(row, min(n-at, 1<<20))[:at+min(n-at, 1<<20)]
			if _, err := io.ReadFull(in, row[at:]); err != nil {
				return damaged(err)
			}
		}
		if head[0] == lastRow {
			if _, err := in.ReadByte(); binary.LittleEndian.Uint32(row) != sum || err == nil {
				return errDamaged
			}
			return nil
		}
		sum = crc32.Update(crc32.Update(sum, castagnoli, head[:]), castagnoli, row)
		if err := found(head[0], row); err != nil {
			return err
		}
	}
}

// readRowsOf calls emit and bury for the rows of a piece. It removes one that is damaged, as by a
// machine that has failed, so that the next run does the group again.
func readRowsOf[R feature](ctx context.Context, fs filesystem.Interface, path string, emit func(R) error, bury func(DeadLetter) error) error {
	file, _, err := openAt(ctx, fs, path)
	if err != nil {
		return err
	}
	defer file.Close()
	err = readPiece(file, func(table byte, row []byte) error {
		if table == deadRow {
			d, err := parseDead(row)
			if err != nil {
				return err
			}
			return bury(d)
		}
		r, err := parseFeature[R](row)
		if err != nil {
			return err
		}
		return emit(r)
	})
	if errors.Is(err, errDamaged) {
		err = errors.Join(err, remove(ctx, fs, path))
	}
	return err
}

// damaged returns the error of reading a piece, which is damaged if it ends too early.
func damaged(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", errDamaged, io.ErrUnexpectedEOF)
	}
	return err
}

// A feature is a row of a piece, but for dead letters.
type feature interface {
	Keypoints | SIFTKeypoints | Corners | Tags | Matches
	Row
	appendTo(row []byte) []byte
}

// parseFeature returns what appendTo has written.
func parseFeature[R feature](row []byte) (r R, err error) {
	p := parser{row: row}
	switch r := any(&r).(type) {
	case *Keypoints:
		r.parse(&p)
	case *SIFTKeypoints:
		r.parse(&p)
	case *Corners:
		r.Name, r.Width, r.Height = p.text(), p.int32(), p.int32()
		r.Corners = make([]Corner, p.count(6*4))
		for i := range r.Corners {
			r.Corners[i] = Corner{p.int32(), p.int32(), p.float32(), p.float32(), p.float32(), p.int32()}
		}
	case *Tags:
		r.Name, r.Width, r.Height = p.text(), p.int32(), p.int32()
		r.Tags = make([]Tag, p.count(4*4+10*8))
		for i := range r.Tags {
			r.Tags[i] = Tag{
				p.text(), p.int32(), p.float64(), p.float64(), p.float64(), p.float64(), p.float64(), p.float64(), p.float64(), p.float64(),
				p.int32(), p.float64(), p.float64(), p.int32() != 0,
			}
		}
	case *Matches:
		r.Query, r.Train = p.text(), p.text()
		r.Matches = make([]DescriptorMatch, p.count(3*4))
		for i := range r.Matches {
			r.Matches[i] = DescriptorMatch{p.int32(), p.int32(), p.int32()}
		}
	}
	return r, p.end()
}

func (k *KeypointsOf[D]) parse(p *parser) {
	var d D
	k.Name, k.Width, k.Height = p.text(), p.int32(), p.int32()
	k.Keypoints = make([]KeypointOf[D], p.count(6*4+len(d)))
	for i := range k.Keypoints {
		k.Keypoints[i] = KeypointOf[D]{p.float32(), p.float32(), p.float32(), p.float32(), p.float32(), p.int32(), D(p.next(len(d)))}
	}
}

func (k KeypointsOf[D]) appendTo(row []byte) []byte {
	row = appendInts(appendText(row, k.Name), k.Width, k.Height, int32(len(k.Keypoints)))
	for i := range k.Keypoints {
		p := &k.Keypoints[i]
		row = appendInts(appendFloats(row, p.X, p.Y, p.Size, p.Angle, p.Response), p.Octave)
		row = append(row, bytesOf(&p.Descriptor)...)
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

func (t Tags) appendTo(row []byte) []byte {
	row = appendInts(appendText(row, t.Name), t.Width, t.Height, int32(len(t.Tags)))
	for i := range t.Tags {
		p := &t.Tags[i]
		row = appendInts(appendText(row, p.Family), p.ID)
		row = appendInts(appendDoubles(row, p.X0, p.Y0, p.X1, p.Y1, p.X2, p.Y2, p.X3, p.Y3), p.Corrected)
		row = appendDoubles(row, p.Noise, p.Misfit)
		hidden := int32(0)
		if p.Hidden {
			hidden = 1
		}
		row = appendInts(row, hidden)
	}
	return row
}

func (m Matches) appendTo(row []byte) []byte {
	row = appendInts(appendText(appendText(row, m.Query), m.Train), int32(len(m.Matches)))
	for _, d := range m.Matches {
		row = appendInts(row, d.Query, d.Train, d.Distance)
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

func appendDoubles(row []byte, values ...float64) []byte {
	for _, v := range values {
		row = binary.LittleEndian.AppendUint64(row, math.Float64bits(v))
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
		return make([]byte, max(0, min(n, len(match.Vector{}))))
	}
	value := p.row[:n]
	p.row = p.row[n:]
	return value
}

func (p *parser) int32() int32     { return int32(binary.LittleEndian.Uint32(p.next(4))) }
func (p *parser) float32() float32 { return math.Float32frombits(uint32(p.int32())) }
func (p *parser) float64() float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(p.next(8)))
}
func (p *parser) text() string { return string(p.next(int(p.int32()))) }

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
		return fmt.Errorf("%w: a damaged row", errDamaged)
	}
	return nil
}
