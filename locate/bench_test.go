package locate_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/locate"
)

// benchmark measures what do does with a photo and with templates that are cut out of it.
func benchmark(b *testing.B, do func(l *locate.Locator, s *locate.Scene, t *locate.Template)) {
	photo := imagetest.Photo(b, "life_640x480")
	for _, size := range []image.Point{{8, 8}, {16, 16}, {32, 32}, {64, 64}, {128, 128}, {300, 200}} {
		at := image.Pt(150, 130)
		in := &instance{scene: photo, template: photo.SubImage(image.Rectangle{at, at.Add(size)}).(*image.Gray)}
		for _, set := range cpu.InstructionSets("locate", "fft") {
			b.Run(fmt.Sprintf("size=%dx%d/kernel=%s", size.X, size.Y, set.Name), func(b *testing.B) {
				defer cpu.Limit(set.Set)()
				s, template := in.make(b)
				l := locator(b, locate.Options{})
				for b.Loop() {
					do(l, s, template)
				}
			})
		}
	}
}

func BenchmarkFind(b *testing.B) {
	benchmark(b, func(l *locate.Locator, s *locate.Scene, t *locate.Template) { l.Find(s, t) })
}

func BenchmarkResponse(b *testing.B) {
	var response []float32
	benchmark(b, func(l *locate.Locator, s *locate.Scene, t *locate.Template) {
		response = l.AppendResponse(response[:0], s, t)
	})
}
