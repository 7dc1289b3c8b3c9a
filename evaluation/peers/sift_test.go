package peers

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/sift"
	"github.com/stretchr/testify/require"
)

// differentSIFT returns how many keypoints are not in both lists with the same descriptor.
func differentSIFT(want, got []sift.Keypoint, wantDescs, gotDescs []match.Vector) (different int) {
	descs := map[sift.Keypoint]match.Vector{}
	for i, kp := range want {
		descs[kp] = wantDescs[i]
	}
	for i, kp := range got {
		if desc, ok := descs[kp]; !ok || desc != gotDescs[i] {
			different++
		}
	}
	return different
}

// TestSIFT checks that OpenCV's SIFT finds the keypoints that package sift finds, that every bit of
// them and of their descriptors is the same, and so are descriptors of given keypoints. Of 4.10 a few
// differ by rounding. It needs an OpenCV that uses AVX2.
func TestSIFT(t *testing.T) {
	peers := openPeers(t)
	if !cpu.Has(cpu.AVX2FMA) {
		t.Skip("this processor has no AVX2 and FMA")
	}
	exact := !peers.Since(4, 7)
	differ := 0
	check := func(opts sift.Options, img, mask *image.Gray) int {
		t.Helper()
		e, err := sift.New(opts)
		require.NoError(t, err)
		want, wantDescs := e.Extract(img, mask)
		got, gotDescs := peers.SIFT(opts, img, mask)
		require.Len(t, got, len(want))
		n := differentSIFT(want, got, wantDescs, gotDescs)
		same := slices.Equal(want, got) && slices.Equal(wantDescs, gotDescs)
		require.True(t, same || !exact, "%d keypoints or descriptors, %+v, %v", n, opts, img.Rect)
		differ += n
		return len(got)
	}
	total := 0
	photos := readPhotos(t)
	for _, photo := range photos {
		total += check(sift.Options{}, photo, nil)
	}
	require.Greater(t, total, 20000)

	part := photos[0].SubImage(image.Rect(30, 20, 260, 190)).(*image.Gray)
	part = &image.Gray{Pix: part.Pix, Stride: part.Stride, Rect: part.Rect.Sub(part.Rect.Min)}
	for _, opts := range []sift.Options{
		{Features: 50},
		{Layers: 1, Contrast: 0.02},
		{Layers: 2},
		{Layers: 5},
		{Contrast: 0.005},
		{Contrast: -1},
		{Edge: 3},
		{Sigma: 1.3},
		{Sigma: 2.2},
		{Layers: 4, Contrast: 0.01, Edge: 20, Sigma: 2},
	} {
		require.NotZero(t, check(opts, part, nil))
		require.NotZero(t, check(opts, part, disc(part.Rect)))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 2, 3, 7, 12, 13, 25, 64} { // few octaves, or none
		img := image.NewGray(image.Rect(0, 0, size, size+1))
		for i := range img.Pix {
			img.Pix[i] = uint8(rng.Uint32())
		}
		check(sift.Options{}, img, nil)
	}

	e, err := sift.New(sift.Options{})
	require.NoError(t, err)
	for _, octave := range []int32{-1, 0, 1, 2} {
		var kps []sift.Keypoint
		for range 200 {
			kps = append(kps, sift.Keypoint{
				X: float32(part.Rect.Dx()) * rng.Float32(), Y: float32(part.Rect.Dy()) * rng.Float32(),
				Size: (3 + 3*rng.Float32()) * float32(math.Ldexp(1, int(octave))), Angle: 360 * rng.Float32(),
				Octave: octave&0xff | (1+rng.Int32N(3))<<8,
			})
		}
		n := differentSIFT(kps, kps, e.Describe(kps, part), peers.DescribeSIFT(sift.Options{}, kps, part))
		require.True(t, n == 0 || !exact, "%d descriptors, octave %d", n, octave)
		differ += n
	}
	t.Logf("%d differ, %d of the photos compared", differ, total)
	require.LessOrEqual(t, differ, total/500)
}

// TestSIFTTests checks that all tests have a peer, begin with this library, and can be done.
func TestSIFTTests(t *testing.T) {
	peers := openPeers(t)
	img := readPhotos(t)[0].SubImage(image.Rect(0, 0, 200, 150)).(*image.Gray)
	kps, _ := peers.SIFT(sift.Options{}, img, nil)
	require.NotEmpty(t, kps)
	for _, test := range peers.SIFTTests() {
		require.False(t, test.contenders[0].peer && len(Sets(SIFTPackages...)) > 1, test.Name)
		require.True(t, test.contenders[len(test.contenders)-1].peer, test.Name)
		for _, c := range test.contenders {
			c.do(SIFTInput{img, kps})
		}
	}
}
