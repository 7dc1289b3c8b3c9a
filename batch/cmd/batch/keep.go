package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/fastcorners/fast/internal/program/cli"
)

// An outputFlag is the output that a command is for.
type outputFlag struct{ dir string }

func (o *outputFlag) check(*cli.Set) error {
	if o.dir == "" {
		return errors.New("flag -output is missing")
	}
	return nil
}

// A cleanCommand is batch clean.
type cleanCommand struct {
	outputFlag
	age time.Duration
	dry bool
}

func (c *cleanCommand) define(flags *cli.Set) {
	flags.StringVar(&c.dir, "output", "", "remove files in `DIR`, the output of batch features or batch matches")
	flags.DurationVar(&c.age, "age", 24*time.Hour, "keep those of runs that have written a file less than `TIME` ago, which may be in progress")
	flags.BoolVar(&c.dry, "n", false, "only tell which files they are")
}

func (c *cleanCommand) run(ctx context.Context, stdout, _ io.Writer) error {
	files, young, err := batch.Leftovers(ctx, c.dir, c.age)
	if err != nil {
		return err
	}
	var bytes cli.ByteSize
	for _, f := range files {
		bytes += cli.ByteSize(f.Size)
		if c.dry {
			fmt.Fprintln(stdout, f.Name)
		}
	}
	if c.dry {
		return nil
	}
	if err := batch.Remove(ctx, files); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "removed %d files, %v\n", len(files), bytes)
	if young > 0 {
		fmt.Fprintf(stdout, "kept %d files of runs that may be in progress (-age)\n", young)
	}
	return nil
}

// A verifyCommand is batch verify.
type verifyCommand struct {
	outputFlag
	workers int
}

func (c *verifyCommand) define(flags *cli.Set) {
	flags.StringVar(&c.dir, "output", "", "read the files in `DIR`, the output of batch features or batch matches")
	flags.IntIn(&c.workers, "workers", 0, cli.From(0, 1000), "read `N` shards at a time; 0: one for each CPU")
}

func (c *verifyCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	if c.workers == 0 {
		c.workers = runtime.GOMAXPROCS(0)
	}
	found, err := batch.Verify(ctx, c.dir, c.workers)
	if err != nil {
		return err
	}
	for _, problem := range found.Problems {
		fmt.Fprintf(stderr, "batch: %s\n", problem)
	}
	if err := printRows(stdout, found.Rows, found.Files, found.Bytes); err != nil {
		return err
	}
	if n := len(found.Problems); n > 0 {
		return fmt.Errorf("the results are not as the manifest says, in %d ways", n)
	}
	return nil
}

// printRows writes what is in an output.
func printRows(w io.Writer, rows map[string]int64, files int, bytes int64) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(table, "rows of %s\t%d\n", name, rows[name])
	}
	fmt.Fprintf(table, "files\t%d\nbytes\t%d\n", files, bytes)
	return table.Flush()
}
