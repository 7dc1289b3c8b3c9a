package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/clock"
	"github.com/fastcorners/fast/internal/frames"
)

// benchRounds is how often each kernel has its turn. The median of these times
// is reported.
const benchRounds = 9

// A benchConfig is what the command line of corners bench asks for.
type benchConfig struct {
	threshold uint8
	format    string
	time      time.Duration
	args      []string // files and directories
}

// bench measures how fast the kernels are.
func (s *session) bench(args []string) {
	cfg, err := parseBench(args, s.stdout)
	if err != nil {
		s.failUsage(err)
		return
	}
	var photos []*image.Gray
	for _, in := range findInputs(cfg.args, s.fail) {
		img, err := in.load()
		if err == nil && img.Bounds().Empty() {
			err = errors.New("no pixels")
		}
		if err != nil {
			s.fail(fmt.Errorf("%s: %w", in.name, err))
			continue
		}
		photos = append(photos, fast.Gray(img))
	}
	var speeds []speed
	if len(photos) > 0 {
		list := benchFrames(photos, len(cfg.args) == 0)
		bar := newBar(benchRounds*len(fast.Kernels()), cfg.format, s.stdout, s.stderr)
		speeds, err = measureKernels(cfg, list, func() { bar.Add(1) })
		if err != nil {
			s.fail(err)
			return
		}
	}
	if err := writeSpeeds(s.stdout, cfg.format, speeds); err != nil {
		s.failOutput(err)
	}
}

// parseBench reads the command line of corners bench as parse does that of
// corners.
func parseBench(args []string, stdout io.Writer) (benchConfig, error) {
	var cfg benchConfig
	flags := newFlagSet()
	threshold := flags.Int("threshold", defaultThreshold, thresholdUsage)
	flags.StringVar(&cfg.format, "format", formatTable, formatUsage)
	flags.DurationVar(&cfg.time, "time", 3*time.Second, "measure for about `D`, or longer if the images need it")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			printBenchHelp(stdout, flags)
		}
		return benchConfig{}, err
	}
	cfg.threshold = uint8(*threshold)
	cfg.args = flags.Args()
	return cfg, cmp.Or(checkRange("threshold", *threshold, 0, 255), checkFormat(cfg.format), checkArgs(cfg.args))
}

// benchFrames returns the images to measure with: parts of the program's own
// photo in eight orientations, or the user's images. So that few of these are
// not always the same, they come as they are and flipped in three ways, unless
// that takes too much memory.
func benchFrames(photos []*image.Gray, own bool) []*image.Gray {
	if own {
		return frames.Make(photos, 256, 256, 32)
	}
	if 4*countPixels(photos) > 1<<26 {
		return photos
	}
	var list []*image.Gray
	for _, photo := range photos {
		size := photo.Rect.Size()
		list = append(list, frames.Make([]*image.Gray{photo}, size.X, size.Y, 4)...)
	}
	return list
}

// countPixels returns how many pixels the images have together.
func countPixels(list []*image.Gray) int {
	n := 0
	for _, img := range list {
		n += img.Rect.Dx() * img.Rect.Dy()
	}
	return n
}

// A speed is what was measured of a kernel.
type speed struct {
	Kernel    fast.Kernel `json:"kernel"`
	Threshold uint8       `json:"threshold"`
	Frames    int         `json:"frames"`
	Pixels    int         `json:"pixels"` // of all frames
	// NsPerPixel is the time in nanoseconds for a pixel.
	NsPerPixel float64 `json:"ns_per_pixel"`
	// Megapixels is how many million pixels are done in a second.
	Megapixels float64 `json:"megapixels_per_second"`
	// PerCycle is how many pixels are done in a cycle of the core's clock, or 0
	// where that is not known.
	PerCycle float64 `json:"pixels_per_cycle,omitempty"`
	// Speedup is the speed in relation to that of the kernel scalar.
	Speedup float64 `json:"speedup"`
}

// measureKernels measures all kernels of this processor. They take turns, for
// the speed of a machine may change in between. It calls step after each turn.
func measureKernels(cfg benchConfig, list []*image.Gray, step func()) ([]speed, error) {
	kernels := fast.Kernels()
	detectors := make([]*fast.Detector, len(kernels))
	for i, k := range kernels {
		var err error
		if detectors[i], err = fast.New(fast.Options{Threshold: cfg.threshold, Kernel: k}); err != nil {
			return nil, err
		}
	}
	pixels := countPixels(list)
	turn := cfg.time / time.Duration(benchRounds*len(kernels))
	times := make([][]float64, len(kernels))    // nanoseconds per pixel
	perCycle := make([][]float64, len(kernels)) // pixels
	var corners []fast.Corner
	for range benchRounds {
		for i, d := range detectors {
			passes := 0
			start := time.Now()
			for passes == 0 || time.Since(start) < turn {
				for _, img := range list {
					corners = d.Append(corners[:0], img)
				}
				passes++
			}
			ns := float64(time.Since(start).Nanoseconds()) / float64(passes) / float64(pixels)
			times[i] = append(times[i], ns)
			perCycle[i] = append(perCycle[i], 1/(ns*clock.GHz()))
			step()
		}
	}

	speeds := make([]speed, len(kernels))
	scalar := median(times[slices.Index(kernels, fast.Scalar)])
	for i, k := range kernels {
		ns := median(times[i])
		speeds[i] = speed{
			Kernel:     k,
			Threshold:  cfg.threshold,
			Frames:     len(list),
			Pixels:     pixels,
			NsPerPixel: ns,
			Megapixels: 1e3 / ns,
			Speedup:    scalar / ns,
		}
		if clock.Known {
			speeds[i].PerCycle = median(perCycle[i])
		}
	}
	return speeds, nil
}

// median sorts the list and returns what is in its middle.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// writeSpeeds writes the report of corners bench.
func writeSpeeds(w io.Writer, format string, speeds []speed) error {
	switch format {
	case formatCSV:
		return writeSpeedsCSV(w, speeds)
	case formatJSON:
		return writeSpeedsJSON(w, speeds)
	}
	return writeSpeedsTable(w, speeds)
}

func writeSpeedsTable(w io.Writer, speeds []speed) error {
	if len(speeds) == 0 {
		return nil
	}
	fastest := 0.0
	for _, s := range speeds {
		fastest = max(fastest, s.Megapixels)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	perCycle := ""
	if clock.Known {
		perCycle = "PX/CYCLE\t"
	}
	fmt.Fprintf(table, "KERNEL\t   NS/PX\t  MPX/S\t%sX SCALAR\t\n", perCycle)
	for _, s := range speeds {
		if clock.Known {
			perCycle = fmt.Sprintf("%8.3f\t", s.PerCycle)
		}
		fmt.Fprintf(table, "%v\t%8.4f\t%7.0f\t%s%8.2f\t%s\n",
			s.Kernel, s.NsPerPixel, s.Megapixels, perCycle, s.Speedup, drawBar(s.Megapixels/fastest))
	}
	s := speeds[0]
	fmt.Fprintf(table, "threshold %d, %d frames with %.2f million pixels, median of %d rounds\n",
		s.Threshold, s.Frames, float64(s.Pixels)/1e6, benchRounds)
	return table.Flush()
}

// drawBar returns a bar of block characters, of up to 30, for a share of 0 to 1.
func drawBar(share float64) string {
	eighths := int(share*30*8 + 0.5)
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string('█' + rune(8-rest)) // the blocks from 7/8 to 1/8 come next
	}
	return bar
}

func writeSpeedsCSV(w io.Writer, speeds []speed) error {
	c := csv.NewWriter(w)
	c.Write([]string{
		"kernel", "threshold", "frames", "pixels",
		"ns_per_pixel", "megapixels_per_second", "pixels_per_cycle", "speedup",
	})
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
	for _, s := range speeds {
		perCycle := ""
		if clock.Known {
			perCycle = number(s.PerCycle)
		}
		c.Write([]string{
			s.Kernel.String(), strconv.Itoa(int(s.Threshold)), strconv.Itoa(s.Frames), strconv.Itoa(s.Pixels),
			number(s.NsPerPixel), number(s.Megapixels), perCycle, number(s.Speedup),
		})
	}
	c.Flush()
	return c.Error()
}

func writeSpeedsJSON(w io.Writer, speeds []speed) error {
	if speeds == nil {
		speeds = []speed{} // [], not null
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(speeds)
}
