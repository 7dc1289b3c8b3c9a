package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/assembly"
	"github.com/fastcorners/fast/evaluation/internal/checks"
	"github.com/fastcorners/fast/evaluation/internal/machine"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/internal/cpu"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A vectorKernel is a kernel in the roofline. Its color tells the instruction
// set, its glyph the shape of the block.
type vectorKernel struct {
	kernel fast.Kernel
	set    string // as functions are named
	shape  shape
	glyph  draw.GlyphDrawer
}

var vectorKernels = []vectorKernel{
	{fast.SSE2Block16x1, "SSE2", shape{16, 1}, draw.CircleGlyph{}},
	{fast.AVX2Block32x1, "AVX2", shape{32, 1}, draw.CircleGlyph{}},
	{fast.AVX2Block16x2, "AVX2", shape{16, 2}, draw.BoxGlyph{}},
	{fast.AVX2Block8x4, "AVX2", shape{8, 4}, draw.PyramidGlyph{}},
	{fast.AVX512Block64x1, "AVX512", shape{64, 1}, draw.CircleGlyph{}},
	{fast.AVX512Block32x2, "AVX512", shape{32, 2}, draw.BoxGlyph{}},
	{fast.AVX512Block16x4, "AVX512", shape{16, 4}, draw.PyramidGlyph{}},
	{fast.AVX512Block8x8, "AVX512", shape{8, 8}, draw.CrossGlyph{}},
	{fast.SSE2Sieve, "SSE2", shape{16, 1}, draw.RingGlyph{}},
	{fast.AVX2Sieve, "AVX2", shape{32, 1}, draw.RingGlyph{}},
	{fast.AVX512Sieve, "AVX512", shape{64, 1}, draw.RingGlyph{}},
}

// isSieve reports whether v is one of the sieve kernels.
func (v vectorKernel) isSieve() bool { return strings.HasSuffix(v.kernel.String(), "-sieve") }

// screened is the number of checks that the first stage of a sieve comes to:
// its four ring pixels are those of the first two checks.
const screened = 2

// operations returns how many vector operations the kernel does for a pixel of
// a frame with these counts.
func (v vectorKernel) operations(functions map[string]*assembly.Function, counts *image.Gray) (float64, error) {
	function := func(name string) *assembly.Function {
		if f := functions[name]; f != nil {
			return f
		}
		return new(assembly.Function) // lacks everything
	}
	pixels := float64(v.shape.w * v.shape.h)
	if v.isSieve() {
		stage := "screen"
		if v.kernel == fast.AVX512Sieve && cpu.Intel() {
			stage = "screenTable"
		}
		screen, err := function(stage + v.set).Screen()
		if err != nil {
			return 0, err
		}
		exact, err := function("exact10" + v.set).Exact()
		if err != nil {
			return 0, err
		}
		survivors := checks.Shares(counts, sieveOrigin(counts), v.shape.w, v.shape.h)[screened+1]
		return (screen + survivors*float64(exact)) / pixels, nil
	}
	block, err := function(fmt.Sprintf("blocks%v%s", v.shape, v.set)).Block()
	if err != nil {
		return 0, err
	}
	shares := checks.Shares(counts, checks.First(counts), v.shape.w, v.shape.h)
	sum := float64(block.Setup) + shares[checks.Passed]*float64(block.Exact)
	for i, n := range block.Checks {
		sum += shares[i+1] * float64(n)
	}
	return sum / pixels, nil
}

// sieveOrigin returns where the blocks of a sieve begin.
func sieveOrigin(img *image.Gray) image.Point {
	return image.Pt(img.Rect.Min.X, checks.First(img).Y)
}

// roofline compares the kernels with what the machine can do.
func roofline(s *session) (map[string][]byte, error) {
	var kernels []fast.Kernel
	var list []vectorKernel
	for _, v := range vectorKernels {
		if len(supported(v.kernel)) > 0 {
			kernels = append(kernels, v.kernel)
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return nil, skipError("this machine has no vector kernels")
	}
	asm, err := os.ReadFile(filepath.Join(s.root, "simd_amd64.s"))
	if err != nil {
		return nil, err
	}
	functions, err := assembly.Parse(bytes.NewReader(asm))
	if err != nil {
		return nil, err
	}

	sizes := []spec{{256, 256, 128, 31}, {8192, 8192, 1, 31}}
	if s.quick {
		sizes = []spec{{64, 64, 4, 2}, {128, 128, 1, 2}}
	}
	steps := 0
	for _, size := range sizes {
		steps += size.steps() + size.Frames
	}
	s.steps(steps)

	peaks := map[string]float64{}
	var peakNames []string
	for _, v := range list {
		if _, ok := peaks[v.set]; !ok {
			peaks[v.set] = machine.VectorsPerCycle(v.shape.w * v.shape.h)
			peakNames = append(peakNames, fmt.Sprintf("%.2f with %s", peaks[v.set], v.set))
		}
	}
	header := []string{"kernel"}
	rows := make([][]string, len(list))
	for i, k := range kernels {
		rows[i] = []string{k.String()}
	}
	c := newChart()
	var clocks []float64
	var bandwidths []string
	for _, size := range sizes {
		frames := s.tiled(size)
		perPixel := make([]float64, len(list))
		for _, img := range frames {
			counts := checks.Count(img, 25)
			for i, v := range list {
				n, err := v.operations(functions, counts)
				if err != nil {
					return nil, err
				}
				perPixel[i] += n / float64(len(frames))
			}
			s.step()
		}
		r, err := s.race(kernels, 25, size, frames)
		if err != nil {
			return nil, err
		}
		clocks = append(clocks, r.GHz)
		bytes := len(frames) * size.W * size.H
		bandwidth := machine.ReadPerCycle(bytes)
		bandwidths = append(bandwidths, fmt.Sprintf("%.1f bytes per cycle (%.1f GB/s) from a buffer of %.1f MB",
			bandwidth, bandwidth*r.GHz, float64(bytes)/1e6))

		p, err := roofPlot(fmt.Sprintf("vector operations per core cycle, frames of %v", size), peaks, bandwidth)
		if err != nil {
			return nil, err
		}
		header = append(header, fmt.Sprintf("%v: operations per pixel", size), "pixels per cycle", "operations per cycle", "roof", "% of the roof")
		for i, v := range list {
			rate := perPixel[i] * r.PerCycle(i)
			roof := min(peaks[v.set], perPixel[i]*bandwidth)
			rows[i] = append(rows[i], fmt.Sprintf("%.3f", perPixel[i]), fmt.Sprintf("%.2f", r.PerCycle(i)),
				fmt.Sprintf("%.2f", rate), fmt.Sprintf("%.2f", roof), fmt.Sprintf("%.0f", 100*rate/roof))
			point, err := plotter.NewScatter(plotter.XYs{{X: perPixel[i], Y: rate}})
			if err != nil {
				return nil, err
			}
			point.Color, point.Shape, point.Radius = setColor(v.set), v.glyph, vg.Points(4)
			p.Add(point)
			if len(c.plots) == 0 {
				c.legend.Add(v.kernel.String(), point)
			}
		}
		c.plots = append(c.plots, p)
	}
	ghz := measure.Median(clocks)
	c.note = s.stamp.line(ghz) + "\nOperations on vectors, counted in the generated code. " +
		"Cycles are of the core clock, estimated with a dependent chain of multiplications in the same run."
	svg := c.svg(900, 420, 125)
	return map[string][]byte{
		"roofline.svg": svg,
		"roofline.md": s.page("Roofline", ghz,
			"FAST-10 at threshold 25, one core. An operation is an instruction that computes a vector or a mask from one: "+
				"arithmetic, logic, comparisons and shuffles, but no loads, stores and moves. Operations per pixel are those of "+
				"each check in the generated assembly, times the share of the blocks that run the check. For the sieves they are "+
				"those of both stages; listing the survivors and the corners is left out. A pixel is a byte, so operations per "+
				"pixel are also the operational intensity, operations per byte of memory.",
			fmt.Sprintf("The roof is the lower one of the peak of vector operations per cycle, measured with minima that do not "+
				"wait for each other (%s), and of what the memory delivers, measured by reading: %s; %s. The frames are as large "+
				"together as those buffers; each round goes over all of them. Both sizes are put together of the same crops of photos.", strings.Join(peakNames, ", "), bandwidths[0], bandwidths[1]),
			table(1, header, rows)),
	}, nil
}

// A roof is the peak of vector operations per cycle, and the instruction sets that have it.
type roof struct {
	peak float64
	sets []string
}

// roofs returns the roofs, the lowest first. Those that are too near to each other to be
// drawn apart are one.
func roofs(peaks map[string]float64) []roof {
	const same = .1
	var list []roof
	sets := slices.Sorted(maps.Keys(peaks))
	slices.SortStableFunc(sets, func(a, b string) int { return cmp.Compare(peaks[a], peaks[b]) })
	for _, set := range sets {
		if n := len(list); n > 0 && peaks[set] < list[n-1].peak*(1+same) {
			list[n-1].sets = append(list[n-1].sets, set)
		} else {
			list = append(list, roof{peaks[set], []string{set}})
		}
	}
	return list
}

// roofPlot returns a plot with the roofs of the instruction sets in it, in their colors
// where they differ, and their names.
func roofPlot(title string, peaks map[string]float64, bandwidth float64) (*plot.Plot, error) {
	p := newPlot(title, "operations per byte of the image", "")
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Min, p.X.Max = .01, 10
	p.Y.Min, p.Y.Max = .2, 8
	p.X.Tick.Marker, p.Y.Tick.Marker = decades(p.X.Min, p.X.Max), decades(p.Y.Min, p.Y.Max)
	start := max(p.X.Min, p.Y.Min/bandwidth)
	labels := plotter.XYLabels{
		XYs:    plotter.XYs{{X: 1.3 * start, Y: start * bandwidth}}, // beside its lower end
		Labels: []string{fmt.Sprintf("%.1f bytes per cycle from memory", bandwidth)},
	}
	// The highest first, so that each sloping part shows the color of the lowest.
	list := roofs(peaks)
	for i := len(list) - 1; i >= 0; i-- {
		r := list[i]
		line, err := plotter.NewLine(plotter.XYs{
			{X: start, Y: start * bandwidth},
			{X: r.peak / bandwidth, Y: r.peak},
			{X: p.X.Max, Y: r.peak},
		})
		if err != nil {
			return nil, err
		}
		line.Width = vg.Points(1.6)
		line.Color = colors[gray]
		if len(r.sets) == 1 {
			line.Color = setColor(r.sets[0])
		}
		p.Add(line)
		labels.XYs = append(labels.XYs, plotter.XY{X: p.X.Max, Y: r.peak})
		labels.Labels = append(labels.Labels, fmt.Sprintf("%s: %.2f", strings.Join(r.sets, ", "), r.peak))
	}
	texts, err := plotter.NewLabels(labels)
	if err != nil {
		return nil, err
	}
	for i := range texts.TextStyle {
		texts.TextStyle[i].Font.Size = 9
		if i > 0 { // above the right end of the roof
			texts.TextStyle[i].XAlign = text.XRight
		}
	}
	texts.Offset = vg.Point{Y: 3}
	p.Add(texts)
	return p, nil
}
