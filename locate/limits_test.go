package locate_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/locate"
)

// blackAndWhite are pictures whose sums are as large as can be: of the pixels, of the squares of what they
// differ from their mean by, and of these in blocks.
var blackAndWhite = []struct {
	name  string
	pixel func(rng *rand.Rand, x, y int) uint8
}{
	{"noise", func(rng *rand.Rand, _, _ int) uint8 { return 255 * uint8(rng.IntN(2)) }},
	{"checkers", func(_ *rand.Rand, x, y int) uint8 { return 255 * uint8((x+y)&1) }},
	{"large checkers", func(_ *rand.Rand, x, y int) uint8 { return 255 * uint8((x/8+y/8)&1) }},
	{"white", func(rng *rand.Rand, x, _ int) uint8 { return 255 - uint8(rng.IntN(100)/99) }},
}

// TestLimits compares with the definition where sums almost need more bits than they are given, and where
// they just do: there the package must take wider ones.
func TestLimits(t *testing.T) {
	for _, limit := range []struct {
		name         string
		more         image.Point // what the scene is larger by
		below, above image.Point // templates
		color, mask  bool
	}{
		{"scores of 32 bits", image.Pt(20, 5), image.Pt(33, 11), image.Pt(28, 13), false, false},
		{"scores of 32 bits in color", image.Pt(20, 5), image.Pt(19, 11), image.Pt(14, 15), true, false},
		{"products of 32 bits", image.Pt(4, 3), image.Pt(175, 188), image.Pt(182, 182), false, false},
		{"products of 32 bits in color", image.Pt(4, 3), image.Pt(104, 105), image.Pt(105, 106), true, false},
		{"squares of a mask's spans", image.Pt(3, 2), image.Pt(200, 110), image.Pt(200, 111), true, true},
		{"exact sums of blocks of 8", image.Pt(22, 20), image.Pt(64, 64), image.Pt(69, 71), false, false},
		{"exact sums of blocks of 4", image.Pt(9, 6), image.Pt(63, 260), image.Pt(63, 287), false, false},
		{"bounds", image.Pt(2, 1), image.Pt(362, 362), image.Pt(364, 364), false, false},
	} {
		t.Run(limit.name, func(t *testing.T) {
			for _, size := range []image.Point{limit.below, limit.above} {
				for _, kind := range blackAndWhite {
					rng := rand.New(rand.NewPCG(uint64(size.X), uint64(size.Y)))
					in := &instance{scene: image.NewGray(image.Rectangle{Max: size.Add(limit.more)})}
					for i := range in.scene.Pix {
						in.scene.Pix[i] = kind.pixel(rng, i%in.scene.Stride, i/in.scene.Stride)
					}
					part := image.Rectangle{Max: size}.Add(limit.more.Div(2))
					in.template = in.scene.SubImage(part).(*image.Gray)
					if limit.color {
						in.colorScene = colors(in.scene)
						in.colorTemplate = in.colorScene.SubImage(part).(*image.RGBA)
					}
					if limit.mask {
						in.mask = image.NewGray(image.Rectangle{Max: size})
						for i := range in.mask.Pix {
							in.mask.Pix[i] = 1
						}
						in.mask.Pix[5000] = 0
					}
					for _, similarity := range similarities {
						opts := locate.Options{Similarity: similarity, MinScore: 0.7}
						o := in.oracle(similarity)
						for _, set := range cpu.InstructionSets("locate") {
							restore := cpu.Limit(set.Set)
							o.require(t, in, opts, fmt.Sprintf("%s, %v, %s, %v", kind.name, size, set.Name, similarity))
							restore()
						}
					}
				}
			}
		})
	}
}
