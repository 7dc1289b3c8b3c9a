package photo

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"
)

// Values of TIFF's compression and photometric interpretation.
const (
	compressionGroup3 = 3
	compressionGroup4 = 4

	blackIsZero = 1
)

// readFaxCompression returns the compression of a TIFF file as in fax machines whose white runs are to
// be seen as black, or 0 if it has another one. What cannot be read counts as missing.
func readFaxCompression(src io.ReaderAt) uint32 {
	const (
		tagCompression = 259
		tagPhotometric = 262
		entrySize      = 12
	)
	var head [8]byte
	if _, err := src.ReadAt(head[:], 0); err != nil {
		return 0
	}
	order, first := tiffOrder(head[:])
	if order == nil {
		return 0
	}
	var count [2]byte
	if _, err := src.ReadAt(count[:], int64(first)); err != nil {
		return 0
	}
	directory := make([]byte, len(count)+entrySize*int(order.Uint16(count[:])))
	n, _ := src.ReadAt(directory, int64(first)) // of a file that ends there, what there is
	directory = directory[:n]
	compression := tag(directory, order, 0, tagCompression)
	if compression != compressionGroup3 && compression != compressionGroup4 || tag(directory, order, 0, tagPhotometric) != blackIsZero {
		return 0
	}
	return compression
}

// decodesNegative reports whether the registered decoder of TIFF takes white runs for white in spite of
// the photometric interpretation, as golang.org/x/image/tiff v0.47.0 does. It decodes a row of 8 pixels
// to find out.
func decodesNegative(compression uint32) bool {
	row := []byte{0x80, 0x08, 0x00, 0x80} // no change, and the end of the block
	if compression == compressionGroup3 {
		// The end of a line, 8 white pixels, and six more ends.
		row = []byte{0x00, 0x19, 0x80, 0x08, 0x00, 0x80, 0x08, 0x00, 0x80, 0x08, 0x00, 0x80}
	}
	le := binary.LittleEndian
	file := append([]byte("II*\x00\x08\x00\x00\x00"), 8, 0)
	const end = 8 + 2 + 8*12 + 4 // of the directory
	for _, entry := range [][2]uint32{
		{256, 8}, {257, 1}, {258, 1}, {259, compression}, {262, blackIsZero}, {273, end}, {278, 1}, {279, uint32(len(row))},
	} {
		file = le.AppendUint16(file, uint16(entry[0]))
		file = le.AppendUint16(file, 4) // of 32 bits
		file = le.AppendUint32(le.AppendUint32(file, 1), entry[1])
	}
	file = append(le.AppendUint32(file, 0), row...)
	img, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return false
	}
	gray, ok := img.(*image.Gray)
	return ok && gray.Pix[0] != 0
}

// negate replaces the pixels of a gray image by those of its negative.
func negate(img image.Image) {
	if gray, ok := img.(*image.Gray); ok {
		for i, v := range gray.Pix {
			gray.Pix[i] = ^v
		}
	}
}
