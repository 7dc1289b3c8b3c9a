package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/fastcorners/fast"
)

// palette has the colors that corners are drawn in, from the weakest to the
// strongest. All are bright enough to be seen on dark ground.
var palette = [...]color.RGBA{
	{0x60, 0x90, 0xff, 0xff},
	{0x00, 0xc0, 0xff, 0xff},
	{0x00, 0xf0, 0xc0, 0xff},
	{0x20, 0xff, 0x40, 0xff},
	{0xb0, 0xff, 0x00, 0xff},
	{0xff, 0xe0, 0x00, 0xff},
	{0xff, 0x90, 0x00, 0xff},
	{0xff, 0x20, 0x20, 0xff},
}

// drawCorners returns a copy of img, on black where it is transparent, with a
// ring and a dot for each corner: the stronger, the larger and the warmer in
// color, and above the weaker ones.
func drawCorners(img image.Image, corners []fast.Corner) *image.RGBA {
	r := img.Bounds()
	picture := image.NewRGBA(r)
	draw.Draw(picture, r, image.Black, image.Point{}, draw.Src)
	draw.Draw(picture, r, img, r.Min, draw.Over)
	if len(corners) == 0 {
		return picture
	}
	var markers [len(palette)][]image.Point
	for i := range markers {
		markers[i] = newMarker(r.Size(), i)
	}
	byScore := slices.Clone(corners)
	slices.SortStableFunc(byScore, func(a, b fast.Corner) int { return cmp.Compare(a.Score, b.Score) })
	low, high := int(byScore[0].Score), int(byScore[len(byScore)-1].Score)
	for _, c := range byScore {
		strength := len(palette) - 1
		if high > low {
			// High scores are rare: the root spreads the low ones.
			share := float64(int(c.Score)-low) / float64(high-low)
			strength = int(float64(strength) * math.Sqrt(share))
		}
		for _, offset := range markers[strength] {
			p := c.Pt().Add(offset)
			if p.In(r) {
				picture.SetRGBA(p.X, p.Y, palette[strength])
			}
		}
	}
	return picture
}

// newMarker returns the pixels, relative to a corner, that are drawn for it. The
// strength is an index of palette. The marker grows with the image, so that it
// can be seen when a large one is shown smaller than it is.
func newMarker(size image.Point, strength int) []image.Point {
	scale := 1 + max(size.X, size.Y)/1500
	share := float64(strength) / float64(len(palette)-1)
	line := float64(scale) * (1 + share) // width of the ring's line
	radius := float64(scale) * (4 + 3*share)
	reach := int(radius + line)
	var marker []image.Point
	for y := -reach; y <= reach; y++ {
		for x := -reach; x <= reach; x++ {
			d := math.Hypot(float64(x), float64(y))
			if math.Abs(d-radius) < line/2 || d < line/2 {
				marker = append(marker, image.Pt(x, y))
			}
		}
	}
	return marker
}

// makeDir makes the directory, unless it exists, and tries whether files can
// be made in it.
func makeDir(dir string) error {
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var f *os.File
		if f, err = createTemp(dir); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", dir, reason(err))
	}
	return nil
}

// createTemp makes a new file in dir. Unlike that of os.CreateTemp it may be
// read by others as far as the umask lets them.
func createTemp(dir string) (*os.File, error) {
	name := filepath.Join(dir, fmt.Sprintf(".corners-%016x.tmp", rand.Uint64()))
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// writePNG writes the picture to path, all of it or nothing: under another
// name, which it changes at the end.
func writePNG(path string, picture image.Image) (err error) {
	var file bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&file, picture); err != nil {
		return err
	}
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(file.Bytes()); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
