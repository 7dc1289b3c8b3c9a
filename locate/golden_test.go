package locate_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/locate"
	"github.com/stretchr/testify/require"
)

// bits is a float64 as hexadecimal digits.
type bits float64

func (b *bits) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	v, err := strconv.ParseUint(s, 16, 64)
	*b = bits(math.Float64frombits(v))
	return err
}

// A goldenCase is a template in a photo.
type goldenCase struct {
	Photo             string
	X, Y, W, H        int
	Channels          int
	Change, Mask      string
	Measure           locate.Similarity
	Width, Height     int
	Response, Scores  string
	Best              struct{ X, Y, Score, DX, DY json.RawMessage }
	MinScore, Overlap float64
	Max               int
	Matches           [][3]json.RawMessage
}

// A tinyCase is a small picture.
type tinyCase struct {
	Width, Height, W, H int
	Measure             locate.Similarity
	Pixels, Template    string
	Scores              []bits
	SHA256              string
}

// goldens reads the golden results.
func goldens(t testing.TB) (all struct {
	Cases []goldenCase
	Tiny  []tinyCase
},
) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	require.Len(t, all.Cases, 110)
	require.Len(t, all.Tiny, 72)
	return all
}

// number reads a number, or the bits of one.
func number(t testing.TB, raw json.RawMessage) float64 {
	t.Helper()
	var b bits
	if raw[0] == '"' {
		require.NoError(t, json.Unmarshal(raw, &b))
		return float64(b)
	}
	var v float64
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}

// sum returns the SHA-256 of numbers, little endian.
func sum(t testing.TB, numbers any) string {
	t.Helper()
	var raw bytes.Buffer
	require.NoError(t, binary.Write(&raw, binary.LittleEndian, numbers))
	s := sha256.Sum256(raw.Bytes())
	return hex.EncodeToString(s[:])
}

// instance makes the pictures of a case.
func (g *goldenCase) instance(t testing.TB) *instance {
	photo := imagetest.Photo(t, g.Photo)
	photo = photo.SubImage(image.Rect(0, 0, 240, 180)).(*image.Gray)
	in := &instance{scene: photo}
	part := image.Rect(g.X, g.Y, g.X+g.W, g.Y+g.H)
	noise := uint32(1)
	change := func(v uint8) uint8 {
		if g.Change == "copy" {
			return v
		}
		noise = noise*1664525 + 1013904223
		return uint8(min(max(((int(v)*218+128)>>8)+9+int(noise>>16)%13-6, 0), 255))
	}
	if g.Channels == 3 {
		in.colorScene, in.colorTemplate = colors(photo), image.NewRGBA(part)
	} else {
		in.template = image.NewGray(part)
	}
	for y := g.Y; y < g.Y+g.H; y++ {
		for x := g.X; x < g.X+g.W; x++ {
			if g.Channels == 3 {
				from, to := in.colorScene.Pix[in.colorScene.PixOffset(x, y):], in.colorTemplate.Pix[in.colorTemplate.PixOffset(x, y):]
				for c := range 3 {
					to[c] = change(from[c])
				}
			} else {
				in.template.Pix[in.template.PixOffset(x, y)] = change(photo.GrayAt(x, y).Y)
			}
		}
	}
	if g.Mask != "none" {
		in.mask = image.NewGray(image.Rect(-3, 5, g.W-3, g.H+5))
		w, h := g.W, g.H
		for y := range h {
			for x := range w {
				dx, dy := (2*x-w+1)*h, (2*y-h+1)*w
				if g.Mask == "disc" && dx*dx+dy*dy <= w*h*w*h || g.Mask == "comb" && (5*x+3*y)%7 < 4 {
					in.mask.Pix[y*w+x] = uint8(x%255 + 1)
				}
			}
		}
	}
	return in
}

// TestGolden compares with the results of the definition, written in numpy, with every instruction
// set.
func TestGolden(t *testing.T) {
	for i, g := range goldens(t).Cases {
		if testing.Short() && i%13 > 0 {
			continue
		}
		s, template := g.instance(t).make(t)
		for _, set := range cpu.InstructionSets("locate") {
			restore := cpu.Limit(set.Set)
			what := fmt.Sprintf("%s, case %d: %+v", set.Name, i, g.Photo)
			l := locator(t, locate.Options{Similarity: g.Measure, MinScore: -1})
			response := l.Response(s, template)
			require.Len(t, response, g.Width*g.Height, what)
			require.Equal(t, g.Response, sum(t, response), what)
			if set.Name == cpu.Portable && i%4 == 0 {
				scores := make([]float64, len(response))
				for i := range scores {
					scores[i] = l.Score(s, template, i%g.Width, i/g.Width)
				}
				require.Equal(t, g.Scores, sum(t, scores), what)
			}
			best, ok := l.Find(s, template)
			require.True(t, ok, what)
			b := &g.Best
			require.Equal(t, locate.Match{
				X: int(number(t, b.X)), Y: int(number(t, b.Y)),
				Score: number(t, b.Score), DX: number(t, b.DX), DY: number(t, b.DY),
			}, best, what)
			opts := locate.Options{Similarity: g.Measure, MinScore: g.MinScore, Overlap: g.Overlap, MaxMatches: g.Max}
			if g.Overlap == 0 {
				opts.Overlap = -1
			}
			matches := locator(t, opts).FindAll(s, template)
			require.Len(t, matches, len(g.Matches), what)
			for k, m := range matches {
				want := [3]float64{number(t, g.Matches[k][0]), number(t, g.Matches[k][1]), number(t, g.Matches[k][2])}
				require.Equal(t, want, [3]float64{float64(m.X), float64(m.Y), m.Score}, what)
			}
			restore()
		}
	}
}

// TestGoldenWays compares with the same results, by each way, whether it would be chosen or not. Each
// case has some of the ways, and in a short test a third of the cases have one at most.
func TestGoldenWays(t *testing.T) {
	sets := cpu.InstructionSets("locate")
	for i, g := range goldens(t).Cases {
		if g.W*g.H > 48*48 && i%3 > 0 {
			continue // the products of large templates take long
		}
		s, template := g.instance(t).make(t)
		for k, way := range locate.Ways {
			if (i+k)%4 > 0 || testing.Short() && i%(3*len(locate.Ways)) != k {
				continue
			}
			set := sets[(i+k)%len(sets)]
			what := fmt.Sprintf("%s, case %d: %s", set.Name, i, way.Name)
			restore := cpu.Limit(set.Set)
			l := locator(t, locate.Options{Similarity: g.Measure, MinScore: -1})
			l.Force(t, way)
			require.Equal(t, g.Response, sum(t, l.Response(s, template)), what)
			best, ok := l.Find(s, template)
			require.True(t, ok, what)
			require.Equal(t, [3]float64{number(t, g.Best.X), number(t, g.Best.Y), number(t, g.Best.Score)}, [3]float64{float64(best.X), float64(best.Y), best.Score}, what)
			opts := locate.Options{Similarity: g.Measure, MinScore: g.MinScore, Overlap: g.Overlap, MaxMatches: g.Max}
			if g.Overlap == 0 {
				opts.Overlap = -1
			}
			l = locator(t, opts)
			l.Force(t, way)
			matches := l.FindAll(s, template)
			require.Len(t, matches, len(g.Matches), what)
			for k, m := range matches {
				want := [3]float64{number(t, g.Matches[k][0]), number(t, g.Matches[k][1]), number(t, g.Matches[k][2])}
				require.Equal(t, want, [3]float64{float64(m.X), float64(m.Y), m.Score}, what)
			}
			restore()
		}
	}
}

// TestTiny compares with the results of the definition for small pictures, some of them flat or
// periodic.
func TestTiny(t *testing.T) {
	picture := func(w, h int, text string) *image.Gray {
		pix, err := hex.DecodeString(text)
		require.NoError(t, err)
		return &image.Gray{Pix: pix, Stride: w, Rect: image.Rect(0, 0, w, h)}
	}
	flat := 0
	for i, g := range goldens(t).Tiny {
		in := instance{scene: picture(g.Width, g.Height, g.Pixels), template: picture(g.W, g.H, g.Template)}
		s, template := in.make(t)
		if template.Flat() {
			flat++
		}
		for _, set := range cpu.InstructionSets("locate") {
			restore := cpu.Limit(set.Set)
			l := locator(t, locate.Options{Similarity: g.Measure})
			w, h := g.Width-g.W+1, g.Height-g.H+1
			scores := make([]float64, w*h)
			response := l.Response(s, template)
			for k := range scores {
				scores[k] = l.Score(s, template, k%w, k/w)
				require.Equal(t, float32(scores[k]), response[k], "%s, case %d", set.Name, i)
			}
			if g.SHA256 != "" {
				require.Equal(t, g.SHA256, sum(t, scores), "%s, case %d", set.Name, i)
			} else {
				for k, v := range g.Scores {
					require.Equal(t, float64(v), scores[k], "%s, case %d, place %d", set.Name, i, k)
				}
			}
			restore()
		}
	}
	require.Positive(t, flat)
}
