// Package y4m reads and writes videos in the format YUV4MPEG2 (Y4M), which is uncompressed and
// which ffmpeg and the MJPEG tools write to pipes. This program prints how many corners each frame
// of a video has, whatever its format, if ffmpeg is installed:
//
//	package main
//
//	import (
//		"fmt"
//		"io"
//		"log"
//		"os"
//		"os/exec"
//
//		"github.com/fastcorners/fast"
//		"github.com/fastcorners/fast/y4m"
//	)
//
//	func main() {
//		ffmpeg := exec.Command("ffmpeg", "-v", "error", "-i", os.Args[1], "-f", "yuv4mpegpipe", "-pix_fmt", "yuv420p", "-")
//		ffmpeg.Stderr = os.Stderr
//		pipe, err := ffmpeg.StdoutPipe()
//		if err != nil {
//			log.Fatal(err)
//		}
//		if err := ffmpeg.Start(); err != nil {
//			log.Fatal(err)
//		}
//		video, err := y4m.NewReader(pipe)
//		if err != nil {
//			log.Fatal(err)
//		}
//		var frame y4m.Frame // whose memory each frame reuses
//		for number := 0; ; number++ {
//			err := video.Read(&frame)
//			if err == io.EOF {
//				break
//			}
//			if err != nil {
//				log.Fatal(err)
//			}
//			fmt.Println(number, len(fast.Detect(frame.Gray(), 40)))
//		}
//	}
//
// A stream begins with a line of parameters. Each frame is a line and its planes: luma, and chroma
// and alpha if there are any. Samples have 8 bits, or 9, 10, 12, 14 or 16 in two bytes, the lower
// one first, as ffmpeg writes them with -strict -1.
//
// # Limits
//
// The width and the height are at most 65,535, and lines have at most 4096 bytes. A Reader
// allocates no more than [Header.FrameSize] bytes for a Frame, so a program can check that before
// it reads one. Interlaced video is an error, and so is chroma of another layout than 4:2:0, 4:1:1,
// 4:2:2, 4:4:0, 4:4:4 and mono.
package y4m

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/internal/raster"
)

// Magic is what every stream begins with.
const Magic = "YUV4MPEG2 "

// frameMagic is how every frame begins.
const frameMagic = "FRAME"

// A Header describes the frames of a stream, as its first line does.
type Header struct {
	Width, Height int // in pixels
	layout        layout
	line          string // itself, with all parameters
}

// A layout says which planes a frame has.
type layout struct {
	gray  bool                      // there is no chroma
	ratio image.YCbCrSubsampleRatio // of chroma, unless gray
	alpha bool                      // a plane of alpha follows
	bits  int                       // of a sample
}

// layouts are those of the values of parameter C.
var layouts = func() map[string]layout {
	m := map[string]layout{
		"420":      {ratio: image.YCbCrSubsampleRatio420, bits: 8},
		"411":      {ratio: image.YCbCrSubsampleRatio411, bits: 8},
		"422":      {ratio: image.YCbCrSubsampleRatio422, bits: 8},
		"440":      {ratio: image.YCbCrSubsampleRatio440, bits: 8},
		"444":      {ratio: image.YCbCrSubsampleRatio444, bits: 8},
		"444alpha": {ratio: image.YCbCrSubsampleRatio444, bits: 8, alpha: true},
		"mono":     {gray: true, bits: 8},
	}
	for _, place := range []string{"jpeg", "mpeg2", "paldv"} { // of chroma
		m["420"+place] = m["420"]
	}
	for name, before := range map[string]string{"420": "p", "422": "p", "444": "p", "mono": ""} {
		l := m[name]
		for _, l.bits = range []int{9, 10, 12, 14, 16} {
			m[name+before+strconv.Itoa(l.bits)] = l
		}
	}
	return m
}()

// maxLine is the largest number of bytes of the line of a stream or a frame.
const maxLine = 4096

// maxSide is the largest width and height.
const maxSide = math.MaxUint16

// parseHeader reads the first line.
func parseHeader(line string) (Header, error) {
	rest, ok := strings.CutPrefix(line, Magic)
	if !ok {
		return Header{}, errors.New("y4m: not a YUV4MPEG2 stream")
	}
	h := Header{layout: layouts["420"], line: line}
	for _, p := range strings.Fields(rest) {
		value := p[1:]
		switch p[0] {
		case 'W', 'H':
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > maxSide {
				return Header{}, fmt.Errorf("y4m: the side %q is not from 1 to %d", p, maxSide)
			}
			if p[0] == 'W' {
				h.Width = n
			} else {
				h.Height = n
			}
		case 'C':
			if h.layout, ok = layouts[value]; !ok {
				return Header{}, fmt.Errorf("y4m: the color space %q is unknown: convert the video before, for example with ffmpeg -pix_fmt yuv420p", value)
			}
		case 'I':
			switch value { // others are progressive (p) or not known
			case "t", "b", "m":
				return Header{}, fmt.Errorf("y4m: the video is interlaced (%s): deinterlace it before", p)
			}
		}
	}
	if h.Width == 0 || h.Height == 0 {
		return Header{}, errors.New("y4m: the stream has no width or no height")
	}
	return h, nil
}

// Rate returns how many frames the stream has in a second, or 0 if it does not tell.
func (h Header) Rate() float64 {
	for _, p := range strings.Fields(h.line) {
		value, ok := strings.CutPrefix(p, "F")
		if !ok {
			continue
		}
		over, under, _ := strings.Cut(value, ":")
		frames, err := strconv.ParseUint(over, 10, 32)
		seconds, err2 := strconv.ParseUint(under, 10, 32)
		if err == nil && err2 == nil && seconds > 0 {
			return float64(frames) / float64(seconds)
		}
	}
	return 0
}

// FrameSize returns the number of bytes that a Frame takes.
func (h Header) FrameSize() int {
	if h.deep() {
		return 3 * h.samples() // with their upper bits
	}
	return h.samples()
}

// deep reports whether samples have more than 8 bits, and two bytes.
func (h Header) deep() bool {
	return h.layout.bits > 8
}

// samples returns the number of samples of a frame.
func (h Header) samples() int {
	luma, chroma := h.planes()
	n := luma + 2*chroma
	if h.layout.alpha {
		n += luma
	}
	return n
}

// planes returns the numbers of samples of luma and of each plane of chroma.
func (h Header) planes() (luma, chroma int) {
	if !h.layout.gray {
		size := h.chroma()
		chroma = size.X * size.Y
	}
	return h.Width * h.Height, chroma
}

// chroma returns the size of the planes of chroma, of streams that have them.
func (h Header) chroma() image.Point {
	x, y := h.spacing()
	return image.Pt((h.Width+x-1)/x, (h.Height+y-1)/y)
}

// spacing returns how many columns and rows of luma a sample of chroma has.
func (h Header) spacing() (x, y int) {
	switch h.layout.ratio {
	case image.YCbCrSubsampleRatio420:
		return 2, 2
	case image.YCbCrSubsampleRatio422:
		return 2, 1
	case image.YCbCrSubsampleRatio440:
		return 1, 2
	case image.YCbCrSubsampleRatio411:
		return 4, 1
	}
	return 1, 1
}

// A Frame is a frame of a stream. The zero value is ready for [Reader.Read].
type Frame struct {
	header Header
	params []byte // the rest of the line of the frame
	// pix are the planes, whose rows follow each other without a gap: luma, then chroma and
	// alpha if there are any. Samples of more than 8 bits have their upper byte first, as those
	// of package image.
	pix []byte
	// upper are the upper 8 bits of samples that have more: those of luma, and of chroma when
	// they are asked for.
	upper []byte
}

// Gray returns the luma of f, of which it shares the pixels, or the upper 8 bits of a luma that has
// more, as it was read. f must have been read.
func (f *Frame) Gray() *image.Gray {
	w, h := f.header.Width, f.header.Height
	return &image.Gray{Pix: f.shallow()[:w*h], Stride: w, Rect: image.Rect(0, 0, w, h)}
}

// shallow returns the samples, or their upper 8 bits.
func (f *Frame) shallow() []byte {
	if f.header.deep() {
		return f.upper
	}
	return f.pix
}

// Image returns f, of which it shares the pixels, or the upper 8 bits of a frame that has more, as
// it was read: an *image.Gray or an *image.YCbCr, without alpha. f must have been read.
func (f *Frame) Image() image.Image {
	y := f.Gray()
	if f.header.layout.gray {
		return y
	}
	luma, chroma := f.header.planes()
	pix := f.shallow()
	if f.header.deep() {
		f.header.narrow(pix[luma:], f.pix[2*luma:])
	}
	return &image.YCbCr{
		Y: y.Pix, Cb: pix[luma:][:chroma], Cr: pix[luma+chroma:][:chroma], YStride: y.Stride, CStride: f.header.chroma().X,
		SubsampleRatio: f.header.layout.ratio, Rect: y.Rect,
	}
}

// A DeepPlane is a plane of samples that have more than 8 bits.
type DeepPlane struct {
	image.Gray16      // with values from 0 to 1<<Bits - 1
	Columns, Rows int // the size of a sample, in samples of luma
	Bits          int // of a sample, 9 to 16
}

// Deep returns the planes of a frame whose samples have more than 8 bits: luma, and chroma if there
// is any. They share the pixels of f. It returns nil if samples have 8 bits.
func (f *Frame) Deep() []DeepPlane {
	if !f.header.deep() {
		return nil
	}
	size := image.Pt(f.header.Width, f.header.Height)
	pix := f.pix
	plane := func(size image.Point, columns, rows int) DeepPlane {
		p := DeepPlane{image.Gray16{Stride: 2 * size.X, Rect: image.Rectangle{Max: size}}, columns, rows, f.header.layout.bits}
		p.Pix, pix = pix[:p.Stride*size.Y], pix[p.Stride*size.Y:]
		return p
	}
	planes := []DeepPlane{plane(size, 1, 1)}
	if !f.header.layout.gray {
		size := f.header.chroma()
		x, y := f.header.spacing()
		planes = append(planes, plane(size, x, y), plane(size, x, y))
	}
	return planes
}

// Alpha returns the alpha of f, of which it shares the pixels, or nil if f has none.
func (f *Frame) Alpha() *image.Gray {
	if !f.header.layout.alpha {
		return nil
	}
	y := f.Gray()
	y.Pix = f.pix[len(f.pix)-len(y.Pix):]
	return y
}

// Like makes f a frame of the same stream as g, whose samples have arbitrary values, for a program
// that sets them and writes f. It reuses the memory of f.
func (f *Frame) Like(g *Frame) {
	f.header = g.header
	f.params = append(f.params[:0], g.params...)
	f.pix = raster.Resize(f.pix, len(g.pix))
}

// A Reader reads a stream. Create one with NewReader.
type Reader struct {
	r      *bufio.Reader
	header Header
	frames int
}

// NewReader reads the first line of r and returns a Reader of the frames. It fails if r is not a
// stream, or one that this package does not read.
func NewReader(r io.Reader) (*Reader, error) {
	br := bufio.NewReaderSize(r, maxLine)
	text, err := readLine(br)
	line := string(text)
	switch {
	case err == nil:
	case !strings.HasPrefix(line, Magic) && (err == io.EOF || err == io.ErrUnexpectedEOF || err == errLine):
		// It is something else, as parseHeader says.
	default:
		return nil, err
	}
	h, err := parseHeader(line)
	if err != nil {
		return nil, err
	}
	return &Reader{r: br, header: h}, nil
}

// Header returns the Header of the stream.
func (r *Reader) Header() Header {
	return r.header
}

var errLine = errors.New("y4m: a line is too long")

// readLine returns a line without its end, and io.ErrUnexpectedEOF with what there is if it has
// none. The line is valid until the next one is read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case err == nil:
		return line[:len(line)-1], nil
	case err == bufio.ErrBufferFull:
		err = errLine
	case err == io.EOF && len(line) > 0:
		err = io.ErrUnexpectedEOF
	}
	return line, err
}

// Read reads the next frame into f, whose memory it reuses. The error is io.EOF after the last
// frame, and io.ErrUnexpectedEOF if the stream ends in the middle of one. After an error, f must
// not be used.
func (r *Reader) Read(f *Frame) error {
	line, err := readLine(r.r)
	if err != nil {
		return err
	}
	params, ok := bytes.CutPrefix(line, []byte(frameMagic))
	if !ok || len(params) > 0 && params[0] != ' ' {
		return fmt.Errorf("y4m: there is no frame where frame %d should begin", r.frames)
	}
	h := r.header
	f.header = h
	f.params = append(f.params[:0], params...)
	size := h.samples()
	if h.deep() {
		f.upper = raster.Resize(f.upper, size)
		size *= 2
	}
	f.pix = raster.Resize(f.pix, size)
	if _, err := io.ReadFull(r.r, f.pix); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	if h.deep() {
		if all := swap(f.pix, f.pix); all>>h.layout.bits != 0 {
			return fmt.Errorf("y4m: frame %d has samples of more than %d bits", r.frames, h.layout.bits)
		}
		luma, _ := h.planes()
		h.narrow(f.upper[:luma], f.pix)
	}
	r.frames++
	return nil
}

// swap writes samples of two bytes to dst, each with its bytes in the other order. It returns the
// bits that any of dst has.
func swap(dst, src []byte) uint16 {
	const lower = 0x00ff00ff00ff00ff
	all := uint64(0)
	for len(src) >= 8 {
		v := binary.BigEndian.Uint64(src)
		v = v>>8&lower | v&lower<<8
		binary.BigEndian.PutUint64(dst, v)
		all |= v
		dst, src = dst[8:], src[8:]
	}
	for len(src) > 0 {
		v := binary.LittleEndian.Uint16(src)
		binary.BigEndian.PutUint16(dst, v)
		all |= uint64(v)
		dst, src = dst[2:], src[2:]
	}
	return uint16(all | all>>16 | all>>32 | all>>48)
}

// narrow writes the upper 8 bits of samples that have two bytes to dst.
func (h Header) narrow(dst, src []byte) {
	shift := h.layout.bits - 8
	src = src[:2*len(dst)]
	for len(dst) >= 4 {
		v := binary.BigEndian.Uint64(src) >> shift & 0x00ff00ff00ff00ff
		v = (v | v>>8) & 0x0000ffff0000ffff
		binary.BigEndian.PutUint32(dst, uint32(v|v>>16))
		dst, src = dst[4:], src[8:]
	}
	for i := range dst {
		dst[i] = byte(binary.BigEndian.Uint16(src[2*i:]) >> shift)
	}
}

// A Writer writes a stream. Create one with NewWriter.
type Writer struct {
	w       io.Writer
	line    []byte
	swapped []byte // samples, as they are written
}

// swappedSize is how many bytes of samples are swapped before they are written.
const swappedSize = 1 << 16

// NewWriter writes the first line of a stream to w and returns a Writer of the frames. The stream
// has all parameters of the one whose Header is h.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	_, err := io.WriteString(w, h.line+"\n")
	return &Writer{w: w}, err
}

// Write writes f, which must have the layout of the stream, with the parameters of its own that it
// was read with.
func (w *Writer) Write(f *Frame) error {
	w.line = append(append(append(w.line[:0], frameMagic...), f.params...), '\n')
	if _, err := w.w.Write(w.line); err != nil {
		return err
	}
	if f.header.deep() {
		return w.writeDeep(f.pix)
	}
	_, err := w.w.Write(f.pix)
	return err
}

// writeDeep writes samples of two bytes.
func (w *Writer) writeDeep(pix []byte) error {
	w.swapped = raster.Resize(w.swapped, swappedSize)
	for len(pix) > 0 {
		n := min(len(pix), len(w.swapped))
		swap(w.swapped, pix[:n])
		if _, err := w.w.Write(w.swapped[:n]); err != nil {
			return err
		}
		pix = pix[n:]
	}
	return nil
}
