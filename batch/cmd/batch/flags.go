package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/fastcorners/fast/internal/program/cli"
)

// settings are the flags that all pipelines have.
type settings struct {
	batch.Layout
	workers int
	maxDead batch.DeadLimit
	verbose bool
	timeout time.Duration
	retries int
	every   time.Duration // between reports of progress
	name    string        // of the run
	stderr  io.Writer     // for what is to be said before the report
}

func (c *settings) define(flags *cli.Set) {
	flags.StringVar(&c.Output, "output", "", "write files to the directory `DIR`")
	flags.IntIn(&c.workers, "workers", 0, cli.From(0, 1000), "work on `N` images, or pairs, at a time, in as many branches; 0: one for each CPU, on Prism in up to 8 branches, else in 1")
	c.maxDead = "5%"
	flags.Var(&c.maxDead, "max-dead", "fail with more than `N` dead letters, a number or a share such as 5%, and keep former results")
	flags.DurationVar(&c.timeout, "timeout", time.Minute, "count a request to a store, or reading a local image, as failed when it makes no progress for `TIME`")
	flags.IntIn(&c.retries, "retries", 10, cli.From(0, 1000), "make a request that has failed `N` times again, with growing pauses")
	flags.DurationVar(&c.every, "progress", 0, "tell the progress every `TIME`; 0: each second on a terminal, else each minute")
	flags.BoolVar(&c.verbose, "v", false, "tell what Beam logs, and all that it says of a failure")
}

func (c *settings) patience() batch.Patience {
	return batch.Patience{Timeout: c.timeout, Retries: cmp.Or(c.retries, -1)}
}

func (c *settings) common() *settings { return c }

func (c *settings) check(*cli.Set) error {
	if c.Output == "" {
		return errors.New("flag -output is missing")
	}
	if c.timeout <= 0 {
		return fmt.Errorf("invalid value %v for flag -timeout: want more than 0", c.timeout)
	}
	if c.every < 0 {
		return fmt.Errorf("invalid value %v for flag -progress: want 0 or more", c.every)
	}
	if err := checkRunner(); err != nil {
		return err
	}
	if *jobopts.Async && (jobopts.IsLoopback() || isPrism() && *jobopts.Endpoint == "") {
		return errors.New("flag -async is for workers outside of this process")
	}
	c.Branches = branches(c.workers)
	c.name = batch.NewRun()
	return nil
}

// defineShards defines the flag -shards.
func (c *settings) defineShards(flags *cli.Set, note string) {
	flags.IntIn(&c.Shards, "shards", 16, cli.From(1, 99999), "share the images out to `N` shards, with a file each"+note)
}

// defineMemory defines the flag -memory.
func defineMemory(flags *cli.Set, memory *cli.ByteSize) {
	*memory = cli.GiB
	flags.Var(memory, "memory", "take `SIZE` of memory for images at most, such as 500MiB, and none that needs more for decoding")
}

// addBeamFlags adds Beam's flags, which are global, to those of a command.
func addBeamFlags(flags *cli.Set) {
	flag.VisitAll(func(f *flag.Flag) {
		if flags.Lookup(f.Name) == nil {
			flags.Var(beamFlag{f}, f.Name, f.Usage)
		}
	})
}

// A beamFlag sets a flag where Beam looks for it.
type beamFlag struct{ flag *flag.Flag }

func (b beamFlag) Set(text string) error { return flag.Set(b.flag.Name, text) }

func (b beamFlag) String() string {
	if b.flag == nil {
		return "" // of a flag that package flag makes
	}
	return b.flag.Value.String()
}

func (b beamFlag) IsBoolFlag() bool {
	v, ok := b.flag.Value.(interface{ IsBoolFlag() bool })
	return ok && v.IsBoolFlag()
}

const help = `Usage: batch features -input PATTERN -output DIR [flags]
       batch features -part I/N -input PATTERN -output DIR [flags]
       batch commit -input PATTERN -output DIR [flags]
       batch matches -features DIR -output DIR [-pairs FILE] [flags]
       batch clean -output DIR [flags]
       batch verify -output DIR [flags]

Batch features finds the features of images and writes them to Parquet files, in as
many shards as -shards says. If they are there from a former run, it does only images
that are new or changed. Batch matches matches the ORB or SIFT keypoints that it has found.
The manifest.json in the output directory names the files of the results; a run
that fails leaves it as it is. Batch clean removes the files of runs that it does not
name, and batch verify reads all that it names.

Paths are local, or begin with gs:// or s3://. The pipeline runs in this process, on
all CPUs, unless Beam's flag -runner names another runner.

batch features -h tells its flags, and so do the others. Features and matches have
Beam's, too, such as -runner, -endpoint and -environment_type: see the README. The exit
status is 1 when something failed, and 2 for a command line that makes no sense.
`

// printHelp writes what batch COMMAND -h says.
func printHelp(w io.Writer, name string, cmd command) {
	fmt.Fprintf(w, "Usage: batch %s [flags]\n\n", name)
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	cli.New(cmd.define).Print(lines, math.MaxInt)
	lines.Flush()
	if _, ok := cmd.(pipeline); ok {
		fmt.Fprint(w, "Beam's flags, such as -runner and -endpoint, are in the README.\n")
	}
}
