// Package y4m reads and writes videos in the format YUV4MPEG2 (Y4M), which is uncompressed and
// which ffmpeg and the MJPEG tools write to pipes: a line with the parameters of the stream, and
// for each frame a line and the planes. Samples have 8 bits.
package y4m

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/internal/raster"
)

// Magic is how every stream begins.
const Magic = "YUV4MPEG2 "

// frameMagic is how every frame begins.
const frameMagic = "FRAME"

// A Header is what the first line of a stream tells.
type Header struct {
	Width, Height int // in pixels, up to 1<<16 - 1
	layout        layout
	line          string // itself, with all parameters
}

// A layout says which planes a frame has.
type layout struct {
	gray  bool                      // there is no chroma
	ratio image.YCbCrSubsampleRatio // of chroma, unless gray
	alpha bool                      // a plane of alpha follows
}

// layouts are those of the values of parameter C.
var layouts = map[string]layout{
	"420":      {ratio: image.YCbCrSubsampleRatio420},
	"420jpeg":  {ratio: image.YCbCrSubsampleRatio420},
	"420mpeg2": {ratio: image.YCbCrSubsampleRatio420},
	"420paldv": {ratio: image.YCbCrSubsampleRatio420},
	"411":      {ratio: image.YCbCrSubsampleRatio411},
	"422":      {ratio: image.YCbCrSubsampleRatio422},
	"440":      {ratio: image.YCbCrSubsampleRatio440},
	"444":      {ratio: image.YCbCrSubsampleRatio444},
	"444alpha": {ratio: image.YCbCrSubsampleRatio444, alpha: true},
	"mono":     {gray: true},
}

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
				return Header{}, fmt.Errorf("y4m: the color space %q is none of 8 bits that this program knows", value)
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

// FrameSize returns the number of bytes of the pixels of a frame.
func (h Header) FrameSize() int {
	luma, chroma := h.planes()
	size := luma + 2*chroma
	if h.layout.alpha {
		size += luma
	}
	return size
}

// planes returns the sizes of the plane of luma and of each of those of chroma, in bytes.
func (h Header) planes() (luma, chroma int) {
	luma = h.Width * h.Height
	if !h.layout.gray {
		w, height := h.chroma()
		chroma = w * height
	}
	return luma, chroma
}

// chroma returns the width and height of the planes of chroma, of streams that have them.
func (h Header) chroma() (width, height int) {
	switch h.layout.ratio {
	case image.YCbCrSubsampleRatio420:
		return (h.Width + 1) / 2, (h.Height + 1) / 2
	case image.YCbCrSubsampleRatio422:
		return (h.Width + 1) / 2, h.Height
	case image.YCbCrSubsampleRatio440:
		return h.Width, (h.Height + 1) / 2
	case image.YCbCrSubsampleRatio411:
		return (h.Width + 3) / 4, h.Height
	}
	return h.Width, h.Height
}

// A Frame is an image of a stream.
type Frame struct {
	header Header
	params []byte // the rest of the line of the frame
	// pix are the planes, whose rows follow each other without a gap: luma, then chroma and
	// alpha if there are any.
	pix []byte
}

// Gray returns the luma of the frame as an image that shares its pixels.
func (f *Frame) Gray() *image.Gray {
	w, h := f.header.Width, f.header.Height
	return &image.Gray{Pix: f.pix[:w*h], Stride: w, Rect: image.Rect(0, 0, w, h)}
}

// Image returns the frame as an image that shares its pixels: an *image.Gray or an *image.YCbCr,
// without alpha.
func (f *Frame) Image() image.Image {
	y := f.Gray()
	if f.header.layout.gray {
		return y
	}
	luma, chroma := f.header.planes()
	stride, _ := f.header.chroma()
	return &image.YCbCr{
		Y: y.Pix, Cb: f.pix[luma:][:chroma], Cr: f.pix[luma+chroma:][:chroma], YStride: y.Stride, CStride: stride,
		SubsampleRatio: f.header.layout.ratio, Rect: y.Rect,
	}
}

// Alpha returns the alpha of the frame as an image that shares its pixels, or nil if it has none.
func (f *Frame) Alpha() *image.Gray {
	if !f.header.layout.alpha {
		return nil
	}
	y := f.Gray()
	y.Pix = f.pix[len(f.pix)-len(y.Pix):]
	return y
}

// Like makes f a frame of the stream of g, with its parameters and pixels of any value. It uses
// the memory of f if f has been such a frame before.
func (f *Frame) Like(g *Frame) {
	f.header = g.header
	f.params = append(f.params[:0], g.params...)
	f.pix = raster.Resize(f.pix, len(g.pix))
}

// A Reader reads a stream.
type Reader struct {
	r      *bufio.Reader
	header Header
	frames int
}

// NewReader returns a Reader after it has read the first line of r.
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

// Header returns what the first line tells.
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

// Read reads the next frame into f, whose memory it uses if f has been read from a stream of
// this kind before. The error is io.EOF after the last frame, and io.ErrUnexpectedEOF where the
// stream ends in the middle of one; f is not a frame then.
func (r *Reader) Read(f *Frame) error {
	line, err := readLine(r.r)
	if err != nil {
		return err
	}
	params, ok := bytes.CutPrefix(line, []byte(frameMagic))
	if !ok || len(params) > 0 && params[0] != ' ' {
		return fmt.Errorf("y4m: there is no frame where frame %d should begin", r.frames)
	}
	f.header = r.header
	f.params = append(f.params[:0], params...)
	f.pix = raster.Resize(f.pix, r.header.FrameSize())
	if _, err := io.ReadFull(r.r, f.pix); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	r.frames++
	return nil
}

// A Writer writes a stream.
type Writer struct {
	w    io.Writer
	line []byte
}

// NewWriter returns a Writer after it has written the first line of the stream to w, with all
// parameters that the header was read with.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	_, err := io.WriteString(w, h.line+"\n")
	return &Writer{w: w}, err
}

// Write writes a frame of such a stream, with the parameters that it was read with.
func (w *Writer) Write(f *Frame) error {
	w.line = append(append(append(w.line[:0], frameMagic...), f.params...), '\n')
	if _, err := w.w.Write(w.line); err != nil {
		return err
	}
	_, err := w.w.Write(f.pix)
	return err
}
