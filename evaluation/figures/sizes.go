package main

import (
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/point"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// A sized detector is one whose time is shown against sizes.
type sized struct {
	name    string
	look    look
	kernels []int // the sides that its kernels and windows may have
	make    func(kernel int) (detect func(img *image.Gray))
}

// allKernels are the sides of kernels that are measured, and harrisKernels those of them
// that package harris has.
var (
	allKernels    = []int{5, 7, 9, 11, 15, 19, 23, 27, 31, 39, 47, 55, 63}
	harrisKernels = allKernels[:9]
)

// separable returns the options of package harris for what the papers on LoCoCo compare it
// with, with kernels and windows of any size.
func separable(size int) harris.Options {
	opts := harris.Separable9()
	opts.GradientSigma, opts.GradientRadius, opts.BlockSize = float64(size)/6, size/2, size
	return opts
}

// sobel returns the options for what takes the place of small kernels, with the same
// suppression.
func sobel() harris.Options {
	return harris.Options{Measure: harris.Harris, SuppressionRadius: 4}
}

// newDetector returns a function that detects with d, into the same memory each time.
func newDetector[C any](d interface {
	Append(dst []C, img, mask *image.Gray) []C
},
) func(img *image.Gray) {
	var corners []C
	return func(img *image.Gray) { corners = d.Append(corners[:0], img, nil) }
}

// newExtractor returns a function that finds and describes keypoints with e, into the same memory each
// time.
func newExtractor[D any](e interface {
	Append(kps []point.Keypoint, descs []D, img, mask *image.Gray) ([]point.Keypoint, []D)
},
) func(img *image.Gray) {
	var kps []point.Keypoint
	var descs []D
	return func(img *image.Gray) { kps, descs = e.Append(kps[:0], descs[:0], img, nil) }
}

// newHarris returns a function that detects with these options.
func newHarris(opts harris.Options) func(img *image.Gray) {
	return newDetector[harris.Corner](peers.Must(harris.New(opts)))
}

// sizedDetectors returns the detectors: three with the best instruction set of this
// processor and, if it has one, the same three without.
func sizedDetectors() []sized {
	sets := peers.Sets(peers.LoCoCoPackages...)
	if len(sets) > 1 {
		sets = []cpu.InstructionSet{sets[0], sets[len(sets)-1]}
	}
	var list []sized
	for i, set := range sets {
		add := func(name string, color int, kernels []int, create func(kernel int) func(img *image.Gray)) {
			list = append(list, sized{
				name + ", " + set.Name,
				look{color: color, dashed: i > 0},
				kernels,
				func(kernel int) func(img *image.Gray) {
					return peers.Limit(set, func() func(img *image.Gray) { return create(kernel) })
				},
			})
		}
		add("LoCoCo", blue, allKernels, func(kernel int) func(img *image.Gray) {
			return newDetector[lococo.Corner](peers.Must(lococo.New(lococo.Options{KernelSizes: []int{kernel}})))
		})
		add("separable Harris", vermilion, harrisKernels, func(kernel int) func(img *image.Gray) { return newHarris(separable(kernel)) })
		add("Harris with Sobel", purple, []int{3}, func(int) func(img *image.Gray) { return newHarris(sobel()) })
	}
	return list
}

// A sample is a detector, by its index, and the side of its kernel.
type sample struct{ detector, kernel int }

// raceSized measures the detectors with those of the kernels that they have, and returns
// nanoseconds per pixel and the clock in GHz.
func (s *session) raceSized(list []sized, kernels []int, inputs []*image.Gray, rounds int) (map[sample]float64, float64) {
	var samples []sample
	var contenders []func(img *image.Gray)
	for i, d := range list {
		for _, kernel := range d.kernels {
			if !slices.Contains(kernels, kernel) {
				continue
			}
			samples, contenders = append(samples, sample{i, kernel}), append(contenders, d.make(kernel))
		}
	}
	r := measure.Race(contenders, inputs, frames.Pixels(inputs), rounds, s.step)
	s.spreads = append(s.spreads, r.Spread...)
	times := map[sample]float64{}
	for i, sample := range samples {
		times[sample] = r.Nanoseconds[i]
	}
	return times, r.GHz
}

// fewKernels are the sides of kernels that are measured in images of growing size.
var fewKernels = []int{3, 9, 31}

// glyphOf returns what tells one of them, filled or not.
func glyphOf(kernel int, filled bool) draw.GlyphDrawer {
	if filled {
		return map[int]draw.GlyphDrawer{3: draw.PyramidGlyph{}, 9: draw.CircleGlyph{}, 31: draw.BoxGlyph{}}[kernel]
	}
	return map[int]draw.GlyphDrawer{3: draw.TriangleGlyph{}, 9: draw.RingGlyph{}, 31: draw.SquareGlyph{}}[kernel]
}

// compareSizes measures LoCoCo and the separable Harris with kernels and in images of
// growing size.
func compareSizes(s *session) (map[string][]byte, error) {
	size := spec{640, 480, 8, 15}
	// Each of them shows the same tiles.
	images := []spec{{256, 256, 64, 15}, {512, 512, 16, 15}, {1024, 1024, 4, 15}, {2048, 2048, 1, 15}}
	kernels := append([]int{3}, allKernels...)
	if s.quick {
		size, images, kernels = s.shorten(size), []spec{{64, 64, 4, 2}, {128, 128, 1, 2}}, []int{3, 9, 31, 63}
	}
	steps := size.steps()
	for _, c := range images {
		steps += c.steps()
	}
	s.steps(steps)
	list := sizedDetectors()

	byKernel, ghz := s.raceSized(list, kernels, s.frames(size), size.Rounds)
	clocks := []float64{ghz}
	var byImage []map[sample]float64
	for _, c := range images {
		times, ghz := s.raceSized(list, fewKernels, s.tiled(c), c.Rounds)
		byImage, clocks = append(byImage, times), append(clocks, ghz)
	}
	ghz = measure.Median(clocks)
	svg, err := s.sizesChart(list, kernels, size, byKernel, images, byImage, ghz)
	if err != nil {
		return nil, err
	}
	page := s.sizesPage(list, kernels, size, byKernel, images, byImage, ghz)
	return map[string][]byte{"sizes.svg": svg, "sizes.md": page}, nil
}

// sizesChart draws the times.
func (s *session) sizesChart(list []sized, kernels []int, size spec, byKernel map[sample]float64, images []spec, byImage []map[sample]float64, ghz float64) ([]byte, error) {
	largest := 0.
	for _, times := range append(byImage, byKernel) {
		for _, v := range times {
			largest = max(largest, v)
		}
	}
	left := newPlot(fmt.Sprintf("nanoseconds per pixel, images of %v", size), "side of kernel and window (pixels)", "")
	right := newPlot("nanoseconds per pixel", "width and height of the image (pixels)", "")
	for _, p := range []*plot.Plot{left, right} {
		p.Y.Scale, p.Y.Min, p.Y.Max = plot.LogScale{}, .2, 1.1*largest
		p.Y.Tick.Marker = decades(p.Y.Min, p.Y.Max)
	}
	left.X.Min, left.X.Max = 0, 63
	left.X.Tick.Marker = ticksAt(3, 9, 15, 23, 31, 39, 47, 55, 63)
	right.X.Scale = plot.LogScale{}
	right.X.Tick.Marker = widthTicks(images)

	c := newChart(left, right)
	c.title = "Corners of LoCoCo and of Harris, one thread"
	c.note = s.stamp.line(ghz) + "\nAll corners above 0.01 of the largest response, suppression within 4 pixels. Package harris has no windows of more than 31 pixels."
	for i, d := range list {
		var points plotter.XYs
		for _, kernel := range kernels {
			if v, ok := byKernel[sample{i, kernel}]; ok {
				points = append(points, plotter.XY{X: float64(kernel), Y: v})
			}
		}
		if err := c.addLine(left, "", points, d.look); err != nil {
			return nil, err
		}
		for _, kernel := range fewKernels {
			if !slices.Contains(d.kernels, kernel) {
				continue
			}
			l := d.look
			l.glyph = glyphOf(kernel, !l.dashed)
			at := plotter.XYs{{X: float64(kernel), Y: byKernel[sample{i, kernel}]}}
			if err := c.addLine(left, "", at, l); err != nil {
				return nil, err
			}
			points := points[:0:0]
			for j, times := range byImage {
				points = append(points, plotter.XY{X: float64(images[j].W), Y: times[sample{i, kernel}]})
			}
			if err := c.addLine(right, fmt.Sprintf("%s, %dx%d", d.name, kernel, kernel), points, l); err != nil {
				return nil, err
			}
		}
	}
	return c.svg(900, 420, 205), nil
}

// sizesPage tells the times.
func (s *session) sizesPage(list []sized, kernels []int, size spec, byKernel map[sample]float64, images []spec, byImage []map[sample]float64, ghz float64) []byte {
	// Each set has LoCoCo, separable Harris and Harris with Sobel.
	const perSet = 3
	compare := func(times map[sample]float64, kernel int) (cells []string) {
		for i := 0; i < len(list); i += perSet {
			ours, theirs := times[sample{i, kernel}], times[sample{i + 1, kernel}]
			cells = append(cells, fmt.Sprintf("%.3f", ours))
			if theirs > 0 {
				cells = append(cells, fmt.Sprintf("%.3f", theirs), fmt.Sprintf("%.2f", theirs/ours))
			} else {
				cells = append(cells, "", "")
			}
		}
		return cells
	}
	var columns []string
	for i := 0; i < len(list); i += perSet {
		columns = append(columns, list[i].name, list[i+1].name, "times LoCoCo")
	}
	var kernelRows, imageRows [][]string
	for _, kernel := range kernels {
		if kernel == 3 {
			continue
		}
		inside := float64((size.W-2*(kernel-1))*(size.H-2*(kernel-1))) / float64(size.W*size.H)
		kernelRows = append(kernelRows, append(append([]string{fmt.Sprintf("%dx%d", kernel, kernel)}, compare(byKernel, kernel)...), fmt.Sprintf("%.0f", 100*inside)))
	}
	for i, c := range images {
		for _, kernel := range fewKernels[1:] {
			imageRows = append(imageRows, append([]string{c.String(), fmt.Sprintf("%dx%d", kernel, kernel)}, compare(byImage[i], kernel)...))
		}
	}
	var ratios, sobels []string
	for i := 0; i < len(list); i += perSet {
		at := func(kernel int) float64 { return byKernel[sample{i, kernel}] }
		ratios = append(ratios, fmt.Sprintf("%s: 31x31 takes %.2f times as long as 9x9, and 63x63 %.2f times as long as 31x31.", list[i].name, at(31)/at(9), at(63)/at(31)))
		sobels = append(sobels, fmt.Sprintf("%.3f (%s)", byKernel[sample{i + 2, 3}], list[i+2].name))
	}
	return s.page("Times against sizes of kernels and images", ghz,
		"Nanoseconds per pixel of the image, one thread, all over the same frames in one process, taking turns; medians over the rounds. "+
			"Kernels and windows have the same size. All find all corners above 0.01 of the largest response, with suppression within 4 pixels "+
			"in both directions. Separable Harris is what the papers on LoCoCo compare it with, with the derivatives of Gaussians: presets "+
			"`Separable9` and `Separable31` of package harris, and those between them. Package harris has no windows of more than 31 pixels, so "+
			"that it ends there.",
		"LoCoCo's responses are defined where kernel and window are inside the image, on the share of the pixels in the last column; those of "+
			"package harris are defined on all of them.",
		fmt.Sprintf("## Kernels, %d frames of %v pixels", size.Frames, size),
		table(1, append(append([]string{"kernel and window"}, columns...), "responses (% of the pixels)"), kernelRows),
		strings.Join(ratios, " "),
		"Where small kernels will do, Harris with Sobel's gradients and windows of 3 by 3 pixels and the same suppression takes "+strings.Join(sobels, " and ")+".",
		"## Images, put together of the same crops of photos",
		table(2, append([]string{"image", "kernel and window"}, columns...), imageRows))
}
