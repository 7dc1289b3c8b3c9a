package calibrate

import "testing"

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
