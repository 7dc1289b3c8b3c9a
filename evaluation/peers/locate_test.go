package peers

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/locate"
	"github.com/stretchr/testify/require"
)

// TestSearch compares the responses and the best place of OpenCV with those of package locate, gray
// and in color, with and without a mask.
func TestSearch(t *testing.T) {
	peers := openPeers(t)
	rng := rand.New(rand.NewPCG(1, 2))
	screen := image.NewRGBA(image.Rect(0, 0, 90, 60))
	gray := image.NewGray(screen.Rect)
	for i := range gray.Pix {
		gray.Pix[i] = uint8(rng.IntN(256))
		copy(screen.Pix[4*i:], []byte{uint8(rng.IntN(256)), gray.Pix[i], uint8(rng.IntN(256)), 255})
	}
	at := image.Rect(31, 22, 31+17, 22+12)
	mask := image.NewGray(at)
	for i := range mask.Pix {
		mask.Pix[i] = uint8(i % 3)
	}
	for s := locate.Correlation; s <= locate.Difference; s++ {
		l := Must(locate.New(locate.Options{Similarity: s}))
		for _, m := range []*image.Gray{nil, mask} {
			grayPart, part := gray.SubImage(at).(*image.Gray), screen.SubImage(at).(*image.RGBA)
			for _, c := range []struct {
				scene           *locate.Scene
				template        *locate.Template
				picture, pixels Pixels
			}{
				{locate.NewScene(gray), Must(locate.NewTemplate(grayPart, m)), GrayPixels(gray), GrayPixels(grayPart)},
				{locate.NewColorScene(screen), Must(locate.NewColorTemplate(part, m)), RGBPixels(screen), RGBPixels(part)},
			} {
				n := at.Dx() * at.Dy()
				if m != nil {
					n -= (n + 2) / 3
				}
				want, got := l.Response(c.scene, c.template), peers.SearchResponse(s, c.picture, c.pixels, m)
				require.Len(t, got, len(want))
				for i, v := range got {
					if s == locate.Difference {
						v = 1 - v/float32(65025*n*c.pixels.Channels)
					}
					require.InDelta(t, want[i], v, 1e-4, fmt.Sprint(s, m != nil, c.pixels.Channels, i))
				}
				place, _ := peers.Search(s, c.picture, c.pixels, m)
				require.Equal(t, at.Min, place)
			}
		}
	}
}
