// Package frames makes many different images from a few photos, so that a
// benchmark need not repeat one image. A processor learns the branches that a
// small set of images takes, which flatters code that branches on its pixels.
//
// The pixels are those of the photos: frames are crops of them in the eight
// orientations that flips and transposition give, never scaled or blurred, so
// that their statistics are those of natural images.
package frames

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math/rand/v2"
)

// Load returns the PNG images at the top of fsys, in the order of their names.
// Images that are not gray are converted.
func Load(fsys fs.FS) ([]*image.Gray, error) {
	names, err := fs.Glob(fsys, "*.png")
	if err != nil {
		return nil, err
	}
	var photos []*image.Gray
	for _, name := range names {
		photo, err := Read(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("frames: %s: %w", name, err)
		}
		photos = append(photos, photo)
	}
	return photos, nil
}

// Read returns the PNG image in a file of fsys, converted if it is not gray.
func Read(fsys fs.FS, name string) (*image.Gray, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return nil, err
	}
	if gray, ok := img.(*image.Gray); ok {
		return gray, nil
	}
	gray := image.NewGray(img.Bounds())
	for y := gray.Rect.Min.Y; y < gray.Rect.Max.Y; y++ {
		for x := gray.Rect.Min.X; x < gray.Rect.Max.X; x++ {
			gray.SetGray(x, y, color.GrayModel.Convert(img.At(x, y)).(color.Gray))
		}
	}
	return gray, nil
}

// Pixels returns how many pixels the frames have.
func Pixels(list []*image.Gray) int {
	n := 0
	for _, img := range list {
		n += img.Rect.Dx() * img.Rect.Dy()
	}
	return n
}

// Make returns n different frames of w by h pixels. The same arguments give the
// same frames.
//
// The first frames are crops of one photo each. Those of one photo in one
// orientation do not overlap. The photos take turns. When there are no more such
// crops, frames are tiled with as few crops each as let at least a third of the
// photos take part.
//
// Make panics if there is no photo with a pixel, or if w or h is not positive.
func Make(photos []*image.Gray, w, h, n int) []*image.Gray {
	if w <= 0 || h <= 0 {
		panic(fmt.Sprintf("frames: size %dx%d is not positive", w, h))
	}
	var frames []*image.Gray
	whole, _ := crops(photos, w, h)
	for _, c := range whole[:min(n, len(whole))] {
		frame := image.NewGray(image.Rect(0, 0, w, h))
		c.copyTo(frame, frame.Rect)
		frames = append(frames, frame)
	}
	if len(frames) == n {
		return frames
	}

	tile, pieces := tiles(photos, w, h)
	rng := rand.New(rand.NewPCG(1, 2))
	next := 0
	for len(frames) < n {
		frame := image.NewGray(image.Rect(0, 0, w, h))
		for y := 0; y < h; y += tile.Y {
			for x := 0; x < w; x += tile.X {
				// The order changes each time, or frames might repeat.
				if next%len(pieces) == 0 {
					rng.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
				}
				pieces[next%len(pieces)].copyTo(frame, image.Rect(x, y, x+tile.X, y+tile.Y).Intersect(frame.Rect))
				next++
			}
		}
		frames = append(frames, frame)
	}
	return frames
}

// tiles returns the size of the tiles of a frame of w by h pixels, and all crops
// of that size.
func tiles(photos []*image.Gray, w, h int) (size image.Point, pieces []crop) {
	for parts := 2; ; parts++ {
		size := image.Pt((w+parts-1)/parts, (h+parts-1)/parts)
		pieces, sources := crops(photos, size.X, size.Y)
		if sources > 0 && 3*sources >= len(photos) {
			return size, pieces
		}
		if size == image.Pt(1, 1) {
			panic("frames: no photos")
		}
	}
}

// A crop is a rectangle of a photo in one of eight orientations.
type crop struct {
	photo       *image.Gray
	at          image.Point // the upper left pixel, relative to that of the oriented photo
	orientation int         // bit 0: transposed, bit 1: left and right swapped, bit 2: top and bottom swapped
}

// oriented returns the size of a photo in the given orientation.
func oriented(photo *image.Gray, orientation int) image.Point {
	size := photo.Rect.Size()
	if orientation&1 != 0 {
		size.X, size.Y = size.Y, size.X
	}
	return size
}

// crops returns crops of w by h pixels, and the number of photos that they are
// from. The photos take turns, and crops of different parts of a photo come
// before crops of the same parts in another orientation.
func crops(photos []*image.Gray, w, h int) (list []crop, sources int) {
	byPhoto := make([][]crop, len(photos))
	most := 0
	for i, photo := range photos {
		for orientation := range 8 {
			size := oriented(photo, orientation)
			nx, ny := size.X/w, size.Y/h
			for y := range ny {
				for x := range nx {
					at := image.Pt(spread(x, nx, size.X-w), spread(y, ny, size.Y-h))
					byPhoto[i] = append(byPhoto[i], crop{photo, at, orientation})
				}
			}
		}
		most = max(most, len(byPhoto[i]))
		if len(byPhoto[i]) > 0 {
			sources++
		}
	}
	for turn := range most {
		for _, own := range byPhoto {
			if turn < len(own) {
				list = append(list, own[turn])
			}
		}
	}
	return list, sources
}

// spread returns the ith of n equidistant positions from 0 to room.
func spread(i, n, room int) int {
	if n == 1 {
		return room / 2
	}
	return i * room / (n - 1)
}

// copyTo copies the upper left pixels of c to r of dst.
func (c crop) copyTo(dst *image.Gray, r image.Rectangle) {
	size := oriented(c.photo, c.orientation)
	// The offsets in the photo from a pixel to the one to its right and to the
	// one below it, and the offset of the first pixel.
	right, down := 1, c.photo.Stride
	if c.orientation&1 != 0 {
		right, down = down, right
	}
	first := 0
	if c.orientation&2 != 0 {
		first += (size.X - 1) * right
		right = -right
	}
	if c.orientation&4 != 0 {
		first += (size.Y - 1) * down
		down = -down
	}
	for y := range r.Dy() {
		row := dst.Pix[dst.PixOffset(r.Min.X, r.Min.Y+y):][:r.Dx()]
		from := first + (c.at.Y+y)*down + c.at.X*right
		for x := range row {
			row[x] = c.photo.Pix[from+x*right]
		}
	}
}
