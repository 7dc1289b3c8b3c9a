package camera_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
)

var benchmarkCameras = []struct {
	name string
	camera.Camera
}{
	{"pinhole", camera.Camera{Fx: 500, Fy: 500, Cx: 320, Cy: 240}},
	{"radial", camera.Camera{Fx: 500, Fy: 500, Cx: 320, Cy: 240, K1: -0.28, K2: 0.07}},
	{"five", camera.Camera{Fx: 536, Fy: 536, Cx: 342, Cy: 235, K1: -0.26, K2: -0.04, P1: 0.0018, P2: -0.0003, K3: 0.25}},
	{"rational", camera.Camera{Fx: 537, Fy: 537, Cx: 320, Cy: 240, K1: 11.4, K2: -7, P1: 0.001, P2: -0.0002, K3: 1, K4: 11.7, K5: -3, K6: 0.4}},
	{"fisheye", camera.Camera{Model: camera.KannalaBrandt, Fx: 190, Fy: 190, Cx: 320, Cy: 240, K1: -0.01, K2: 0.02, K3: -0.015, K4: 0.003}},
}

func BenchmarkCamera(b *testing.B) {
	for _, c := range benchmarkCameras {
		rng := rand.New(rand.NewPCG(1, 2))
		pixels := make([]geometry.Point, 1000)
		for i := range pixels {
			pixels[i] = geometry.Point{X: 640 * rng.Float64(), Y: 480 * rng.Float64()}
		}
		points := c.Bearings(pixels)
		seen := make([]geometry.Point, 0, len(pixels))
		run := func(name string, f func(n int)) {
			b.Run("camera="+c.name+"/"+name, func(b *testing.B) {
				n := 0
				for b.Loop() {
					f(n)
					if n++; n == len(pixels) {
						n = 0
					}
				}
			})
		}
		run("End", func(int) { c.End() })
		run("Project", func(n int) { c.Project(points[n]) })
		run("Ray", func(n int) { c.Ray(pixels[n]) })
		run("Derivatives", func(n int) { c.Derivatives(points[n]) })
		run("Projections", func(n int) {
			if n == 0 {
				c.AppendProjections(seen, points)
			}
		})
		run("Rays", func(n int) {
			if n == 0 {
				c.AppendRays(seen, pixels)
			}
		})
	}
}
