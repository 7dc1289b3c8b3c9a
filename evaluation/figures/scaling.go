package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// A curve is a kernel in the plot of scaling.
type curve struct {
	name   string
	kernel fast.Kernel
	look   look
	// scans is for a kernel that, unlike what the processor has it do, lists
	// corners by scanning bits, without the compressing instructions of VBMI2.
	scans bool
}

// curves returns the curves of the kernels that this processor can run.
func curves() []curve {
	list := []curve{
		{name: "AVX-512 sieve", kernel: fast.AVX512Sieve, look: look{blue, false, draw.CircleGlyph{}}},
		{name: "AVX2 sieve", kernel: fast.AVX2Sieve, look: look{green, false, draw.SquareGlyph{}}},
		{name: "SSE2 sieve", kernel: fast.SSE2Sieve, look: look{orange, false, draw.TriangleGlyph{}}},
		{name: "AVX-512 64x1, compress", kernel: fast.AVX512Block64x1, look: look{blue, true, draw.CircleGlyph{}}},
		{name: "AVX-512 64x1, scan", kernel: fast.AVX512Block64x1, look: look{skyBlue, true, draw.RingGlyph{}}, scans: true},
		{name: "AVX2 32x1", kernel: fast.AVX2Block32x1, look: look{green, true, draw.SquareGlyph{}}},
		{name: "SSE2 16x1", kernel: fast.SSE2Block16x1, look: look{orange, true, draw.TriangleGlyph{}}},
		{name: "scalar", kernel: fast.Scalar, look: look{black, true, draw.CrossGlyph{}}},
	}
	all := fast.Kernels()
	canCompress := slices.Contains(all, fast.AVX512Sieve)
	return slices.DeleteFunc(list, func(c curve) bool {
		return !slices.Contains(all, c.kernel) || c.kernel == fast.AVX512Block64x1 && !c.scans && !canCompress
	})
}

// scaling measures how many pixels a cycle the kernels do in images of growing
// size.
func scaling(s *session) (map[string][]byte, error) {
	sizes := []spec{
		{256, 256, 128, 31},
		{512, 512, 32, 31},
		{1024, 1024, 8, 31},
		{2048, 2048, 2, 31},
		{4096, 4096, 1, 31},
		{8192, 8192, 1, 31},
	}
	if s.quick {
		sizes = []spec{{64, 64, 4, 2}, {128, 128, 2, 2}}
	}
	steps := 0
	for _, c := range sizes {
		steps += c.steps()
	}
	s.steps(steps)

	list := curves()
	points := make([]plotter.XYs, len(list))
	rows := make([][]string, len(list))
	for i, c := range list {
		rows[i] = []string{c.name}
	}
	header := []string{"kernel"}
	var frames []string
	var clocks []float64
	for _, size := range sizes {
		header = append(header, size.String())
		frames = append(frames, fmt.Sprintf("%d of %v", size.Frames, size))
		perCycle, ghz, err := s.raceCurves(list, size)
		if err != nil {
			return nil, err
		}
		clocks = append(clocks, ghz)
		for i, n := range perCycle {
			points[i] = append(points[i], plotter.XY{X: float64(size.W), Y: n})
			rows[i] = append(rows[i], fmt.Sprintf("%.2f", n))
		}
	}
	ghz := measure.Median(clocks)

	p := newPlot("FAST-10 at threshold 25, pixels per cycle of one core", "width and height of the image (pixels)", "")
	c := newChart(p)
	c.note = s.stamp.line(ghz) + "\nCycles are of the core clock, estimated with a dependent chain of multiplications in the same run."
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker = widthTicks(sizes)
	p.Y.Min, p.Y.Max = .05, 5
	p.Y.Tick.Marker = decades(p.Y.Min, p.Y.Max)
	for i, curve := range list {
		if err := c.addLine(p, curve.name, points[i], curve.look); err != nil {
			return nil, err
		}
	}
	svg := c.svg(720, 420, 165)
	return map[string][]byte{
		"scaling.svg": svg,
		"scaling.md": s.page("Throughput against image size", ghz,
			"Pixels per cycle of the core, FAST-10 at threshold 25, one core; medians over the rounds of a race. Cycles are of "+
				"the core clock, estimated with a dependent chain of multiplications in the same run. \"Compress\" lists the "+
				"corners with the compressing instructions of VBMI2, \"scan\" by scanning bits.",
			fmt.Sprintf("The frames are %s. All are put together of the same crops of photos, so that they differ in nothing "+
				"but their size.", strings.Join(frames, ", ")),
			table(1, header, rows)),
	}, nil
}

// raceCurves returns how many pixels per cycle each kernel does, and the clock.
func (s *session) raceCurves(list []curve, c spec) (perCycle []float64, ghz float64, err error) {
	canCompress := slices.Contains(fast.Kernels(), fast.AVX512Sieve)
	var kernels []fast.Kernel
	for _, curve := range list {
		if !curve.scans || !canCompress {
			kernels = append(kernels, curve.kernel)
		}
	}
	r, err := s.race(kernels, 25, c, s.tiled(c))
	if err != nil {
		return nil, 0, err
	}
	i := 0
	for _, curve := range list {
		if curve.scans && canCompress {
			remote, err := remoteRace(c)
			if err != nil {
				return nil, 0, err
			}
			s.spreads = append(s.spreads, remote.Spread...)
			perCycle = append(perCycle, remote.PerCycle(0))
		} else {
			perCycle = append(perCycle, r.PerCycle(i))
			i++
		}
	}
	return perCycle, r.GHz, nil
}

// remoteRace measures kernel avx512-64x1 in a process in which package fast
// does not see VBMI2.
func remoteRace(c spec) (measure.Result, error) {
	arg, err := json.Marshal(c)
	if err != nil {
		return measure.Result{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return measure.Result{}, err
	}
	cmd := exec.Command(program, "-remote", string(arg))
	cmd.Env = append(os.Environ(), "GODEBUG=cpu.avx512vbmi2=off")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	if err != nil {
		return measure.Result{}, fmt.Errorf("race without VBMI2: %w", err)
	}
	var r measure.Result
	err = json.Unmarshal(out, &r)
	return r, err
}

// serveRace does what remoteRace asks for.
func (s *session) serveRace(arg string, out io.Writer) error {
	if slices.Contains(fast.Kernels(), fast.AVX512Sieve) {
		return errors.New("package fast sees VBMI2")
	}
	var c spec
	if err := json.Unmarshal([]byte(arg), &c); err != nil {
		return err
	}
	r, err := s.race([]fast.Kernel{fast.AVX512Block64x1}, 25, c, s.tiled(c))
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(r)
}
