package main

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/locate"
	"github.com/stretchr/testify/require"
)

// noise returns an image of random pixels, not all of which are opaque if clear is true.
func noise(rng *rand.Rand, w, h int, clear bool) image.Image {
	img := image.NewNRGBA(image.Rect(3, 5, 3+w, 5+h))
	for i := range w * h {
		v, alpha := uint8(rng.IntN(256)), uint8(255)
		if clear && i%5 == 0 {
			alpha = 0
		}
		copy(img.Pix[4*i:], []byte{v, v, v, alpha})
	}
	return img
}

// TestPush changes a screen at random and checks that what is found is what a search of all of
// it finds.
func TestPush(t *testing.T) {
	for _, minScore := range []float64{0.8, 0.5, -1} {
		rng := rand.New(rand.NewPCG(1, 2))
		images := []image.Image{noise(rng, 16, 16, false), noise(rng, 9, 7, false), noise(rng, 24, 12, true), noise(rng, 5, 4, false)}
		var patterns []*pattern
		for _, img := range images {
			p, err := newPattern("pattern", img)
			require.NoError(t, err)
			patterns = append(patterns, p)
		}
		w, err := newWatcher(minScore, patterns)
		require.NoError(t, err)
		l, err := locate.New(locate.Options{MinScore: minScore, Overlap: overlap})
		require.NoError(t, err)

		size, frames := image.Pt(150, 110), 80
		if minScore < 0 { // all places are found
			size, frames = image.Pt(60, 40), 12
		}
		if testing.Short() {
			frames /= 2
		}
		frame := screen(rng, size.X, size.Y)
		searched, seen := 0, make([]int, len(patterns))
		appeared, gone := 0, 0
		for n := range frames {
			if n == frames-3 {
				frame = screen(rng, size.X-20, size.Y+10)
			}
			// The frames are parts of larger images.
			frame = change(rng, frame, images)
			pixels := w.push(frame)
			require.LessOrEqual(t, pixels, area(frame.Rect))
			if pixels < area(frame.Rect) {
				searched++
			}
			scene := locate.NewScene(frame)
			for i, p := range patterns {
				want, got := l.FindAll(scene, p.template), p.seen()
				require.Equal(t, want, got)
				require.Equal(t, w.locator.AppendFindAll([]locate.Match{}, scene, p.template), append([]locate.Match{}, p.places...))
				if len(got) > seen[i] {
					appeared++
				} else if len(got) < seen[i] {
					gone++
				}
				seen[i] = len(got)
			}
		}
		require.Positive(t, searched)
		if minScore > 0 {
			require.Greater(t, 2*searched, frames, "most frames are searched in part")
			require.Greater(t, min(appeared, gone), 4)
		}
	}
}

// screen returns a part of an image, of w by h pixels with a little noise.
func screen(rng *rand.Rand, w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w+20, h+10))
	for i := range img.Pix {
		img.Pix[i] = uint8(100 + rng.IntN(9))
	}
	return img.SubImage(image.Rect(7, 3, 7+w, 3+h)).(*image.Gray)
}

// change returns a copy of a frame with some changes.
func change(rng *rand.Rand, frame *image.Gray, images []image.Image) *image.Gray {
	size := frame.Rect.Size()
	out := screen(rng, size.X, size.Y)
	draw.Draw(out, out.Rect, frame, frame.Rect.Min, draw.Src)
	anywhere := func() image.Point {
		return out.Rect.Min.Add(image.Pt(rng.IntN(size.X), rng.IntN(size.Y)))
	}
	for range rng.IntN(3) {
		switch at := anywhere(); rng.IntN(5) {
		case 0, 1: // one appears, perhaps in front of others
			img := images[rng.IntN(len(images))]
			at = at.Sub(image.Pt(4, 4))
			draw.Draw(out, image.Rectangle{at, at.Add(img.Bounds().Size())}, img, img.Bounds().Min, draw.Over)
		case 2: // what is there disappears
			draw.Draw(out, image.Rectangle{at, at.Add(image.Pt(rng.IntN(60), rng.IntN(60)))}, screen(rng, 60, 60), image.Pt(7, 3), draw.Src)
		case 3: // a pixel changes
			out.SetGray(at.X, at.Y, color.Gray{uint8(rng.IntN(256))})
		case 4: // a part moves
			r := image.Rectangle{at, at.Add(image.Pt(40, 30))}.Intersect(out.Rect)
			draw.Draw(out, r.Add(image.Pt(1, 2)), frame, r.Min.Add(frame.Rect.Min.Sub(out.Rect.Min)), draw.Src)
		}
	}
	return out
}

// TestChanges checks that all changed pixels are in the parts, and that without changes there are
// none.
func TestChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	w := &watcher{margin: image.Pt(3, 4)}
	before := screen(rng, 300, 200)
	require.Equal(t, []image.Rectangle{before.Rect}, w.changes(before))
	w.before = before
	require.Empty(t, w.changes(before))
	for n := range 40 {
		after := change(rng, before, []image.Image{noise(rng, 30, 20, true)})
		for range n * n {
			after.SetGray(after.Rect.Min.X+rng.IntN(300), after.Rect.Min.Y+rng.IntN(200), color.Gray{uint8(rng.IntN(256))})
		}
		parts := w.changes(after)
		for y := after.Rect.Min.Y; y < after.Rect.Max.Y; y++ {
			for x := after.Rect.Min.X; x < after.Rect.Max.X; x++ {
				if before.GrayAt(x, y) != after.GrayAt(x, y) {
					require.True(t, slices.ContainsFunc(parts, func(r image.Rectangle) bool { return image.Pt(x, y).In(r) }))
				}
			}
		}
	}
}

func TestFlatPattern(t *testing.T) {
	_, err := newPattern("a.png", image.NewGray(image.Rect(0, 0, 5, 5)))
	require.ErrorContains(t, err, "a.png: all its pixels are equal")
	_, err = newPattern("a.png", image.NewNRGBA(image.Rect(0, 0, 5, 5)))
	require.ErrorContains(t, err, "a.png: locate: mask without pixels")
}

// BenchmarkPush searches the screen that is built in, as a whole, and where a cursor moves.
func BenchmarkPush(b *testing.B) {
	b.Chdir("../..")
	d, err := newDesktop()
	require.NoError(b, err)
	var patterns []*pattern
	for _, icon := range d.icons {
		p, err := newPattern("icon", icon)
		require.NoError(b, err)
		patterns = append(patterns, p)
	}
	frames := []*image.Gray{d.frame(10), d.frame(11)}
	for _, whole := range []bool{true, false} {
		b.Run(map[bool]string{true: "whole", false: "part"}[whole], func(b *testing.B) {
			w, err := newWatcher(0.9, patterns)
			require.NoError(b, err)
			w.push(frames[1])
			n := 0
			for b.Loop() {
				if whole {
					w.forget()
				}
				w.push(frames[n%2])
				n++
			}
		})
	}
}
