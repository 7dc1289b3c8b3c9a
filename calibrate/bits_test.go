package calibrate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"github.com/fastcorners/fast/geometry"
	"github.com/stretchr/testify/require"
)

// TestSameBits checks that results have the same bits on every platform. The hash is that of all numbers
// of the calibrations of solve.json, of flat boards and of bent ones, and of a pair.
func TestSameBits(t *testing.T) {
	h := sha256.New()
	add := func(list ...float64) {
		for _, v := range list {
			require.NoError(t, binary.Write(h, binary.LittleEndian, math.Float64bits(v)))
		}
	}
	for _, p := range problems(t) {
		for _, bend := range []bool{false, true} {
			o := p.options()
			o.Bend, o.Workers = bend, 2
			calibrator := calibrator(t, o)
			c, err := calibrator.Calibrate(p.size(), p.views())
			require.NoError(t, err)
			for _, f := range fieldsOf(&c.Camera) {
				add(*f)
			}
			for i, q := range c.Poses {
				add(q.R[:]...)
				add(q.T[:]...)
				for _, e := range c.Errors(i) {
					add(e.X, e.Y)
				}
			}
			deviations := c.StandardDeviations()
			add(deviations[:]...)
			add(c.RMS, c.Sigma, c.Bend[0], c.Bend[1], float64(c.Iterations), c.Covariance(2, 3))
			add(c.Influence()...)
			add(c.Uncertainty(geometry.Point{X: 300, Y: 200}))
			hint := c.Suggest(p.Columns, p.Rows)
			add(hint.At.X, hint.At.Y, hint.TiltX, hint.TiltY, hint.Size, hint.Before, hint.After)
			halves, err := calibrator.Halves(p.size(), p.views())
			require.NoError(t, err)
			add(halves.Difference, halves.Predicted)
		}
	}
	views, a, b := stereoViews(t)
	for _, refine := range []bool{false, true} {
		p, err := calibrator(t, Options{RefineCameras: refine}).Pair(a, b, views)
		require.NoError(t, err)
		add(p.Pose.R[:]...)
		add(p.Pose.T[:]...)
		add(p.Turn[:]...)
		add(p.Shift[:]...)
		add(p.RMS, p.Sigma, p.A.K1, p.B.K1)
	}
	require.Equal(t, "5b1a078d582032cec904478768249f57eb2ba0c3c80594215ba73e6a70da2c27", hex.EncodeToString(h.Sum(nil)))
}
