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

// Libraries that read Exif are no longer maintained, or read all tags of all formats and
// would be a seventh of the program. This is one tag of one format.

// readJPEGHeader returns the Exif orientation of a JPEG file, or 0 if there is none, and
// whether the file is progressive. It reads up to the header of the frame. What cannot be
// read counts as missing; errors in a file are left to the decoder.
func readJPEGHeader(r io.Reader) (orientation int, progressive bool) {
	br := bufio.NewReader(r)
	if soi, err := br.Peek(2); err != nil || soi[0] != 0xff || soi[1] != markerSOI {
		return 0, false
	}
	br.Discard(2)
	for {
		marker, length, err := readSegment(br)
		switch {
		case err != nil, marker == markerEOI, marker == markerSOS:
			return orientation, false
		case isFrame(marker):
			return orientation, marker == markerSOF2
		case marker == markerAPP1 && orientation == 0:
			data := make([]byte, length)
			if _, err := io.ReadFull(br, data); err != nil {
				return 0, false
			}
			orientation = exifOrientation(data)
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

// exifOrientation returns the orientation in the data of an APP1 segment, 1 to 8, or 0 if
// there is none.
func exifOrientation(data []byte) int {
	const (
		tagOrientation = 0x0112
		typeShort      = 3
		entrySize      = 12
	)
	// A TIFF file follows, of which only the first directory matters.
	tiff, ok := bytes.CutPrefix(data, []byte("Exif\x00\x00"))
	if !ok || len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0
	}
	start := int64(order.Uint32(tiff[4:]))
	if start+2 > int64(len(tiff)) {
		return 0
	}
	count, entries := order.Uint16(tiff[start:]), tiff[start+2:]
	for ; count > 0 && len(entries) >= entrySize; count-- {
		value := order.Uint16(entries[8:])
		if order.Uint16(entries) == tagOrientation && order.Uint16(entries[2:]) == typeShort && value <= 8 {
			return int(value)
		}
		entries = entries[entrySize:]
	}
	return 0
}
