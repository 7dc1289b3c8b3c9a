package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/vpi"
)

// FAST defines the flags of method fast. The threshold is for the options; strongest and spread
// are numbers of corners to keep, or 0 for all.
func FAST(flags *Set, opts *fast.Options, threshold, strongest, spread *int) {
	flags.IntIn(threshold, "threshold", 25, From(0, 255), "ask for differences above `T` gray levels, 0 to 255")
	flags.IntIn(&opts.ArcLength, "arc", 10, From(9, 12), "ask for an arc of `N` contiguous pixels, 9 to 12")
	flags.BoolVar(&opts.NonmaxSuppression, "nonmax", false, "keep only corners stronger than all that touch them")
	flags.IntIn(strongest, "strongest", 0, From(0, Unlimited), "keep only the `N` strongest corners; 0 keeps all")
	flags.IntIn(spread, "spread", 0, From(0, Unlimited), "keep only `N` corners, spread evenly; 0 keeps all")
	flags.Named(&opts.Kernel, opts.Kernel.UnmarshalText, "kernel", "use the kernel `NAME`, such as scalar")
}

// Harris defines the flags of method harris or shi-tomasi, by the measure of the options.
func Harris(flags *Set, opts *harris.Options) {
	flags.IntIn(&opts.MaxCorners, "corners", 0, From(0, Unlimited), "keep only the `N` strongest corners; 0 keeps all")
	flags.FloatIn(&opts.Quality, "quality", 0.01, Above(0, 1), "ask for responses above `Q` times the largest")
	flags.FloatIn(&opts.MinDistance, "distance", 10, From(0, Unlimited), "keep corners at least `D` pixels apart; 0 keeps all")
	flags.IntIn(&opts.BlockSize, "block", 3, From(1, 31), "sum over a window of `N` by N pixels, 1 to 31")
	flags.Named(&opts.Gradient, opts.Gradient.UnmarshalText, "gradient", "compute gradients by `NAME`, such as scharr")
	if opts.Measure == harris.Harris {
		flags.FloatIn(&opts.K, "k", 0.04, Above(0, 1), "weigh the squared trace by `K`")
	}
}

// LoCoCo defines the flags of method lococo.
func LoCoCo(flags *Set, opts *lococo.Options) {
	opts.KernelSizes = []int{9}
	opts.Measure = harris.Harris
	flags.IntIn(&opts.MaxCorners, "corners", 0, From(0, Unlimited), "keep only the `N` strongest corners; 0 keeps all")
	flags.Var((*Integers)(&opts.KernelSizes), "kernel-size", "use kernels of `N` by N pixels, such as 5,9,17")
	flags.IntVar(&opts.BlockSize, "window", 0, "sum over `N` by N pixels; 0: the size of the kernel")
	flags.Named(&opts.Measure, opts.Measure.UnmarshalText, "measure", "compute responses by `NAME`, such as min-eigenvalue",
		"min-eigenvalue", "harris", "noble", "det-over-trace")
	flags.FloatIn(&opts.K, "k", 0.04, Above(0, 1), "weigh the squared trace by `K`, for measure harris")
	flags.FloatIn(&opts.Quality, "quality", 0.01, Above(0, 1), "ask for responses above `Q` times the largest")
	flags.IntIn(&opts.SuppressionRadius, "radius", 4, From(1, 32), "keep the largest response within `N` pixels, 1 to 32")
	flags.BoolVar(&opts.Subpixel, "subpixel", false, "place corners in fractions of pixels")
}

// Integers are a flag, a list with commas.
type Integers []int

func (l *Integers) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint([]int(*l)), " ", ","), "[]")
}

func (l *Integers) Set(text string) error {
	*l = nil
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return errors.New("want numbers with commas between them")
		}
		*l = append(*l, n)
	}
	return nil
}

// ORB defines the flags of method orb.
func ORB(flags *Set, opts *orb.Options) {
	flags.IntIn(&opts.Features, "features", 500, From(1, Unlimited), "find about `N` keypoints, the strongest ones")
	flags.FloatIn(&opts.ScaleFactor, "scale", 1.2, Above(1, Unlimited), "make each level smaller by `F`, more than 1")
	flags.IntIn(&opts.Levels, "levels", 8, From(1, Unlimited), "take `N` levels of different sizes")
	flags.IntIn(&opts.EdgeThreshold, "edge", 31, From(1, Unlimited), "find nothing within `N` pixels of the edges")
	flags.IntVar(&opts.FirstLevel, "first-level", 0, "take the image as level `N`, and enlarge it for lower ones")
	flags.IntIn(&opts.PointsPerBit, "points-per-bit", 2, From(2, 4), "compare `N` pixels at once, 2 to 4")
	flags.Named(&opts.ScoreType, opts.ScoreType.UnmarshalText, "score", "rank keypoints by `NAME`: harris or fast")
	flags.IntIn(&opts.PatchSize, "patch", 31, From(2, Unlimited), "describe patches of `N` pixels in diameter")
	flags.IntIn(&opts.FASTThreshold, "threshold", 20, From(1, 254), "ask for FAST corners of threshold `T`, 1 to 254")
}

// SIFT defines the flags of method sift. The contrast and doubling are for the options, which cannot
// have them as they are.
func SIFT(flags *Set, opts *sift.Options, contrast *float64, doubling *bool) {
	flags.IntIn(&opts.Features, "features", 0, From(0, Unlimited), "keep only the `N` strongest keypoints; 0 keeps all")
	flags.IntIn(&opts.Layers, "layers", 3, From(1, 11), "find keypoints in `N` layers of each octave, 1 to 11")
	flags.FloatIn(contrast, "contrast", 0.04, From(0, 1), "ask for responses times -layers of at least `C`")
	flags.FloatIn(&opts.Edge, "edge-ratio", 10, Above(1, 1e6), "ask for curvatures that differ by a factor below `R`")
	flags.FloatIn(&opts.Sigma, "sigma", 1.6, Above(0, 8), "blur first layers by `S` pixels of the octave, up to 8")
	flags.BoolVar(doubling, "doubling", true, "begin with the image in twice its size")
	flags.BoolVar(&opts.Upright, "upright", false, "do not turn keypoints: all angles are 0")
	flags.BoolVar(&opts.Root, "root", false, "make RootSIFT descriptors")
}

// VPI defines the flags of method vpi. The threshold and nonmax are for the options, which cannot
// have them as they are; strongest is the number of corners to keep, or 0 for all.
func VPI(flags *Set, opts *vpi.Options, threshold *float64, nonmax *bool, strongest *int) {
	flags.IntIn(&opts.CircleRadius, "radius", 3, From(1, 3), "compare with the circle of radius `R`, 1 to 3")
	flags.IntIn(&opts.ArcLength, "arc", 0, From(0, Unlimited), "ask for an arc of `N` pixels; 0: 5, 7 or 9, by the radius")
	flags.FloatIn(threshold, "threshold", 10, From(0, 255), "ask for differences of at least `T` gray levels")
	opts.Border = border.Limited
	flags.Named(&opts.Border, opts.Border.UnmarshalText, "border", "continue the image by `NAME`, such as reflect101",
		"limited", "constant", "replicate", "reflect", "reflect101")
	flags.BoolVar(nonmax, "nonmax", true, "keep only corners stronger than all that touch them")
	flags.IntIn(strongest, "strongest", 0, From(0, Unlimited), "keep only the `N` strongest corners; 0 keeps all")
}
