package calibrate

import (
	"strconv"
	"testing"
)

func BenchmarkCalibrate(b *testing.B) {
	for _, p := range problems(b) {
		b.Run(p.Name, func(b *testing.B) {
			c, views := calibrator(b, p.options()), p.views()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Calibrate(p.size(), views); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWorkers calibrates with 25 views of boards of 9 by 6 corners.
func BenchmarkWorkers(b *testing.B) {
	s := newRig(25)
	s.columns, s.rows = 9, 6
	views := s.noisy(s.views(25), 0.1)
	for _, workers := range []int{1, 2, 4, 8} {
		b.Run(strconv.Itoa(workers), func(b *testing.B) {
			c := calibrator(b, Options{Workers: workers})
			for b.Loop() {
				if _, err := c.Calibrate(webcamSize, views); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParts measures the parts of a calibration with 13 views.
func BenchmarkParts(b *testing.B) {
	p := problems(b)[0]
	o, views := calibrator(b, p.options()).opts, p.views()
	b.Run("starts", func(b *testing.B) {
		j := newSolver(&o, o.freedom(), views)
		for b.Loop() {
			j.starts(&o, p.size())
		}
	})
	b.Run("evaluate", func(b *testing.B) {
		j := newSolver(&o, o.freedom(), views)
		s := j.starts(&o, p.size())[0]
		j.now.cameras[0], j.now.poses = s.camera, s.poses
		for b.Loop() {
			j.evaluate(j.now)
		}
	})
	b.Run("solve", func(b *testing.B) {
		j := newSolver(&o, o.freedom(), views)
		s := j.starts(&o, p.size())[0]
		j.now.cameras[0], j.now.poses = s.camera, s.poses
		j.evaluate(j.now)
		for b.Loop() {
			j.solve(j.now, .001)
		}
	})
}
