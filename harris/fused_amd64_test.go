package harris

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/fastcorners/fast/internal/frames"
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

func naive(img *image.Gray, side, measure int, c [2]float32) []float32 {
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
			for j := -(side / 2); j < side-side/2; j++ {
				for i := -(side / 2); i < side-side/2; i++ {
					q := refl(y+j, h)*w + refl(x+i, w)
					a += gx[q] * gx[q]
					b += gy[q] * gy[q]
					cc += gx[q] * gy[q]
				}
			}
			A, B, C := float32(a), float32(b), float32(cc)
			T := A + B
			switch measure {
			case 1:
				d := float32(A*B) - float32(C*C)
				out[y*w+x] = float32(d-float32(c[0]*float32(T*T))) * c[1]
			case 0:
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

func respondAll(f *fused, img *image.Gray, out []float32) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	strips := (w + stripColumns - 1) / stripColumns
	width := ((w+strips-1)/strips + 31) / 32 * 32
	for c0 := 0; c0 < w; {
		n := min(width, w-c0)
		if w-c0-n < 8 {
			n = w - c0
		}
		row := func(y int) []float32 {
			if y < 0 || y >= h {
				return nil
			}
			return out[y*w+c0:][:n]
		}
		f.start(img, c0, n)
		for y := 0; y <= h; y += 2 {
			if y-1 < h {
				f.step(y, [2][]float32{row(y - 1), row(y)})
			}
		}
		c0 += n
	}
}

func TestFusedTemp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for w := 32; w < 1400; w += 1 + w/40*7 {
		for h := 2; h < 19; h++ {
			img := image.NewGray(image.Rect(0, 0, w, h))
			for i := range img.Pix {
				img.Pix[i] = uint8(rng.Uint32())
			}
			for m := range 3 {
				for _, side := range []int{3, 2, 5, 7} {
					c := [2]float32{0.04, 1e-9}
					want := naive(img, side, m, c)
					for i, k := range instructionSets {
						got := make([]float32, w*h)
						var f fused
						f.prepare(k, side, m, c)
						respondAll(&f, img, got)
						if !slices.Equal(want, got) {
							for j := range got {
								if got[j] != want[j] {
									t.Fatalf("side %d isa %d w %d h %d m %d: at %d,%d: want %v got %v", side, i, w, h, m, j%w, j/w, want[j], got[j])
								}
							}
						}
					}
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
		for _, side := range []int{3, 2, 5, 7} {
			for m := range 3 {
				for i, k := range instructionSets {
					var f fused
					f.prepare(k, side, m, [2]float32{0.04, 1e-9})
					best := time.Hour
					for range 8 {
						st := time.Now()
						for _, img := range fs {
							respondAll(&f, img, out)
						}
						best = min(best, time.Since(st))
					}
					fmt.Printf("%dx%d side %d m%d isa%d %.3f ns/px\n", s.w, s.h, side, m, i, float64(best.Nanoseconds())/float64(s.w*s.h*s.n))
				}
			}
		}
	}
}
