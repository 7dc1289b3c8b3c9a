package vpi

// A Border says what lies beyond the edges of an image. Where an image is smaller than what
// is wanted of it, Reflect and Mirror reverse it again and again.
type Border uint8

const (
	// Limited has nothing there: a pixel is tested only when its circle lies in the
	// image. With the others all pixels are.
	Limited Border = iota
	Zero           // pixels that are 0: 000|abcde|000
	Clamp          // the outermost pixels: aaa|abcde|eee
	Reflect        // the image, reversed: cba|abcde|edc
	Mirror         // the image, reversed, but for the outermost pixels: dcb|abcde|dcb
)

// index returns which one of n pixels in a row or a column stands in place i, which may be
// beyond them, or -1 for a pixel that is 0.
func (b Border) index(i, n int) int {
	switch {
	case i >= 0 && i < n:
		return i
	case b == Zero:
		return -1
	case b == Clamp:
		return max(0, min(i, n-1))
	}
	shared := 0 // pixels that the image and the reversed one have in common
	if b == Mirror {
		shared = 1
	}
	period := max(2*(n-shared), 1)
	i = (i%period + period) % period
	return min(i, 2*n-1-shared-i)
}

// A source is an image with its border around it.
type source struct {
	Image
	border Border
	margin int // pixels of the border on each side
	w, h   int // with the border
}

func newSource(img Image, border Border, radius int) source {
	s := source{Image: img, border: border}
	if border != Limited {
		s.margin = radius
	}
	s.w, s.h = img.bounds.Dx()+2*s.margin, img.bounds.Dy()+2*s.margin
	return s
}

// setRow makes row the pixels of row y, in the bytes that the image has for them.
func (s *source) setRow(row []byte, y int) {
	w, h := s.w-2*s.margin, s.h-2*s.margin
	y = s.border.index(y-s.margin, h)
	if y < 0 {
		clear(row)
		return
	}
	pix := s.pix[y*s.stride:][:w*s.size]
	copy(row[s.margin*s.size:], pix)
	for i := range s.margin {
		for _, x := range [2]int{i - s.margin, w + i} {
			pixel := row[(s.margin+x)*s.size:][:s.size]
			if x = s.border.index(x, w); x < 0 {
				clear(pixel)
			} else {
				copy(pixel, pix[x*s.size:])
			}
		}
	}
}
