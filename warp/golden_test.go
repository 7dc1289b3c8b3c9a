package warp_test

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
	"strings"
	"testing"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/warp"
	"github.com/stretchr/testify/require"
)

// A golden result is one of OpenCV's.
type golden struct {
	Photo         string
	Crop          []int
	Channels      int
	Op            string
	Name          string
	Interpolation warp.Interpolation
	Border        border.Mode
	Value         json.RawMessage
	Width, Height int
	Matrix        []float64
	Inverse       bool `json:"matrixMapsDestinationToSource"`
	Map           goldenMap
	MapSHA256     string
	Lens          camera.Camera
	SHA256        string
	Rows          []string
	Bits          int   // of the pixels of a source of 16 bits
	Source        []int // its width and height
}

// A goldenMap is how a map is made.
type goldenMap struct {
	Kind           string
	CX, CY, SX, SY float64
	S, K1, K2      float64
	Special, Fixed bool
}

// goldens reads the golden results.
func goldens(t testing.TB) (all struct {
	Cases, Undistort, Tiny []golden
	Inverses               []struct{ Matrix, Inverse []float64 }
},
) {
	t.Helper()
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	require.Len(t, all.Cases, 125)
	require.Len(t, all.Undistort, 10)
	require.Len(t, all.Tiny, 75)
	require.Len(t, all.Inverses, 80)
	return all
}

// short reports whether a case is too large for the short tests.
func (g *golden) long() bool {
	return g.Width*g.Height > 200_000 || strings.Contains(g.Photo, "1920") || strings.Contains(g.Photo, "1280")
}

// transform returns the transform of a case from a source of w by h pixels.
func (g *golden) transform(t testing.TB, w, h int) warp.Transform {
	t.Helper()
	switch {
	case g.Op == "affine":
		m := warp.Affine(g.Matrix)
		if !g.Inverse {
			m, _ = m.Inverse() // without one, OpenCV takes what it has
		}
		return m
	case g.Op == "perspective":
		m := warp.Homography(g.Matrix)
		if !g.Inverse {
			m, _ = m.Inverse() // without one, OpenCV takes what it has
		}
		return m
	}
	m := g.Map.make(g.Width, g.Height, w, h)
	var raw bytes.Buffer
	var transform warp.Transform = m
	write := func(v any) { require.NoError(t, binary.Write(&raw, binary.LittleEndian, v)) }
	if g.Map.Fixed {
		fixed, err := m.Fixed()
		require.NoError(t, err)
		transform = fixed
		write(fixed.XY)
		write(fixed.Fraction)
	} else {
		write(m.X)
		write(m.Y)
	}
	sum := sha256.Sum256(raw.Bytes())
	require.Equal(t, g.MapSHA256, hex.EncodeToString(sum[:]), "the map")
	return transform
}

// hashOf returns noise.
func hashOf(x, y int) uint32 {
	return uint32((uint64(x)*73856093 ^ uint64(y)*19349663) * 2654435761)
}

// make returns the map of w by h places in a source of sw by sh pixels.
func (g *goldenMap) make(w, h, sw, sh int) *warp.Map {
	m := &warp.Map{Width: w, Height: h, X: make([]float32, w*h), Y: make([]float32, w*h)}
	for i := range m.X {
		x, y := i%w, i/w
		if g.Kind == "lens" {
			u, v := float64(x)-g.CX, float64(y)-g.CY
			q := (float64(u*u) + float64(v*v)) * g.S
			f := (1 + float64(g.K1*q)) + float64(g.K2*float64(q*q))
			m.X[i], m.Y[i] = float32(g.SX+float64(u*f)), float32(g.SY+float64(v*f))
			continue
		}
		hash := hashOf(x, y)
		a, b := float64(hash>>8&65535), float64(hash>>16)
		if g.Kind == "scatter" {
			m.X[i] = float32((a/65536*1.5 - 0.25) * float64(sw))
			m.Y[i] = float32((b/65536*1.5 - 0.25) * float64(sh))
		} else {
			m.X[i] = float32(float64(x) + (math.Floor(a/256)-128)/64)
			m.Y[i] = float32(float64(y) + (math.Floor(b/256)-128)/64)
		}
	}
	if g.Special {
		inf := math.Inf(1)
		special := [13]float64{math.NaN(), inf, -inf, 1e9, -1e9, 67108863, -67108864, 40000, -40000, 32767, 32768, -0.5, -1}
		for i := range m.X {
			if i%97 == 5 {
				m.X[i] = float32(special[i/97%13])
			}
			if i%89 == 7 {
				m.Y[i] = float32(special[i/89%13])
			}
		}
	}
	return m
}

// source returns noise of 16 bits, or the photo of a case as the channels of a picture: p(x, y),
// p(W-1-x, y), p(x, H-1-y) and 255-p.
func (g *golden) source(t testing.TB) *picture {
	t.Helper()
	if g.Bits > 0 {
		p := newPicture(2, image.Rect(0, 0, g.Source[0], g.Source[1]))
		for y := range g.Source[1] {
			for x := range g.Source[0] {
				p.set(x, y, 0, int(hashOf(x, y)>>16&(1<<g.Bits-1)))
			}
		}
		return p
	}
	img := imagetest.Photo(t, strings.TrimSuffix(g.Photo, ".png"))
	if g.Crop != nil {
		img = img.SubImage(image.Rect(0, 0, g.Crop[0], g.Crop[1])).(*image.Gray)
	}
	if g.Channels == 1 {
		return &picture{img.Pix, img.Stride, 1, img.Rect}
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	p := newPicture(4, img.Rect)
	for y := range h {
		for x := range w {
			v := img.Pix[y*img.Stride+x]
			copy(p.pix[y*p.stride+4*x:], []byte{v, img.Pix[y*img.Stride+w-1-x], img.Pix[(h-1-y)*img.Stride+x], 255 - v})
		}
	}
	return p
}

// TestGolden compares warps of photos with OpenCV's.
func TestGolden(t *testing.T) {
	all := goldens(t)
	testGoldens(t, append(all.Cases, all.Undistort...))
}

// TestGolden16 compares warps of noise of 10, 14 and 16 bits with OpenCV's.
func TestGolden16(t *testing.T) {
	data, err := os.ReadFile("testdata/golden16.json")
	require.NoError(t, err)
	var list []golden
	require.NoError(t, json.Unmarshal(data, &list))
	require.Len(t, list, 66)
	testGoldens(t, list)
}

// testGoldens compares warps with OpenCV's.
func testGoldens(t *testing.T, list []golden) {
	for i, g := range list {
		if testing.Short() && (g.long() || i%2 > 0 && (g.Op == "" || g.Width*g.Height > 20_000)) {
			continue
		}
		name := fmt.Sprintf("%d %s %s %s", i, g.Op, g.Name, g.Photo)
		src := g.source(t)
		var transform warp.Transform
		opts := warp.Options{Interpolation: g.Interpolation, Border: g.Border}
		if g.Op == "" {
			g.Width, g.Height = src.rect.Dx(), src.rect.Dy()
			transform = warp.Undistortion(g.Lens, g.Width, g.Height)
		} else {
			var value []uint8
			var numbers []int
			require.NoError(t, json.Unmarshal(g.Value, &numbers))
			for _, v := range numbers {
				value = append(value, uint8(v))
			}
			copy(opts.Value[:], value)
			transform = g.transform(t, src.rect.Dx(), src.rect.Dy())
		}
		blank := func() *picture {
			dst := newPicture(src.size, image.Rect(0, 0, g.Width, g.Height))
			for i := range dst.pix {
				dst.pix[i] = uint8(7*i + i>>8)
			}
			return dst
		}
		hash := func(dst *picture) string {
			sum := sha256.Sum256(dst.pix)
			return hex.EncodeToString(sum[:])
		}
		want := g.SHA256
		if saturates(opts, src, transform, image.Rect(0, 0, g.Width, g.Height)) {
			like, exact := blank(), blank()
			oracleOf(opts, like, src, transform, true)
			require.Equal(t, want, hash(like), name)
			oracle(opts, exact, src, transform)
			want = hash(exact)
		}
		for _, set := range cpu.InstructionSets("warp") {
			restore := cpu.Limit(set.Set)
			dst := blank()
			apply(t, opts, dst, src, transform)
			restore()
			require.Equal(t, want, hash(dst), "%s, %s", set.Name, name)
		}
	}
}

// saturates reports whether results differ from OpenCV's, since it limits positions to 16 bits, which
// shows where the borders repeat the source.
func saturates(opts warp.Options, src *picture, transform warp.Transform, r image.Rectangle) bool {
	if opts.Border != border.Wrap && opts.Border != border.Reflect && opts.Border != border.Reflect101 {
		return false
	}
	units := int64(32)
	if opts.Interpolation == warp.Nearest {
		units = 1
	}
	for y := range r.Dy() {
		for x := range r.Dx() {
			px, py := place(transform, r, x, y, opts.Interpolation == warp.Nearest)
			if min(px, py) < -32768*units || max(px, py) > 32767*units {
				return true
			}
		}
	}
	return false
}

// TestGoldenTiny compares warps of 8 by 6 pixels with OpenCV's.
func TestGoldenTiny(t *testing.T) {
	for i, g := range goldens(t).Tiny {
		src := newPicture(1, image.Rect(0, 0, 8, 6))
		for i := range src.pix {
			src.pix[i] = uint8(5 * i)
		}
		var value uint8
		require.NoError(t, json.Unmarshal(g.Value, &value))
		opts, transform := warp.Options{Interpolation: g.Interpolation, Border: g.Border, Value: [4]uint8{value}}, g.transform(t, 8, 6)
		check := func(draw func(dst *picture), rows []string, what string) (got []string) {
			dst := newPicture(1, src.rect)
			for i := range dst.pix {
				dst.pix[i] = 77
			}
			draw(dst)
			for y := range 6 {
				got = append(got, strings.Trim(fmt.Sprint(dst.pix[8*y:][:8]), "[]"))
			}
			if rows != nil {
				require.Equal(t, rows, got, "%s, case %d", what, i)
			}
			return got
		}
		rows := g.Rows
		if saturates(opts, src, transform, src.rect) {
			check(func(dst *picture) { oracleOf(opts, dst, src, transform, true) }, rows, "oracle")
			rows = check(func(dst *picture) { oracle(opts, dst, src, transform) }, nil, "")
		}
		for _, set := range cpu.InstructionSets("warp") {
			restore := cpu.Limit(set.Set)
			check(func(dst *picture) { apply(t, opts, dst, src, transform) }, rows, set.Name)
			restore()
		}
	}
}

// TestGoldenInverses compares inverses with OpenCV's.
func TestGoldenInverses(t *testing.T) {
	for _, g := range goldens(t).Inverses {
		if len(g.Matrix) == 6 {
			inverse, ok := warp.Affine(g.Matrix).Inverse()
			require.Equal(t, warp.Affine(g.Inverse), inverse, "%v", g.Matrix)
			require.Equal(t, g.Matrix[0]*g.Matrix[4] != g.Matrix[1]*g.Matrix[3], ok, "%v", g.Matrix)
		} else {
			inverse, ok := warp.Homography(g.Matrix).Inverse()
			require.Equal(t, warp.Homography(g.Inverse), inverse, "%v", g.Matrix)
			require.Equal(t, inverse != warp.Homography{}, ok, "%v", g.Matrix)
		}
	}
}
