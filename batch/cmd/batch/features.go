package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/batch"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/photo"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/orb"
)

// A featuresCommand is batch features.
type featuresCommand struct {
	settings
	input  string
	memory photo.ByteSize
	method string
	all    bool // not only what is new or changed
	retry  bool

	threshold               int // 0: the default of the method
	features, levels        int
	scale, quality, minDist float64
	arc, corners, kernel    int
	nonmax                  bool
}

// methodFlags lists the flags that not all methods have.
var methodFlags = map[string][]string{
	"orb":        {"features", "threshold", "scale", "levels"},
	"fast":       {"threshold", "arc", "nonmax"},
	"harris":     {"corners", "quality", "distance"},
	"shi-tomasi": {"corners", "quality", "distance"},
	"lococo":     {"corners", "quality", "kernel"},
}

func (c *featuresCommand) define(flags *flag.FlagSet) {
	c.settings.define(flags)
	c.defineShards(flags, "")
	defineMemory(flags, &c.memory)
	flags.StringVar(&c.input, "input", "", "read the image files that `PATTERN` matches, such as 'photos/*.jpg'")
	flags.BoolVar(&c.all, "all", false, "do all images, also those that are as they were in the former run")
	flags.BoolVar(&c.retry, "retry-dead", false, "do the dead letters of the former run, too")
	c.method = "orb"
	flags.Var(enum{[]string{"orb", "fast", "harris", "shi-tomasi", "lococo"}, &c.method}, "method", "take the method `NAME`: orb, fast, harris, shi-tomasi or lococo")
	intVar(flags, &c.threshold, "threshold", 0, 1, 254, "ask for FAST corners of threshold `T` (orb: default 20, fast: default 25)")
	intVar(flags, &c.features, "features", 500, 1, 1<<20, "orb: find about `N` keypoints, the strongest ones")
	floatVar(flags, &c.scale, "scale", 1.2, "more than 1", func(v float64) bool { return v > 1 }, "orb: make each level smaller by `F`")
	intVar(flags, &c.levels, "levels", 8, 1, 64, "orb: take `N` levels of different sizes")
	intVar(flags, &c.arc, "arc", 10, 9, 12, "fast: ask for an arc of `N` contiguous pixels, 9 to 12")
	flags.BoolVar(&c.nonmax, "nonmax", false, "fast: keep only corners stronger than all that touch them")
	intVar(flags, &c.corners, "corners", 0, 0, 1<<30, "harris, shi-tomasi, lococo: keep only the `N` strongest; 0 keeps all")
	floatVar(flags, &c.quality, "quality", 0.01, "more than 0, up to 1", func(v float64) bool { return v > 0 && v <= 1 }, "harris, shi-tomasi, lococo: ask for responses above `Q` times the largest")
	floatVar(flags, &c.minDist, "distance", 10, "0 or more", func(v float64) bool { return v >= 0 }, "harris, shi-tomasi: keep corners at least `D` pixels apart")
	intVar(flags, &c.kernel, "kernel", 9, 3, 63, "lococo: take a kernel of `N` by N pixels, an odd number")
}

func (c *featuresCommand) check(flags *flag.FlagSet) (err error) {
	flags.Visit(func(f *flag.Flag) {
		special := false
		for _, names := range methodFlags {
			special = special || slices.Contains(names, f.Name)
		}
		if special && !slices.Contains(methodFlags[c.method], f.Name) {
			err = fmt.Errorf("flag -%s is not for method %s", f.Name, c.method)
		}
	})
	if err != nil {
		return err
	}
	if c.input == "" {
		return errors.New("flag -input is missing")
	}
	if c.kernel%2 == 0 {
		return fmt.Errorf("invalid value %d for flag -kernel: want an odd number", c.kernel)
	}
	return c.settings.check(flags)
}

// runtimeMemory is about what a process needs besides that for images: eight bundles have two
// row groups each, and Parquet's buffers for them.
const runtimeMemory = 512 << 20

func (c *featuresCommand) build(ctx context.Context, s beam.Scope) error {
	job := batch.FeaturesJob{Layout: c.Layout, Input: c.input, Memory: int64(c.memory), Workers: c.workers, MaxDead: c.maxDead, Run: c.name}
	job.RuntimeMemory = job.Memory + runtimeMemory
	job.Update, job.RetryDead = !c.all, c.retry
	job.Say = func(why string) { fmt.Fprintf(c.stderr, "batch: all images are done again: %s\n", why) }
	switch c.method {
	case "orb":
		job.ORB = &orb.Options{Features: c.features, ScaleFactor: c.scale, Levels: c.levels, FASTThreshold: c.threshold}
	case "fast":
		if c.threshold == 0 {
			c.threshold = 25
		}
		job.Detector.FAST = &fast.Options{Threshold: uint8(c.threshold), ArcLength: c.arc, NonmaxSuppression: c.nonmax}
	case "lococo":
		job.Detector.LoCoCo = &lococo.Options{Kernel: c.kernel, MaxCorners: c.corners, Quality: c.quality}
	default:
		job.Detector.Harris = &harris.Options{MaxCorners: c.corners, Quality: c.quality, MinDistance: c.minDist}
		if c.method == "harris" {
			job.Detector.Harris.Measure = harris.Harris
		}
	}
	return job.Build(ctx, s)
}

func (c *featuresCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	return execute(ctx, c, stdout, stderr)
}

func (c *featuresCommand) report() []line {
	things := "corners"
	if c.method == "orb" {
		things = "keypoints"
	}
	return []line{
		{"images", "images", 1},
		{"dead letters", "dead_letters", 1},
		{"changed", "changed", 1},
		{"gone", "gone", 1},
		{"kept", "kept", 1},
		{"megapixels", "pixels", 1e-6},
		{things, "corners", 1},
		{"seconds of decoding", "decode_ns", 1e-9},
		{"seconds of detecting", "detect_ns", 1e-9},
	}
}
