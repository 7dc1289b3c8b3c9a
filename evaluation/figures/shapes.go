package main

import (
	"fmt"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// shapes compares the block kernels of AVX2 and AVX-512 with each other.
func shapes(s *session) (map[string][]byte, error) {
	kernels := supported(fast.AVX2Block32x1, fast.AVX2Block16x2, fast.AVX2Block8x4,
		fast.AVX512Block64x1, fast.AVX512Block32x2, fast.AVX512Block16x4, fast.AVX512Block8x8)
	if len(kernels) == 0 {
		return nil, skipError("this processor has no AVX2")
	}
	size := s.shorten(spec{640, 480, 48, 31})
	thresholds := []uint8{10, 25, 50}
	s.steps(len(thresholds) * size.steps())
	frames := s.frames(size)
	header := []string{"kernel"}
	rows := make([][]string, len(kernels))
	names := make([]string, len(kernels))
	for i, k := range kernels {
		names[i] = k.String()
		rows[i] = []string{k.String()}
	}
	p := newPlot("Shapes of blocks, FAST-10, one core", "", "pixels per core cycle")
	p.NominalX(names...)
	c := newChart(p)
	const width = vg.Length(18)
	var clocks []float64
	for j, threshold := range thresholds {
		header = append(header, fmt.Sprintf("threshold %d", threshold))
		r, err := s.race(kernels, threshold, size, frames)
		if err != nil {
			return nil, err
		}
		clocks = append(clocks, r.GHz)
		var values plotter.Values
		for i := range kernels {
			values = append(values, r.PerCycle(i))
			rows[i] = append(rows[i], fmt.Sprintf("%.3f", r.PerCycle(i)))
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return nil, err
		}
		bars.Color = colors[[]int{skyBlue, blue, green}[j]]
		bars.LineStyle.Width = 0
		bars.Offset = vg.Length(j-1) * (width + 1)
		p.Add(bars)
		c.legend.Add(fmt.Sprintf("threshold %d", threshold), bars)
	}
	p.Y.Min = 0
	p.Y.Tick.Marker = evenly(&p.Y, .25)
	ghz := measure.Median(clocks)
	c.note = s.stamp.line(ghz) + fmt.Sprintf("\n%d frames of %v pixels, crops of photos. "+
		"Cycles are of the core clock, estimated with a dependent chain of multiplications in the same run.", size.Frames, size)
	svg := c.svg(760, 400, 90)
	return map[string][]byte{
		"shapes.svg": svg,
		"shapes.md": s.page("Shapes of blocks", ghz,
			fmt.Sprintf("Pixels per cycle of the core, FAST-10, one core, over %d different frames of %v pixels; medians over the "+
				"rounds of a race.", size.Frames, size),
			table(1, header, rows)),
	}, nil
}
