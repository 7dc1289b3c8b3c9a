package harris

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/fastcorners/fast/internal/frames"
	"github.com/stretchr/testify/require"
)

func refl(x, n int) int {
	if n == 1 {
		return 0
	}
	for x < 0 || x >= n {
		if x < 0 {
			x = -x
		} else {
			x = 2*n - 2 - x
		}
	}
	return x
}

func naive(img *image.Gray, measure int, c [2]float32) []float32 {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	P := func(x, y int) int { return int(img.Pix[refl(y, h)*img.Stride+refl(x, w)]) }
	gx, gy := make([]int, w*h), make([]int, w*h)
	for y := range h {
		for x := range w {
			gx[y*w+x] = 2*(P(x+1, y)-P(x-1, y)) + P(x+1, y-1) - P(x-1, y-1) + P(x+1, y+1) - P(x-1, y+1)
			gy[y*w+x] = 2*(P(x, y+1)-P(x, y-1)) + P(x-1, y+1) - P(x-1, y-1) + P(x+1, y+1) - P(x+1, y-1)
		}
	}
	out := make([]float32, w*h)
	for y := range h {
		for x := range w {
			a, b, cc := 0, 0, 0
			for j := -1; j <= 1; j++ {
				for i := -1; i <= 1; i++ {
					q := refl(y+j, h)*w + refl(x+i, w)
					a += gx[q] * gx[q]
					b += gy[q] * gy[q]
					cc += gx[q] * gy[q]
				}
			}
			A, B, C := float32(a), float32(b), float32(cc)
			T := A + B
			switch measure {
			case 0:
				d := float32(A*B) - float32(C*C)
				out[y*w+x] = float32(d-float32(c[0]*float32(T*T))) * c[1]
			case 1:
				D, E := A-B, C+C
				out[y*w+x] = (T - float32(math.Sqrt(float64(float32(D*D)+float32(E*E))))) * c[0]
			case 2:
				d := float32(A*B) - float32(C*C)
				out[y*w+x] = float32(d*c[0]) / (T + c[1])
			}
		}
	}
	return out
}

func TestFusedTemp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for w := 32; w < 140; w++ {
		for h := 2; h < 12; h++ {
			img := image.NewGray(image.Rect(0, 0, w, h))
			for i := range img.Pix {
				img.Pix[i] = uint8(rng.Uint32())
			}
			for m := range 3 {
				c := [2]float32{0.04, 1e-9}
				want := naive(img, m, c)
				for _, k := range fusedKernels {
					got := make([]float32, w*h)
					f := newFused(k, m, c)
					f.run(img, got)
					require.Equal(t, want, got, "%s %d %d %d", k.name, m, w, h)
				}
			}
		}
	}
}

func TestFusedTime(t *testing.T) {
	photos, _ := frames.Load(os.DirFS("../testdata/photos"))
	for _, s := range []struct{ w, h, n int }{{640, 480, 48}, {1920, 1080, 8}} {
		fs := frames.Make(photos, s.w, s.h, s.n)
		out := make([]float32, s.w*s.h)
		for m := range 6 {
			for _, k := range fusedKernels {
				noMap = m >= 3
				f := newFused(k, m%3, [2]float32{0.04, 1e-9})
				best := time.Hour
				for range 12 {
					st := time.Now()
					for _, img := range fs {
						f.run(img, out)
					}
					best = min(best, time.Since(st))
				}
				fmt.Printf("%dx%d m%d %s %.3f ns/px\n", s.w, s.h, m, k.name, float64(best.Nanoseconds())/float64(s.w*s.h*s.n))
			}
		}
	}
}
