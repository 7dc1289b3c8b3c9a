package main

import (
	"context"
	"errors"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/match"
)

// A matchesCommand is batch matches.
type matchesCommand struct {
	settings
	features, pairs string
	gpu             bool
	options         match.Options
	ratioGiven      bool
}

// siftRatio is the default of -ratio for features of SIFT.
const siftRatio = 0.8

func (c *matchesCommand) define(flags *cli.Set) {
	c.settings.define(flags)
	c.defineShards(flags, ", with -pairs")
	flags.StringVar(&c.features, "features", "", "read features from `DIR`, the output of batch features")
	flags.StringVar(&c.pairs, "pairs", "", "match the images that the CSV file `FILE` names, two a line; without: all of a shard")
	flags.BoolVar(&c.gpu, "gpu", false, "match on the first NVIDIA GPU of each worker; needs a program built with -tags gpu")
	flags.BoolVar(&c.options.CrossCheck, "cross-check", true, "keep only matches that are the best for both")
	flags.FloatIn(&c.options.Ratio, "ratio", 0, cli.From(0, 1), "keep only matches nearer than `R` times the next; 0 keeps all, and is the default but for SIFT, 0.8")
	flags.IntIn(&c.options.MaxDistance, "max-distance", 0, cli.From(0, cli.Unlimited), "keep only matches that differ by up to `N` bits or, of SIFT, by a squared distance; 0 keeps all")
}

func (c *matchesCommand) check(flags *cli.Set) error {
	if c.features == "" {
		return errors.New("flag -features is missing")
	}
	c.ratioGiven = flags.IsGiven("ratio")
	return c.settings.check(flags)
}

func (c *matchesCommand) build(ctx context.Context, s beam.Scope) error {
	job := batch.MatchesJob{Layout: c.Layout, Features: c.features, Pairs: c.pairs, Workers: c.workers, GPU: c.gpu, MaxDead: c.maxDead, Patience: c.patience(), Run: c.name, Options: c.options}
	if !c.ratioGiven {
		job.SIFTRatio = siftRatio
	}
	return job.Build(ctx, s)
}

func (c *matchesCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	return execute(ctx, c, stdout, stderr)
}

func (c *matchesCommand) things() string { return "pairs" }

func (c *matchesCommand) report() []line {
	return []line{
		{"pairs", "pairs", 1},
		{"dead letters", "dead_letters", 1},
		{"matches", "matches", 1},
		{"adopted", "adopted", 1},
		{"seconds of matching", "match_ns", 1e-9},
	}
}
