package warp_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// TestFarIdentity checks that the identity copies an image, wherever its bounds begin.
func TestFarIdentity(t *testing.T) {
	pix := []byte{10, 20, 30, 40}
	for _, at := range []image.Point{
		{1<<20 - 2, 0}, {1 << 20, 0}, {1 << 21, 0}, {0, 1 << 21}, {-1 << 22, 0}, {396388, 5782467}, {1 << 26, 0}, {1<<30 - 2, -1 << 30},
	} {
		src := &image.Gray{Pix: pix, Stride: 2, Rect: image.Rect(0, 0, 2, 2).Add(at)}
		for _, transform := range []warp.Transform{warp.Affine{1, 0, 0, 0, 1, 0}, warp.Homography{1, 0, 0, 0, 1, 0, 0, 0, 1}} {
			for _, interpolation := range []warp.Interpolation{warp.Linear, warp.Nearest} {
				dst := image.NewGray(src.Rect)
				warper(t, warp.Options{Border: border.Replicate, Interpolation: interpolation}).Gray(dst, src, transform)
				require.Equal(t, pix, dst.Pix, "%v %T %v", at, transform, interpolation)
			}
		}
	}
}

// TestFar compares warps between images whose bounds are far from the origin with the oracle, and with
// the same warps at the origin.
func TestFar(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, mode := range borders {
		for _, interpolation := range []warp.Interpolation{warp.Linear, warp.Nearest} {
			for _, size := range []int{1, 2, 4} {
				src := newPicture(size, image.Rect(0, 0, 61, 47))
				for i := range src.pix {
					src.pix[i] = uint8(rng.Uint32())
				}
				from, to := image.Pt(396388, 5782467), image.Pt(-3<<20, 1<<22+17)
				moved := *src
				moved.rect = src.rect.Add(from)
				opts := warp.Options{Border: mode, Interpolation: interpolation}
				near := warp.Affine{0.9, -0.3, 7, 0.3, 0.9, -5}
				far := near // from to to near, then from 0, 0 to from
				far[2] += float64(from.X) - (near[0]*float64(to.X) + near[1]*float64(to.Y))
				far[5] += float64(from.Y) - (near[3]*float64(to.X) + near[4]*float64(to.Y))
				dst := newPicture(size, image.Rect(0, 0, 70, 40).Add(to))
				requireOracle(t, opts, dst, &moved, far)
				requireOracle(t, opts, dst, &moved, warp.Homography{far[0], far[1], far[2], far[3], far[4], far[5], 0, 1e-12, 1})
				same := newPicture(size, image.Rect(0, 0, 70, 40))
				apply(t, opts, same, src, near)
				apply(t, opts, dst, &moved, far)
				different := 0
				for i, v := range same.pix {
					if v != dst.pix[i] {
						different++
					}
				}
				require.Less(t, different, len(same.pix)/10, "positions differ by 1/1024 pixel at most")
			}
		}
	}
}

// TestWide compares warps of sources that are wider and higher than 32767 pixels, and of destinations
// whose positions are, with the oracle.
func TestWide(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, r := range []image.Rectangle{image.Rect(0, 0, 70001, 3), image.Rect(5, -9, 8, 40000), image.Rect(0, 0, 2, 1)} {
		for _, size := range []int{1, 2, 4} {
			src := newPicture(size, r)
			for i := range src.pix {
				src.pix[i] = uint8(rng.Uint32())
			}
			for i, mode := range borders {
				interpolation := []warp.Interpolation{warp.Linear, warp.Nearest}[(i+size)%2]
				opts := warp.Options{Border: mode, Interpolation: interpolation}
				for _, at := range []image.Point{{-40000, -2}, {32700, -33000}, {69990, 39990}} {
					dst := newPicture(size, image.Rect(0, 0, 90, 9).Add(at))
					requireOracle(t, opts, dst, src, warp.Affine{1, 0.01, 0.3, 0.02, 1, 0})
					requireOracle(t, opts, dst, src, warp.Homography{1, 0.01, 0.3, 0.02, 1, 0, 0, 0, 1})
				}
			}
		}
	}
}

// TestWrapFar checks that a tile of two pixels is repeated however long the destination is.
func TestWrapFar(t *testing.T) {
	tile := &image.Gray{Pix: []byte{10, 20}, Stride: 2, Rect: image.Rect(0, 0, 2, 1)}
	for _, transform := range []warp.Transform{warp.Affine{1, 0, 0, 0, 1, 0}, warp.Homography{1, 0, 0, 0, 1, 0, 0, 0, 1}} {
		for _, interpolation := range []warp.Interpolation{warp.Linear, warp.Nearest} {
			dst := image.NewGray(image.Rect(0, 0, 60000, 1))
			warper(t, warp.Options{Border: border.Wrap, Interpolation: interpolation}).Gray(dst, tile, transform)
			for x, v := range dst.Pix {
				if v != tile.Pix[x&1] {
					t.Fatalf("%T %v: pixel %d is %d", transform, interpolation, x, v)
				}
			}
		}
	}
}

// TestNearestFixed checks that labels can be undistorted: each pixel is the one at the position of a
// Map, rounded or, since a FixedMap has steps of 1/32 pixel, the one on the other side if the position
// is up to 1/64 pixel from the middle.
func TestNearestFixed(t *testing.T) {
	c := camera.Camera{Fx: 20, Fy: 20, Cx: 16, Cy: 12, K1: -0.1}
	labels := image.NewGray(image.Rect(0, 0, 32, 24))
	for i := range labels.Pix {
		labels.Pix[i] = uint8(i / 7 % 3 * 100)
	}
	w := warper(t, warp.Options{Interpolation: warp.Nearest})
	for _, set := range cpu.InstructionSets("warp") {
		restore := cpu.Limit(set.Set)
		got := image.NewGray(labels.Rect)
		w.Gray(got, labels, warp.Undistortion(c, 32, 24))
		restore()
		for y := range 24 {
			for x := range 32 {
				p := []geometry.Point{{X: float64(x), Y: float64(y)}}
				c.Distort(p, p)
				var want []uint8
				for _, dx := range []float64{-1. / 64, 0, 1. / 64} {
					for _, dy := range []float64{-1. / 64, 0, 1. / 64} {
						want = append(want, labels.GrayAt(int(math.RoundToEven(p[0].X+dx)), int(math.RoundToEven(p[0].Y+dy))).Y)
					}
				}
				require.Contains(t, want, got.GrayAt(x, y).Y, "%s, %d, %d", set.Name, x, y)
			}
		}
	}
	// Half a pixel is rounded up.
	half := &warp.FixedMap{Width: 4, Height: 1, XY: []int16{0, 0, 0, 0, 1, 0, -1, 0}, Fraction: []uint16{15, 16, 16 << 5, 16}}
	got := image.NewGray(image.Rect(0, 0, 4, 1))
	w.Gray(got, &image.Gray{Pix: []byte{1, 2, 3, 4}, Stride: 2, Rect: image.Rect(0, 0, 2, 2)}, half)
	require.Equal(t, fmt.Sprint([]byte{1, 2, 4, 1}), fmt.Sprint(got.Pix))
}
