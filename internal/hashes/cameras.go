package hashes

import (
	"image"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/warp"
)

// cameras adds the ends of cameras of all kinds, bearings of points of an image, projections and their
// derivatives beside these bearings, and the map to a pinhole that is turned to the right.
func cameras(s *sum, img *image.Gray, n int, _ Settings) {
	k := float64(n%5)/16 - 0.1875
	x, y := float64(img.Rect.Dx())/2, float64(img.Rect.Dy())/2
	for _, c := range []camera.Camera{
		{Fx: x, Fy: x, Cx: x, Cy: y, K1: k, K2: 0.03125, P1: 0.001, P2: -0.002, K3: k / 8},
		{Fx: x, Fy: y, Cx: x, Cy: y, K1: 1 + k, K2: 0.25, P1: 0.001, K3: 0.01, K4: 1.125, K5: k, K6: 0.0625},
		{Model: camera.KannalaBrandt, Fx: x / 2, Fy: x / 2, Cx: x, Cy: y, K1: k / 2, K2: 0.015625, K3: -0.01, K4: 0.001},
	} {
		s.result().doubles(c.End())
		for _, p := range points(img) {
			b, ok := c.Bearing(geometry.Point{X: float64(p.X), Y: float64(p.Y)})
			s.result().doubles(b[:]...).bool(ok)
			point := [3]float64{b[0] + 0.25, b[1] - 0.125, b[2]}
			q, ok := c.Project(point)
			s.result().doubles(q.X, q.Y).bool(ok)
			d, _ := c.Derivatives(point)
			for row := range 2 {
				s.doubles(d.Point[row][:]...).doubles(d.Field[row][:]...)
			}
		}
		pinhole := camera.FromFieldOfView(90, 32, image.Pt(32, 24))
		m := warp.Rectification(c, pinhole, [9]float64{0.8, 0, -0.6, 0, 1, 0, 0.6, 0, 0.8}, 32, 24)
		for i := range m.X {
			s.result().floats(m.X[i], m.Y[i])
		}
	}
}
