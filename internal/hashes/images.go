package hashes

import (
	"image"
	"image/draw"
)

// A Scale says how many images there are.
type Scale int

const (
	Small Scale = iota // for tests, also under emulation
	Full
)

// images returns parts of the photos, or whole photos, and images that were made up.
func images(photos []*image.Gray, scale Scale) []*image.Gray {
	var list []*image.Gray
	size := image.Pt(149, 113) // of images that were made up
	if scale == Full {
		list = append(list, photos...)
		size = image.Pt(400, 331)
	} else {
		for i, photo := range photos {
			if i%5 == 1 {
				// With rows that are longer than the image's.
				at := photo.Rect.Min.Add(image.Pt(37+11*i, 51+7*i))
				list = append(list, photo.SubImage(image.Rectangle{at, at.Add(image.Pt(197, 151))}).(*image.Gray))
			}
		}
	}
	random := uint32(1)
	next := func() uint32 {
		random = random*1664525 + 1013904223
		return random >> 16
	}
	paint := func(size image.Point, pixel func(x, y int) byte) {
		img := image.NewGray(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X {
				img.Pix[img.PixOffset(x, y)] = pixel(x, y)
			}
		}
		list = append(list, img)
	}
	paint(size, func(x, y int) byte { return byte(next()) })            // noise
	paint(size, func(x, y int) byte { return byte(100 + next()%40) })   // less of it
	paint(size, func(x, y int) byte { return byte(next() & 1 * 255) })  // black and white
	paint(size, func(x, y int) byte { return byte(x*y + x*x/3 - 2*y) }) // waves that become finer
	paint(size, func(x, y int) byte {                                   // squares of all sizes and contrasts
		n := 3 + x/64 + y/64
		return byte((x/n+y/n)&1*(40+x/2) + y/3)
	})
	for i := range 8 { // small ones, flat and not
		paint(image.Pt(3+5*i, 24-3*i), func(x, y int) byte { return byte(77*i + i&1*int(next()%80)) })
	}
	return list
}

// moved returns an image that shows what img does, some pixels to the left and above and half
// a pixel further, with a little noise.
func moved(img *image.Gray, dx, dy int) *image.Gray {
	out := image.NewGray(img.Rect)
	draw.Draw(out, img.Rect, img, img.Rect.Min, draw.Src)
	size := img.Rect.Size()
	random := uint32(7)
	for y := range size.Y {
		for x := range size.X {
			at := func(x, y int) int {
				return int(img.Pix[min(y+dy, size.Y-1)*img.Stride+min(x+dx, size.X-1)])
			}
			random = random*1664525 + 1013904223
			v := (at(x, y) + at(x+1, y) + at(x, y+1) + at(x+1, y+1) + int(random>>30)) / 4
			out.Pix[y*out.Stride+x] = byte(v)
		}
	}
	return out
}

// deep returns the image with 16 bits.
func deep(img *image.Gray) *image.Gray16 {
	out := image.NewGray16(img.Rect)
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
		for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
			v := uint16(img.Pix[img.PixOffset(x, y)])
			i := out.PixOffset(x, y)
			out.Pix[i], out.Pix[i+1] = byte(v*197>>8), byte(v*197)
		}
	}
	return out
}
