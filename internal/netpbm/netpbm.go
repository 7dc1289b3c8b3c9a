// Package netpbm decodes portable bitmaps, graymaps and pixmaps: PBM, PGM and PPM files,
// plain ones (P1, P2, P3) and raw ones (P4, P5, P6). Importing it registers the formats
// with package image, as pbm, pgm and ppm.
package netpbm

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
)

func init() {
	for i, name := range []string{"pbm", "pgm", "ppm", "pbm", "pgm", "ppm"} {
		image.RegisterFormat(name, fmt.Sprint("P", i+1), Decode, DecodeConfig)
	}
}

// Decode reads an image from r: an *image.Gray of a bitmap or a graymap and an
// *image.RGBA of a pixmap or, when its maximum value exceeds 255, an *image.Gray16 or an
// *image.RGBA64. Values are scaled so that the maximum is white; in a bitmap, which has
// none, 1 is black. Of a file with several images it reads the first.
func Decode(r io.Reader) (image.Image, error) {
	br := bufio.NewReader(r)
	h, err := readHeader(br)
	if err != nil {
		return nil, err
	}
	samples, err := readSamples(br, h)
	if err != nil {
		return nil, err
	}
	rect := image.Rect(0, 0, h.width, h.height)
	switch {
	case h.kind == pixmap && h.sampleSize() == 2:
		return &image.RGBA64{Pix: addAlpha(samples, 6), Stride: 8 * h.width, Rect: rect}, nil
	case h.kind == pixmap:
		return &image.RGBA{Pix: addAlpha(samples, 3), Stride: 4 * h.width, Rect: rect}, nil
	case h.sampleSize() == 2:
		return &image.Gray16{Pix: samples, Stride: 2 * h.width, Rect: rect}, nil
	}
	return &image.Gray{Pix: samples, Stride: h.width, Rect: rect}, nil
}

// addAlpha returns pixels with alpha, which is opaque, of pixels of n bytes without.
func addAlpha(samples []byte, n int) []byte {
	pix := make([]byte, 0, len(samples)/3*4)
	opaque := []byte{0xff, 0xff}[:n/3]
	for ; len(samples) > 0; samples = samples[n:] {
		pix = append(append(pix, samples[:n]...), opaque...)
	}
	return pix
}

// DecodeConfig returns the color model and the size of the image that r starts with.
func DecodeConfig(r io.Reader) (image.Config, error) {
	h, err := readHeader(bufio.NewReader(r))
	if err != nil {
		return image.Config{}, err
	}
	models := [2]color.Model{color.GrayModel, color.Gray16Model}
	if h.kind == pixmap {
		models = [2]color.Model{color.RGBAModel, color.RGBA64Model}
	}
	return image.Config{ColorModel: models[h.sampleSize()-1], Width: h.width, Height: h.height}, nil
}

// The kinds of images.
const (
	bitmap = iota + 1
	graymap
	pixmap
)

// A header is what a file tells before its pixels.
type header struct {
	kind          int
	plain         bool // text, not bytes
	width, height int
	maxval        int // 1 to 65535
}

// sampleSize returns how many bytes a gray value or a channel of a color has, once it is
// decoded.
func (h header) sampleSize() int {
	if h.maxval > math.MaxUint8 {
		return 2
	}
	return 1
}

// channels returns how many samples a pixel has.
func (h header) channels() int {
	if h.kind == pixmap {
		return 3
	}
	return 1
}

func readHeader(r *bufio.Reader) (header, error) {
	var magic [2]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil || magic[0] != 'P' || magic[1] < '1' || magic[1] > '6' {
		return header{}, errors.New("netpbm: not a bitmap, graymap or pixmap")
	}
	number := int(magic[1] - '0')
	h := header{kind: (number-1)%3 + 1, plain: number <= 3, maxval: 1}
	fields := []struct {
		name  string
		value *int
		limit int
	}{
		{"width", &h.width, math.MaxInt32},
		{"height", &h.height, math.MaxInt32},
		{"maximum value", &h.maxval, math.MaxUint16},
	}
	if h.kind == bitmap {
		fields = fields[:2]
	}
	for _, field := range fields {
		n, err := readNumber(r, field.limit)
		if err == nil && n == 0 {
			err = errors.New("not a positive number")
		}
		if err != nil {
			return header{}, fmt.Errorf("netpbm: %s: %w", field.name, err)
		}
		*field.value = n
	}
	return h, nil
}

// readNumber reads a number from 0 to limit, white space before it, and the white space
// character that must follow it unless the file ends there.
func readNumber(r *bufio.Reader, limit int) (int, error) {
	c, err := readNext(r)
	n, digits := 0, 0
	for ; err == nil && isDigit(c); c, err = readByte(r) {
		digit := int(c - '0')
		if n > (limit-digit)/10 {
			return 0, fmt.Errorf("more than %d", limit)
		}
		n = 10*n + digit
		digits++
	}
	switch {
	case err == io.EOF && digits > 0:
		return n, nil
	case err == io.EOF:
		return 0, io.ErrUnexpectedEOF
	case err != nil:
		return 0, err
	case !isSpace(c) || digits == 0:
		return 0, fmt.Errorf("unexpected character %q", c)
	}
	return n, nil
}

// readNext reads white space and the byte after it.
func readNext(r *bufio.Reader) (byte, error) {
	c, err := readByte(r)
	for err == nil && isSpace(c) {
		c, err = readByte(r)
	}
	return c, err
}

// readByte reads a byte of text. A comment, from a number sign to the end of the line,
// counts as the character that ends the line.
func readByte(r *bufio.Reader) (byte, error) {
	c, err := r.ReadByte()
	if c == '#' {
		for err == nil && c != '\n' && c != '\r' {
			c, err = r.ReadByte()
		}
	}
	return c, err
}

func isSpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r'
}

func isDigit(c byte) bool {
	return '0' <= c && c <= '9'
}

// readSamples reads all samples, row by row, and scales them. Memory grows with what r
// delivers, not with what the header promises.
func readSamples(r *bufio.Reader, h header) ([]byte, error) {
	count := int64(h.width) * int64(h.height)
	if count > math.MaxInt/8 { // 8 bytes are those of the largest pixel
		return nil, fmt.Errorf("netpbm: %d x %d pixels are too many", h.width, h.height)
	}
	count *= int64(h.channels())
	switch {
	case h.kind == bitmap && h.plain:
		return readDigits(r, count)
	case h.kind == bitmap:
		return readBits(r, h)
	}
	read := readRaw
	if h.plain {
		read = readPlain
	}
	samples, err := read(r, h, count)
	if err != nil {
		return nil, err
	}
	if h.sampleSize() == 2 {
		err = scale16(samples, h.maxval)
	} else {
		err = scale8(samples, h.maxval)
	}
	return samples, err
}

// readRaw reads samples of one byte, or of two in big-endian order.
func readRaw(r *bufio.Reader, h header, count int64) ([]byte, error) {
	return readBytes(r, count*int64(h.sampleSize()))
}

// readBytes reads n bytes.
func readBytes(r io.Reader, n int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, n))
	if err != nil {
		return nil, fmt.Errorf("netpbm: %w", err)
	}
	if int64(len(data)) < n {
		return nil, fmt.Errorf("netpbm: %w: %d of %d bytes of pixels", io.ErrUnexpectedEOF, len(data), n)
	}
	return data, nil
}

// readPlain reads samples that are written as numbers.
func readPlain(r *bufio.Reader, h header, count int64) ([]byte, error) {
	var samples []byte
	for i := range count {
		v, err := readNumber(r, math.MaxUint16)
		if err != nil {
			return nil, fmt.Errorf("netpbm: value %d of %d: %w", i+1, count, err)
		}
		if v > h.maxval {
			return nil, errTooBright(v, h.maxval)
		}
		if h.sampleSize() == 2 {
			samples = append(samples, byte(v>>8))
		}
		samples = append(samples, byte(v))
	}
	return samples, nil
}

// readDigits reads pixels that are written as 1 for black and 0 for white, which need no
// space between them.
func readDigits(r *bufio.Reader, count int64) ([]byte, error) {
	var pix []byte
	for i := range count {
		c, err := readNext(r)
		switch {
		case err == io.EOF:
			err = io.ErrUnexpectedEOF
		case err == nil && c != '0' && c != '1':
			err = fmt.Errorf("unexpected character %q", c)
		}
		if err != nil {
			return nil, fmt.Errorf("netpbm: value %d of %d: %w", i+1, count, err)
		}
		pix = append(pix, c-'1') // 0 or 255
	}
	return pix, nil
}

// readBits reads pixels that are bits, 1 for black, each row from a new byte on.
func readBits(r *bufio.Reader, h header) ([]byte, error) {
	stride := (h.width + 7) / 8
	bits, err := readBytes(r, int64(stride)*int64(h.height))
	if err != nil {
		return nil, err
	}
	pix := make([]byte, 0, h.width*h.height)
	for ; len(bits) > 0; bits = bits[stride:] {
		for x := range h.width {
			pix = append(pix, bits[x/8]>>(7-x%8)&1-1)
		}
	}
	return pix, nil
}

// scale8 scales values of one byte from 0..maxval to 0..255.
func scale8(samples []byte, maxval int) error {
	if maxval == math.MaxUint8 {
		return nil
	}
	for i, v := range samples {
		if int(v) > maxval {
			return errTooBright(int(v), maxval)
		}
		samples[i] = byte((int(v)*math.MaxUint8 + maxval/2) / maxval)
	}
	return nil
}

// scale16 scales big-endian values of two bytes from 0..maxval to 0..65535.
func scale16(samples []byte, maxval int) error {
	if maxval == math.MaxUint16 {
		return nil
	}
	for i := 0; i < len(samples); i += 2 {
		v := int64(binary.BigEndian.Uint16(samples[i:]))
		if v > int64(maxval) {
			return errTooBright(int(v), maxval)
		}
		v = (v*math.MaxUint16 + int64(maxval/2)) / int64(maxval)
		binary.BigEndian.PutUint16(samples[i:], uint16(v))
	}
	return nil
}

func errTooBright(v, maxval int) error {
	return fmt.Errorf("netpbm: pixel value %d exceeds the maximum %d", v, maxval)
}
