package warp_test

import (
	"fmt"
	"image"
	"math"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/warp"
)

// rotation returns the rotation around the middle of w by h pixels, by degrees, that enlarges
// by 1/scale.
func rotation(w, h, degrees, scale float64) warp.Affine {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	sin, cos = scale*sin, scale*cos
	return warp.Affine{cos, -sin, w/2 - cos*w/2 + sin*h/2, sin, cos, h/2 - sin*w/2 - cos*h/2}
}

// lens returns a map that distorts like a lens.
func lens(w, h int) *warp.Map {
	m := &warp.Map{Width: w, Height: h}
	d := float64(w*w + h*h)
	for y := range h {
		for x := range w {
			u, v := float64(x-w/2), float64(y-h/2)
			f := 1 - 0.12*(u*u+v*v)/d*4
			m.X, m.Y = append(m.X, float32(float64(w/2)+u*f)), append(m.Y, float32(float64(h/2)+v*f))
		}
	}
	return m
}

// BenchmarkWarp warps different frames.
func BenchmarkWarp(b *testing.B) {
	for _, size := range []image.Point{{X: 640, Y: 480}, {X: 1920, Y: 1080}} {
		w, h := float64(size.X), float64(size.Y)
		r := image.Rectangle{Max: size}
		frames := imagetest.Frames(b, size.X, size.Y, 4)
		m := lens(size.X, size.Y)
		fixed, err := m.Fixed()
		if err != nil {
			b.Fatal(err)
		}
		for _, set := range cpu.InstructionSets("warp") {
			for _, c := range []struct {
				name string
				kind warp.Interpolation
				t    warp.Transform
			}{
				{"shift", warp.Linear, warp.Affine{1, 0, 3.3, 0, 1, -2.7}},
				{"rotate1", warp.Linear, rotation(w, h, 1, 1)},
				{"rotate2", warp.Linear, rotation(w, h, 2, 0.98)},
				{"rotate15", warp.Linear, rotation(w, h, 15, 1)},
				{"rotate45", warp.Linear, rotation(w, h, 45, 1)},
				{"rotate90", warp.Linear, rotation(w, h, 90.2, 1)},
				{"zoomin", warp.Linear, rotation(w, h, 1, 0.5)},
				{"zoomout", warp.Linear, rotation(w, h, 1, 3)},
				{"homography", warp.Linear, warp.Homography{1.02, 0.03, -5, -0.02, 0.97, 8, 4e-5, -3e-5, 1}},
				{"map", warp.Linear, m},
				{"fixed", warp.Linear, fixed},
				{"nearest", warp.Nearest, rotation(w, h, 2, 0.98)},
			} {
				wr := warper(b, warp.Options{Interpolation: c.kind})
				name := fmt.Sprintf("kernel=%s/frames=%dx%d/case=%s", set.Name, size.X, size.Y, c.name)
				b.Run(name+"/gray", func(b *testing.B) {
					defer cpu.Limit(set.Set)()
					dst := image.NewGray(r)
					imagetest.Benchmark(b, size.X, size.Y, frames, func(img *image.Gray) { wr.Gray(dst, img, c.t) })
				})
				b.Run(name+"/gray16", func(b *testing.B) {
					defer cpu.Limit(set.Set)()
					dst := image.NewGray16(r)
					var deep []*image.Gray16
					for _, f := range frames {
						img := image.NewGray16(r)
						for i, v := range f.Pix {
							img.Pix[2*i], img.Pix[2*i+1] = v, ^v
						}
						deep = append(deep, img)
					}
					imagetest.Benchmark(b, size.X, size.Y, deep, func(img *image.Gray16) { wr.Gray16(dst, img, c.t) })
				})
				b.Run(name+"/color", func(b *testing.B) {
					defer cpu.Limit(set.Set)()
					dst := image.NewRGBA(r)
					var colors []*image.RGBA
					for _, f := range frames {
						img := image.NewRGBA(r)
						for i := range f.Pix {
							copy(img.Pix[4*i:], []byte{f.Pix[i], f.Pix[len(f.Pix)-1-i], ^f.Pix[i], 255})
						}
						colors = append(colors, img)
					}
					imagetest.Benchmark(b, size.X, size.Y, colors, func(img *image.RGBA) { wr.RGBA(dst, img, c.t) })
				})
			}
		}
	}
}

// BenchmarkResize resizes different frames.
func BenchmarkResize(b *testing.B) {
	small, middle, large := image.Pt(640, 360), image.Pt(1000, 563), image.Pt(1920, 1080)
	for _, c := range []struct {
		kind     warp.Interpolation
		from, to image.Point
	}{
		{warp.Area, large, middle},
		{warp.Area, large, image.Pt(960, 540)},
		{warp.Area, large, small},
		{warp.Area, large, image.Pt(224, 224)},
		{warp.Linear, small, large},
		{warp.Linear, large, image.Pt(224, 224)},
		{warp.Nearest, large, middle},
	} {
		frames := imagetest.Frames(b, c.from.X, c.from.Y, 4)
		var colors []*image.RGBA
		for _, f := range frames {
			img := image.NewRGBA(f.Rect)
			for i := range f.Pix {
				copy(img.Pix[4*i:], []byte{f.Pix[i], f.Pix[len(f.Pix)-1-i], ^f.Pix[i], 255})
			}
			colors = append(colors, img)
		}
		to := image.Rectangle{Max: c.to}
		for _, set := range cpu.InstructionSets("warp") {
			r, err := warp.NewResizer(warp.ResizerOptions{Interpolation: c.kind})
			if err != nil {
				b.Fatal(err)
			}
			name := fmt.Sprintf("kernel=%s/frames=%dx%d/to=%dx%d/case=%v", set.Name, c.from.X, c.from.Y, c.to.X, c.to.Y, c.kind)
			b.Run(name+"/gray", func(b *testing.B) {
				defer cpu.Limit(set.Set)()
				dst := image.NewGray(to)
				imagetest.Benchmark(b, c.from.X, c.from.Y, frames, func(img *image.Gray) { r.Gray(dst, img) })
			})
			b.Run(name+"/color", func(b *testing.B) {
				defer cpu.Limit(set.Set)()
				dst := image.NewRGBA(to)
				imagetest.Benchmark(b, c.from.X, c.from.Y, colors, func(img *image.RGBA) { r.RGBA(dst, img) })
			})
		}
	}
}
