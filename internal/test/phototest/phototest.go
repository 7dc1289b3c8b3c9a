// Package phototest makes image files for tests, and images as they should be displayed.
package phototest

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Exif returns an APP1 segment with an orientation.
func Exif(order binary.AppendByteOrder, orientation uint16) []byte {
	tiff := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		tiff = []byte("MM\x00*")
	}
	tiff = order.AppendUint32(tiff, 10)
	tiff = append(tiff, 0, 0) // the directory may begin anywhere
	tiff = order.AppendUint16(tiff, 2)
	for _, entry := range [][2]uint16{{0x0100, 77}, {0x0112, orientation}} {
		tiff = order.AppendUint16(tiff, entry[0])
		tiff = order.AppendUint16(tiff, 3)
		tiff = order.AppendUint32(tiff, 1)
		tiff = order.AppendUint16(tiff, entry[1])
		tiff = append(tiff, 0, 0)
	}
	return Segment(0xe1, append([]byte("Exif\x00\x00"), order.AppendUint32(tiff, 0)...))
}

// Segment returns a segment of a JPEG file.
func Segment(marker byte, data []byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(2+len(data))), data...)
}

// WithSegments returns a JPEG file of an image, with the given segments at its beginning.
func WithSegments(t *testing.T, img image.Image, segments ...[]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, img, &jpeg.Options{Quality: 100}))
	soi := file.Next(2)
	return slices.Concat(soi, slices.Concat(segments...), file.Bytes())
}

// AsSeen returns a stored image as it should be displayed. The Exif standard defines an
// orientation by the sides of the displayed image at which the first row and the first
// column of the stored image lie.
func AsSeen(img *image.Gray, orientation int) *image.Gray {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	// For each orientation, the place at which a stored pixel is displayed.
	place := map[int]func(row, column int) (x, y int){
		1: func(row, column int) (x, y int) { return column, row },         // top, left
		2: func(row, column int) (x, y int) { return w - 1 - column, row }, // top, right
		3: func(row, column int) (x, y int) { return w - 1 - column, h - 1 - row },
		4: func(row, column int) (x, y int) { return column, h - 1 - row },
		5: func(row, column int) (x, y int) { return row, column }, // left, top
		6: func(row, column int) (x, y int) { return h - 1 - row, column },
		7: func(row, column int) (x, y int) { return h - 1 - row, w - 1 - column },
		8: func(row, column int) (x, y int) { return row, w - 1 - column },
	}[orientation]
	seen := image.NewGray(image.Rect(0, 0, w, h))
	if orientation > 4 {
		seen = image.NewGray(image.Rect(0, 0, h, w))
	}
	for row := range h {
		for column := range w {
			x, y := place(row, column)
			seen.SetGray(x, y, img.GrayAt(column, row))
		}
	}
	return seen
}

// Letter returns an image that looks different in every orientation.
func Letter() *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 120, 80))
	draw.Draw(img, image.Rect(10, 10, 30, 70), image.White, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(30, 10, 90, 20), image.NewUniform(color.Gray{Y: 150}), image.Point{}, draw.Src)
	return img
}

// Peak returns the largest growth of the heap while f ran.
func Peak(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return int64(most - before)
}

// Least measures until a measure is below limit, at most five times, and returns the least of
// them. On a busy machine garbage is collected late, which Peak counts.
func Least(limit int64, measure func() int64) int64 {
	least := measure()
	for try := 1; try < 5 && least >= limit; try++ {
		least = min(least, measure())
	}
	return least
}
