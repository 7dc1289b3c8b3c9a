package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/lococo"
	"github.com/fastcorners/fast/orb"
	"github.com/fastcorners/fast/sift"
	"github.com/fastcorners/fast/vpi"
)

// A featuresCommand is batch features.
type featuresCommand struct {
	settings
	input  string
	names  string
	part   share
	memory cli.ByteSize
	all    bool // not only what is new or changed
	retry  bool
	roi    cli.Region
	mask   string
	method string
	methodFlags
}

// methodFlags are the values of the flags that not all methods have.
type methodFlags struct {
	orb    orb.Options
	sift   sift.Options
	fast   fast.Options
	harris harris.Options
	lococo lococo.Options
	vpi    vpi.Options
	tag    cli.Markers

	contrast          float64 // of sift
	doubling          bool    // of sift
	threshold         int     // of fast
	least             float64 // the threshold of vpi
	nonmax            bool    // of vpi
	strongest, spread int
}

// methods define the flags of the methods.
var methods = map[string]func(m *methodFlags, flags *cli.Set){
	"orb":  func(m *methodFlags, flags *cli.Set) { cli.ORB(flags, &m.orb) },
	"sift": func(m *methodFlags, flags *cli.Set) { cli.SIFT(flags, &m.sift, &m.contrast, &m.doubling) },
	"fast": func(m *methodFlags, flags *cli.Set) {
		cli.FAST(flags, &m.fast, &m.threshold, &m.strongest, &m.spread)
	},
	"harris": func(m *methodFlags, flags *cli.Set) {
		m.harris.Measure = harris.Harris
		cli.Harris(flags, &m.harris)
	},
	"shi-tomasi": func(m *methodFlags, flags *cli.Set) {
		m.harris.Measure = harris.MinEigenvalue
		cli.Harris(flags, &m.harris)
	},
	"lococo": func(m *methodFlags, flags *cli.Set) { cli.LoCoCo(flags, &m.lococo) },
	"vpi": func(m *methodFlags, flags *cli.Set) {
		cli.VPI(flags, &m.vpi, &m.least, &m.nonmax, &m.strongest)
	},
	"tag": func(m *methodFlags, flags *cli.Set) { m.tag.Define(flags) },
}

// defaultMethod is the method of batch features, if -method does not name another.
const defaultMethod = "orb"

// newFeatures returns a command with the flags of the method that a command line asks for. It
// fails if there is a flag of another method.
func newFeatures(args []string) (command, error) {
	return newFeaturesOf(args)
}

// newFeaturesOf returns the command for a command line that may have other flags, too.
func newFeaturesOf(args []string, others ...func(*cli.Set)) (*featuresCommand, error) {
	c := &featuresCommand{method: defaultMethod}
	all := append(others, c.defineAll, addBeamFlags)
	for _, define := range methods {
		all = append(all, func(flags *cli.Set) { define(new(methodFlags), flags) })
	}
	given := cli.Scan(args, all...)
	if given.IsGiven("method") {
		c.method = given.Lookup("method").Value.String()
		names := slices.Sorted(maps.Keys(methods))
		if err := cli.OneOf(new(string), names).Set(c.method); err != nil {
			return nil, fmt.Errorf("invalid value %q for flag -method: %w", c.method, err)
		}
	}
	var err error
	flags := cli.New(append(others, (&featuresCommand{method: c.method}).define, addBeamFlags)...)
	given.Visit(func(f *flag.Flag) {
		if err == nil && flags.Lookup(f.Name) == nil && f.Name != "h" && f.Name != "help" {
			err = fmt.Errorf("flag -%s is not for method %s", f.Name, c.method)
		}
	})
	return c, err
}

func (c *featuresCommand) define(flags *cli.Set) {
	c.defineAll(flags)
	methods[c.method](&c.methodFlags, flags)
}

// defineAll defines the flags that all methods have.
func (c *featuresCommand) defineAll(flags *cli.Set) {
	c.settings.define(flags)
	c.defineShards(flags, "")
	defineMemory(flags, &c.memory)
	flags.StringVar(&c.input, "input", "", "read the image files that `PATTERN` matches, such as 'photos/*.jpg'")
	flags.StringVar(&c.names, "names", "", "in place of -input, read the files that the CSV file `FILE` names, one a line: NAME[,SIZE[,ETAG]]")
	flags.Var(&c.part, "part", "do only part `I/N`, without a runner, for batch commit; /N: the part that a cluster's variable tells")
	flags.BoolVar(&c.all, "all", false, "do all images, also those that are as they were in the former run")
	flags.BoolVar(&c.retry, "retry-dead", false, "do the dead letters of the former run, too")
	flags.Var(&c.roi, "roi", "search only the region `X,Y,W,H`: its upper left pixel and its size")
	flags.StringVar(&c.mask, "mask", "", "search only where the image `FILE` is not black")
	flags.StringVar(&c.method, "method", c.method, "take the method `NAME`: orb, sift, fast, harris, shi-tomasi, lococo, vpi or tag")
}

func (c *featuresCommand) check(flags *cli.Set) error {
	if (c.input == "") == (c.names == "") {
		return errors.New("flag -input is missing, or -names in place of it")
	}
	if err := c.job().CheckMethod(); err != nil {
		return err
	}
	return c.settings.check(flags)
}

// runtimeMemory is about what a process needs besides that for images: eight bundles have two
// row groups each, and Parquet's buffers for them.
const runtimeMemory = 512 << 20

// job returns the job that the flags ask for.
func (c *featuresCommand) job() batch.FeaturesJob {
	job := batch.FeaturesJob{
		Layout: c.Layout, Input: c.input, Names: c.names, Memory: int64(c.memory), Workers: c.workers, MaxDead: c.maxDead, Patience: c.patience(), Run: c.name,
		RuntimeMemory: int64(c.memory) + runtimeMemory,
		Region:        batch.Region{ROI: c.roi.Rectangle, Mask: c.mask},
		Update:        !c.all, RetryDead: c.retry,
		Say: func(why string) { fmt.Fprintf(c.stderr, "batch: all images are done again: %s\n", why) },
	}
	d := batch.Detector{Strongest: c.strongest, Spread: c.spread}
	switch c.method {
	case "orb":
		job.ORB = &c.orb
	case "sift":
		c.sift.Contrast = cmp.Or(c.contrast, -1) // 0 means the default
		c.sift.NoDoubling = !c.doubling
		job.SIFT = &c.sift
	case "tag":
		opts := c.tag.Options()
		job.Tag = &opts
	case "fast":
		c.fast.Threshold = uint8(c.threshold)
		d.FAST = &c.fast
	case "lococo":
		d.LoCoCo = &c.lococo
	case "vpi":
		c.vpi.Threshold = cmp.Or(float32(c.least), -1) // 0 means the default
		c.vpi.NoSuppression = !c.nonmax
		d.VPI = &c.vpi
	default:
		d.Harris = &c.harris
	}
	job.Detector = d
	return job
}

func (c *featuresCommand) build(ctx context.Context, s beam.Scope) error {
	return c.job().Build(ctx, s)
}

func (c *featuresCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	if c.part.parts > 0 {
		return c.runPart(ctx, stdout, stderr)
	}
	return execute(ctx, c, stdout, stderr)
}

func (c *featuresCommand) things() string { return "images" }

func (c *featuresCommand) report() []line {
	things := "corners"
	switch c.method {
	case "orb", "sift":
		things = "keypoints"
	case "tag":
		things = "tags"
	}
	return []line{
		{"images", "images", 1},
		{"dead letters", "dead_letters", 1},
		{"changed", "changed", 1},
		{"gone", "gone", 1},
		{"kept", "kept", 1},
		{"kept dead letters", "kept_dead", 1},
		{"adopted", "adopted", 1},
		{"megapixels", "pixels", 1e-6},
		{things, "corners", 1},
		{"seconds of decoding", "decode_ns", 1e-9},
		{"seconds of detecting", "detect_ns", 1e-9},
	}
}
