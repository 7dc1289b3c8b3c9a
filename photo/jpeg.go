package photo

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

// Markers of JPEG files.
const (
	markerSOI  = 0xd8 // start of the image
	markerEOI  = 0xd9 // end of the image
	markerSOS  = 0xda // start of a scan
	markerSOF2 = 0xc2 // header of a progressive frame
	markerAPP1 = 0xe1 // Exif, among others
)

// Libraries that read Exif are no longer maintained, or read all tags of all formats and would be a
// seventh of the program. These are two tags of one format.

// A jpegHeader is what a JPEG file contains before its pixels.
type jpegHeader struct {
	exif
	progressive bool
}

// An exif is what Exif tells about a photo. What it does not tell is 0.
type exif struct {
	orientation   int // 1 to 8
	focalLength35 int // in millimeters, of a camera for 35-mm film
}

// readJPEGHeader reads a JPEG file up to the header of the frame. What cannot be read counts as
// missing; errors in a file are left to the decoder.
func readJPEGHeader(r io.Reader) (h jpegHeader) {
	br := bufio.NewReader(r)
	if soi, err := br.Peek(2); err != nil || soi[0] != 0xff || soi[1] != markerSOI {
		return h
	}
	br.Discard(2)
	for {
		marker, length, err := readSegment(br)
		switch {
		case err != nil, marker == markerEOI, marker == markerSOS:
			return h
		case isFrame(marker):
			h.progressive = marker == markerSOF2
			return h
		case marker == markerAPP1 && h.exif == exif{}:
			data := make([]byte, length)
			if _, err := io.ReadFull(br, data); err != nil {
				return h
			}
			h.exif = readExif(data)
		default:
			br.Discard(length)
		}
	}
}

// readSegment reads the marker of a segment and the length of the data that follows.
func readSegment(r *bufio.Reader) (marker byte, length int, err error) {
	// Before a marker there may be any number of bytes 0xff.
	c, err := r.ReadByte()
	for marker = 0xff; err == nil && marker == 0xff; {
		marker, err = r.ReadByte()
	}
	var size [2]byte
	if err == nil {
		_, err = io.ReadFull(r, size[:])
	}
	length = int(binary.BigEndian.Uint16(size[:])) - len(size)
	if err != nil || c != 0xff || length < 0 {
		return 0, 0, io.ErrUnexpectedEOF
	}
	return marker, length, nil
}

// isFrame reports whether a marker is that of a frame's header.
func isFrame(marker byte) bool {
	// Three of these sixteen mean something else.
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

// readExif returns what the data of an APP1 segment tells.
func readExif(data []byte) (e exif) {
	const (
		tagOrientation   = 0x0112
		tagExif          = 0x8769 // the offset of a second directory
		tagFocalLength35 = 0xa405
	)
	// A TIFF file follows.
	tiff, ok := bytes.CutPrefix(data, []byte("Exif\x00\x00"))
	if !ok || len(tiff) < 8 {
		return e
	}
	order, first := tiffOrder(tiff)
	if order == nil {
		return e
	}
	if v := tag(tiff, order, first, tagOrientation); v <= 8 {
		e.orientation = int(v)
	}
	if second := tag(tiff, order, first, tagExif); second > 0 {
		e.focalLength35 = int(tag(tiff, order, second, tagFocalLength35))
	}
	return e
}

// tiffOrder returns the order of bytes in a TIFF file, of 8 bytes or more, and the offset of its first
// directory. The order is nil if it is another file.
func tiffOrder(tiff []byte) (order binary.ByteOrder, first uint32) {
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return nil, 0
	}
	return order, order.Uint32(tiff[4:])
}

// tag returns the number that the directory at an offset in a TIFF file has for a tag, or 0 if
// there is none of 16 or 32 bits.
func tag(tiff []byte, order binary.ByteOrder, offset uint32, number uint16) uint32 {
	const (
		typeShort = 3
		typeLong  = 4
		entrySize = 12
	)
	if int64(offset)+2 > int64(len(tiff)) {
		return 0
	}
	count, entries := order.Uint16(tiff[offset:]), tiff[offset+2:]
	for ; count > 0 && len(entries) >= entrySize; count-- {
		if order.Uint16(entries) == number {
			switch order.Uint16(entries[2:]) {
			case typeShort:
				return uint32(order.Uint16(entries[8:]))
			case typeLong:
				return order.Uint32(entries[8:])
			}
		}
		entries = entries[entrySize:]
	}
	return 0
}
