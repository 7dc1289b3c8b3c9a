package tag

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/test/imagetest"
)

// scenes returns n images of w by h pixels, each of four or more goldens with tags of Tag36h11.
func scenes(t testing.TB, w, h, n int) []*image.Gray {
	all := goldens(t)[:14]
	var list []*image.Gray
	for i := range n {
		img := image.NewGray(image.Rect(0, 0, w, h))
		for k, y := i, 0; y < h; y += 240 {
			for x := 0; x < w; x += 320 {
				draw.Draw(img, image.Rect(x, y, x+320, y+240), all[k%len(all)].image, image.Point{}, draw.Src)
				k += 3
			}
		}
		list = append(list, img)
	}
	return list
}

// BenchmarkDetect measures the search for tags, in images with and without them.
func BenchmarkDetect(b *testing.B) {
	d, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	var tags []Tag
	for _, size := range []image.Point{{640, 480}, {1920, 1080}} {
		b.Run(fmt.Sprintf("scenes=%dx%d", size.X, size.Y), func(b *testing.B) {
			imagetest.Benchmark(b, size.X, size.Y, scenes(b, size.X, size.Y, 8), func(img *image.Gray) { tags = d.Append(tags[:0], img) })
		})
		b.Run(fmt.Sprintf("photos=%dx%d", size.X, size.Y), func(b *testing.B) {
			list := imagetest.Frames(b, size.X, size.Y, 8)
			imagetest.Benchmark(b, size.X, size.Y, list, func(img *image.Gray) { tags = d.Append(tags[:0], img) })
		})
	}
}

// BenchmarkWorkers measures the search for tags in large images by numbers of workers.
func BenchmarkWorkers(b *testing.B) {
	const w, h = 3840, 2160
	list := scenes(b, w, h, 4)
	photos := imagetest.Frames(b, w, h, 4)
	var tags []Tag
	for _, workers := range []int{1, 2, 4, 8, 16} {
		d, err := New(Options{Workers: workers})
		if err != nil {
			b.Fatal(err)
		}
		for name, list := range map[string][]*image.Gray{"scenes": list, "photos": photos} {
			b.Run(fmt.Sprintf("workers=%d/%s=%dx%d", workers, name, w, h), func(b *testing.B) {
				imagetest.Benchmark(b, w, h, list, func(img *image.Gray) { tags = d.Append(tags[:0], img) })
			})
		}
	}
}

// BenchmarkFollow measures the search for five moving markers, before a wall and before a photo, in the
// surroundings of those of the frame before, and in the whole frame.
func BenchmarkFollow(b *testing.B) {
	d, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []image.Point{{640, 480}, {1920, 1080}} {
		wall := image.NewGray(image.Rect(0, 0, size.X, size.Y))
		draw.Draw(wall, wall.Rect, image.NewUniform(color.Gray{Y: 150}), image.Point{}, draw.Src)
		for behind, photo := range map[string]*image.Gray{"wall": wall, "photo": imagetest.Frames(b, size.X, size.Y, 1)[0]} {
			rng := rand.New(rand.NewPCG(1, 5))
			movers := newMovers(rng, []Family{{}}, fiveBefore(size.X, size.Y), float64(size.X)/16, 0.2)
			type step struct {
				image *image.Gray
				last  []Tag
			}
			var film []step
			last := d.Detect(frame(rng, photo, movers, 0))
			for i := range 4 {
				img := frame(rng, photo, movers, i+1)
				film = append(film, step{img, last})
				last = d.Detect(img)
			}
			var tags []Tag
			name := fmt.Sprintf("behind=%s/video=%dx%d", behind, size.X, size.Y)
			b.Run("call=Follow/"+name, func(b *testing.B) {
				imagetest.Benchmark(b, size.X, size.Y, film, func(s step) { tags = d.AppendFollow(tags[:0], s.image, s.last) })
				b.ReportMetric(float64(len(tags)), "tags")
			})
			b.Run("call=Detect/"+name, func(b *testing.B) {
				imagetest.Benchmark(b, size.X, size.Y, film, func(s step) { tags = d.Append(tags[:0], s.image) })
				b.ReportMetric(float64(len(tags)), "tags")
			})
		}
	}
}

// BenchmarkStages measures the steps of the search before tags are read.
func BenchmarkStages(b *testing.B) {
	for _, size := range []image.Point{{640, 480}, {1920, 1080}} {
		d, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		list := imagetest.Frames(b, size.X, size.Y, 8)
		j := newJob(d)
		for name, stage := range map[string]func(){
			"bits":  func() { j.findBits() },
			"label": func() { j.label(j.bitmap.dark) },
			"quads": func() { j.findQuads() },
		} {
			b.Run(fmt.Sprintf("stage=%s/frames=%dx%d", name, size.X, size.Y), func(b *testing.B) {
				imagetest.Benchmark(b, size.X, size.Y, list, func(img *image.Gray) {
					j.begin(raster.NewPlane("tag", img))
					if name != "bits" {
						b.StopTimer()
						j.findBits()
						b.StartTimer()
					}
					stage()
				})
			})
		}
	}
}

// BenchmarkNew measures New, which is called once.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRound measures a round of a fit.
func BenchmarkRound(b *testing.B) {
	runs := make([]*fitRun, 8)
	for i := range runs {
		runs[i] = randomRun(rand.New(rand.NewPCG(1, uint64(i))), 800)
	}
	for row := range table.Available() {
		b.Run("kernels="+row.Name, func(b *testing.B) {
			for i := range b.N {
				row.Kernels.round(runs[i%len(runs)])
			}
		})
	}
}
