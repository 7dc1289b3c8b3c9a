package stabilize_test

import (
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/stabilize"
)

// FuzzPush checks that whatever frames show, a result comes for each of them, with a finite
// transform that keeps the edges out of sight.
func FuzzPush(f *testing.F) {
	f.Add(uint32(1), []byte{0, 1, 2, 3, 4, 5, 6, 7})
	f.Add(uint32(2), []byte{200, 10, 10, 100, 100, 40, 41, 250})
	f.Fuzz(func(t *testing.T, seed uint32, moves []byte) {
		size := image.Pt(20+int(seed%80), 20+int(seed>>8%70))
		photo := image.NewGray(image.Rect(0, 0, 3*size.X, 3*size.Y))
		r := random(seed)
		for y := range 3 * size.Y {
			for x := range 3 * size.X {
				photo.Pix[y*photo.Stride+x] = byte((x/7*37 ^ y/9*91) & 127)
			}
		}
		opts := stabilize.Options{
			Kind: geometry.Kind(seed >> 16 % 6), Points: 20 + int(seed>>18%100), Interval: 1 + int(seed>>20%4),
			SmoothingRadius: 1 + int(seed>>22%8), Online: seed>>25&1 > 0, Zoom: 1 + float64(seed>>26&3)/8,
		}
		opts.MaxZoom = opts.Zoom + float64(seed>>28&3)/16
		var frames []*image.Gray
		p := pose{65536, 0, size.X * 3 << 15, size.Y * 3 << 15}
		for _, m := range moves[:min(len(moves), 30)] {
			switch {
			case m > 250: // something else
				p.x += int(m) << 16
			case m > 240: // a mirror
				p.a = -p.a
			default:
				p.a, p.b = p.a+int(m&3)*300-450, p.b+int(m>>2&3)*300-450
				p.x, p.y = p.x+int(m>>4&3-1)<<16, p.y+int(m>>6&3-1)<<16
			}
			frames = append(frames, render(photo, size, p, r.next(8)&7, seed))
		}
		results := all(stabilizer(t, opts), frames)
		if len(results) != len(frames) {
			t.Fatalf("%d results of %d frames", len(results), len(frames))
		}
		for i, res := range results {
			if res.Frame != i {
				t.Fatalf("frame %d has the number %d", i, res.Frame)
			}
			for _, x := range []int{0, size.X - 1} {
				for _, y := range []int{0, size.Y - 1} {
					q := res.Source.Apply(geometry.Point{X: float64(x), Y: float64(y)})
					if !(q.X > -1e-6 && q.Y > -1e-6 && q.X < float64(size.X-1)+1e-6 && q.Y < float64(size.Y-1)+1e-6) || math.IsNaN(q.X) {
						t.Fatalf("frame %d: %d, %d is at %v of %v: %+v", i, x, y, q, size, res)
					}
				}
			}
		}
	})
}
