package sift_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"os"
	"strings"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/sift"
	"github.com/stretchr/testify/require"
)

// A golden is a result of OpenCV 4.6's cv::SIFT on a processor with AVX2.
type golden struct {
	Image, Case                        string
	Width, Height                      int
	Features, Layers                   int
	Contrast, Edge, Sigma              float64
	Octave                             int32   // of the case describe
	Size                               float32 // likewise
	Keypoints                          int
	KeypointsSHA256, DescriptorsSHA256 string
	First                              [][]any // the first keypoints, with their descriptors in hexadecimals
}

func goldens(t testing.TB) []golden {
	data, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var list []golden
	require.NoError(t, json.Unmarshal(data, &list))
	return list
}

// image returns the pixels of a golden.
func (g *golden) image(t testing.TB) *image.Gray {
	switch g.Image {
	case "formula":
		img := image.NewGray(image.Rect(0, 0, g.Width, g.Height))
		for y := range g.Height {
			for x := range g.Width {
				img.SetGray(x, y, color.Gray{Y: uint8(3*x*x + 5*y*y + 7*x*y + 11*((x/3+y/4)%5))})
			}
		}
		return img
	case "dot":
		img := image.NewGray(image.Rect(0, 0, g.Width, g.Height))
		img.SetGray(41, 30, color.Gray{Y: 255})
		return img
	}
	name, part, cropped := strings.Cut(g.Image, "[")
	img := imagetest.Photo(t, strings.TrimSuffix(name, ".png"))
	if cropped {
		var x, y, w, h int
		_, err := fmt.Sscanf(part, "%d,%d,%d,%d]", &x, &y, &w, &h)
		require.NoError(t, err)
		img = img.SubImage(image.Rect(x, y, x+w, y+h)).(*image.Gray)
	}
	return img
}

// mask returns the mask of a golden, or nil.
func (g *golden) mask(t testing.TB, bounds image.Rectangle) *image.Gray {
	place, masked := strings.CutPrefix(g.Case, "mask ")
	if !masked {
		return nil
	}
	var x, y, w, h int
	_, err := fmt.Sscanf(place, "%d,%d,%d,%d", &x, &y, &w, &h)
	require.NoError(t, err)
	mask := image.NewGray(bounds)
	r := image.Rect(x, y, x+w, y+h).Add(bounds.Min)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			mask.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	return mask
}

func (g *golden) options() sift.Options {
	return sift.Options{Features: g.Features, Layers: g.Layers, Contrast: g.Contrast, Edge: g.Edge, Sigma: g.Sigma}
}

// grid returns the keypoints of the case describe, in an image with the given upper left pixel.
func (g *golden) grid(origin image.Point) []sift.Keypoint {
	var kps []sift.Keypoint
	for y := 0; y < g.Height; y += 23 {
		for x := 0; x < g.Width; x += 29 {
			kps = append(kps, sift.Keypoint{
				X: float32(origin.X) + float32(x) + 0.25*float32(x%4), Y: float32(origin.Y) + float32(y) + 0.5*float32(y%3),
				Size: g.Size * (1 + float32((x+y)%3)*0.5), Angle: float32((7*x + 13*y) % 360), Octave: g.Octave | (1+int32(x+y)%3)<<8,
			})
		}
	}
	return kps
}

// require checks keypoints, with coordinates relative to the image, and descriptors.
func (g *golden) require(t *testing.T, kps []sift.Keypoint, descs []match.Vector) {
	require.Len(t, kps, g.Keypoints)
	require.Len(t, descs, g.Keypoints)
	for i, first := range g.First {
		k := kps[i]
		for j, v := range []float32{k.X, k.Y, k.Size, k.Angle, k.Response, float32(k.Octave)} {
			require.Equal(t, float32(first[j].(float64)), v, "number %d of keypoint %d", j, i)
		}
		require.Equal(t, first[6], hex.EncodeToString(descs[i][:]), "descriptor %d", i)
	}
	if g.Case != "describe" {
		var data bytes.Buffer
		for _, k := range kps {
			require.NoError(t, binary.Write(&data, binary.LittleEndian, []float32{k.X, k.Y, k.Size, k.Angle, k.Response}))
			require.NoError(t, binary.Write(&data, binary.LittleEndian, k.Octave))
		}
		require.Equal(t, g.KeypointsSHA256, fmt.Sprintf("%x", sha256.Sum256(data.Bytes())))
	}
	var data []byte
	for i := range descs {
		data = append(data, descs[i][:]...)
	}
	require.Equal(t, g.DescriptorsSHA256, fmt.Sprintf("%x", sha256.Sum256(data)))
}

// atOrigin returns the image with the upper left pixel 0, 0.
func atOrigin(img *image.Gray) *image.Gray {
	moved := *img
	moved.Rect = img.Rect.Sub(img.Rect.Min)
	return &moved
}

// TestOracleGolden checks that the oracle has the results of OpenCV.
func TestOracleGolden(t *testing.T) {
	for _, g := range goldens(t) {
		if strings.HasSuffix(g.Image, ".png") {
			continue // a large one
		}
		switch g.Case {
		case "default", "layers", "sigma2":
			if testing.Short() && strings.Contains(g.Image, "[") {
				continue
			}
		case "describe":
			if testing.Short() && g.Octave != 1 {
				continue
			}
		case "tiny", "one bright pixel at 41,30 of 80x64":
		default:
			continue // the rest is like these
		}
		t.Run(g.Image+" "+g.Case, func(t *testing.T) {
			img := atOrigin(g.image(t))
			if g.Case == "describe" {
				doubled, octaves := g.Octave == 255, 1+int(g.Octave)
				if doubled {
					octaves = 2
				}
				o := newOracle(sift.Options{}, img, doubled, octaves)
				kps := g.grid(img.Rect.Min)
				var descs []match.Vector
				for _, k := range kps {
					descs = append(descs, o.describe(k))
				}
				g.require(t, kps, descs)
				return
			}
			kps := oracleDetect(g.options(), img, g.mask(t, img.Rect))
			o := newOracle(g.options(), img, true, 0)
			var descs []match.Vector
			for _, k := range kps {
				descs = append(descs, o.describe(k))
			}
			g.require(t, kps, descs)
		})
	}
}

// TestGolden checks that the results are those of OpenCV, with every instruction set.
func TestGolden(t *testing.T) {
	for _, set := range cpu.InstructionSets("sift") {
		t.Run(set.Name, func(t *testing.T) {
			defer cpu.Limit(set.Set)()
			for _, g := range goldens(t) {
				large := g.Width*g.Height > 50_000
				if large && (testing.Short() || set.Name == cpu.Portable) {
					continue
				}
				if testing.Short() && g.Keypoints > 0 && g.Case != "default" && (set.Name == cpu.Portable || g.Case != "describe") {
					continue
				}
				t.Run(g.Image+" "+g.Case, func(t *testing.T) {
					img := atOrigin(g.image(t))
					if g.Case == "describe" {
						kps := g.grid(img.Rect.Min)
						g.require(t, kps, extractor(t, sift.Options{}).Describe(kps, img))
						return
					}
					kps, descs := extractor(t, g.options()).Extract(img, g.mask(t, img.Rect))
					g.require(t, kps, descs)
				})
			}
		})
	}
}
