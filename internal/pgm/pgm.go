// Package pgm decodes binary portable graymaps, the PGM files whose magic
// number is P5. Importing it registers the format with package image.
package pgm

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
	image.RegisterFormat("pgm", "P5", Decode, DecodeConfig)
}

// Decode reads a graymap from r: an *image.Gray, or an *image.Gray16 when its
// maximum value exceeds 255. Values are scaled so that the maximum is white.
// Of a file with several graymaps it reads the first.
func Decode(r io.Reader) (image.Image, error) {
	br := bufio.NewReader(r)
	h, err := readHeader(br)
	if err != nil {
		return nil, err
	}
	pix, err := readPixels(br, h)
	if err != nil {
		return nil, err
	}
	rect := image.Rect(0, 0, h.width, h.height)
	if h.maxval > math.MaxUint8 {
		return &image.Gray16{Pix: pix, Stride: 2 * h.width, Rect: rect}, nil
	}
	return &image.Gray{Pix: pix, Stride: h.width, Rect: rect}, nil
}

// DecodeConfig returns the color model and the size of the graymap that r
// starts with.
func DecodeConfig(r io.Reader) (image.Config, error) {
	h, err := readHeader(bufio.NewReader(r))
	if err != nil {
		return image.Config{}, err
	}
	config := image.Config{ColorModel: color.GrayModel, Width: h.width, Height: h.height}
	if h.maxval > math.MaxUint8 {
		config.ColorModel = color.Gray16Model
	}
	return config, nil
}

// A header is what a graymap tells before its pixels.
type header struct {
	width, height int
	maxval        int // 1 to 65535
}

func readHeader(r *bufio.Reader) (header, error) {
	var magic [2]byte
	if _, err := io.ReadFull(r, magic[:]); err != nil || string(magic[:]) != "P5" {
		return header{}, errors.New("pgm: not a binary graymap")
	}
	var h header
	for _, field := range []struct {
		name  string
		value *int
		limit int
	}{
		{"width", &h.width, math.MaxInt32},
		{"height", &h.height, math.MaxInt32},
		{"maximum value", &h.maxval, math.MaxUint16},
	} {
		n, err := readNumber(r, field.limit)
		if err != nil {
			return header{}, fmt.Errorf("pgm: %s: %w", field.name, err)
		}
		*field.value = n
	}
	return h, nil
}

// readNumber reads a number from 1 to limit, white space before it, and the
// white space character that must follow it.
func readNumber(r *bufio.Reader, limit int) (int, error) {
	c, err := readByte(r)
	for err == nil && isSpace(c) {
		c, err = readByte(r)
	}
	n := 0
	for ; err == nil && isDigit(c); c, err = readByte(r) {
		digit := int(c - '0')
		if n > (limit-digit)/10 {
			return 0, fmt.Errorf("more than %d", limit)
		}
		n = 10*n + digit
	}
	switch {
	case err == io.EOF:
		return 0, io.ErrUnexpectedEOF
	case err != nil:
		return 0, err
	case !isSpace(c):
		return 0, fmt.Errorf("unexpected character %q", c)
	case n == 0:
		return 0, errors.New("not a positive number")
	}
	return n, nil
}

// readByte reads a byte of the header. A comment, from a number sign to the
// end of the line, counts as the character that ends the line.
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

// readPixels reads the pixels and scales them. Memory grows with what r
// delivers, not with what the header promises.
func readPixels(r io.Reader, h header) ([]byte, error) {
	size := int64(h.width) * int64(h.height)
	if h.maxval > math.MaxUint8 {
		size *= 2
	}
	if size > math.MaxInt {
		return nil, fmt.Errorf("pgm: %d x %d pixels are too many", h.width, h.height)
	}
	pix, err := io.ReadAll(io.LimitReader(r, size))
	if err != nil {
		return nil, fmt.Errorf("pgm: %w", err)
	}
	if int64(len(pix)) < size {
		return nil, fmt.Errorf("pgm: %w: %d of %d bytes of pixels", io.ErrUnexpectedEOF, len(pix), size)
	}
	if h.maxval > math.MaxUint8 {
		err = scale16(pix, h.maxval)
	} else {
		err = scale8(pix, h.maxval)
	}
	return pix, err
}

// scale8 scales values of one byte from 0..maxval to 0..255.
func scale8(pix []byte, maxval int) error {
	if maxval == math.MaxUint8 {
		return nil
	}
	for i, v := range pix {
		if int(v) > maxval {
			return errTooBright(int(v), maxval)
		}
		pix[i] = byte((int(v)*math.MaxUint8 + maxval/2) / maxval)
	}
	return nil
}

// scale16 scales big-endian values of two bytes from 0..maxval to 0..65535.
func scale16(pix []byte, maxval int) error {
	if maxval == math.MaxUint16 {
		return nil
	}
	for i := 0; i < len(pix); i += 2 {
		v := int64(binary.BigEndian.Uint16(pix[i:]))
		if v > int64(maxval) {
			return errTooBright(int(v), maxval)
		}
		v = (v*math.MaxUint16 + int64(maxval/2)) / int64(maxval)
		binary.BigEndian.PutUint16(pix[i:], uint16(v))
	}
	return nil
}

func errTooBright(v, maxval int) error {
	return fmt.Errorf("pgm: pixel value %d exceeds the maximum %d", v, maxval)
}
