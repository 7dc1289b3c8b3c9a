package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/fastcorners/fast/internal/program/cli"
)

// A share is a flag.Value: a part I of N, from 1 on.
type share struct{ part, parts int }

func (s *share) String() string {
	if s.parts == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.part, s.parts)
}

// maxParts is the most parts that there may be.
const maxParts = 1_000_000

func (s *share) Set(text string) error {
	part, parts, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(parts)
	if err != nil || n < 1 || n > maxParts {
		return fmt.Errorf("want I/N, or /N, with N from 1 to %d", maxParts)
	}
	i := 0
	if part == "" {
		i, err = arrayIndex(n)
	} else if i, err = strconv.Atoi(part); err != nil || i < 1 || i > n {
		err = fmt.Errorf("want I from 1 to %d", n)
	}
	if err != nil {
		return err
	}
	*s = share{i, n}
	return nil
}

// arrays are the variables with which clusters tell a task which one it is, and what the first one
// has. Slurm has another variable for its first number.
var arrays = []struct{ index, first string }{
	{"JOB_COMPLETION_INDEX", ""},
	{"AWS_BATCH_JOB_ARRAY_INDEX", ""},
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN"},
}

// arrayIndex returns the part, from 1 on, that a cluster's variable tells.
func arrayIndex(parts int) (int, error) {
	for _, a := range arrays {
		text := os.Getenv(a.index)
		if text == "" {
			continue
		}
		first := 0
		if a.first != "" {
			first, _ = strconv.Atoi(os.Getenv(a.first))
		}
		index, err := strconv.Atoi(text)
		if err != nil || index < first || index-first >= parts {
			return 0, fmt.Errorf("%s is %q, want %d to %d", a.index, text, first, first+parts-1)
		}
		return index - first + 1, nil
	}
	return 0, errors.New("want I/N, for no variable such as JOB_COMPLETION_INDEX, AWS_BATCH_JOB_ARRAY_INDEX or SLURM_ARRAY_TASK_ID tells I")
}

// runPart does a part of the job.
func (c *featuresCommand) runPart(ctx context.Context, stdout, stderr io.Writer) error {
	c.stderr = stderr
	stop := tellProgress(stderr, c.things(), c.every)
	report, err := c.job().Part(ctx, c.part.part, c.part.parts)
	stop()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "images\t%d\ndead letters\t%d\ngroups\t%d\nadopted groups\t%d\nmegabytes\t%.2f\n",
		report.Images, report.Dead, report.Groups, report.Adopted, float64(report.Bytes)*1e-6)
	return table.Flush()
}

// A commitCommand is batch commit.
type commitCommand struct {
	*featuresCommand
	parts int
}

func newCommit(args []string) (command, error) {
	c, err := newFeaturesOf(args, new(commitCommand).defineParts)
	return &commitCommand{featuresCommand: c}, err
}

func (c *commitCommand) defineParts(flags *cli.Set) {
	flags.IntIn(&c.parts, "parts", 0, cli.From(0, maxParts), "tell which of `N` parts are to be done again, if some are not done")
}

func (c *commitCommand) define(flags *cli.Set) {
	c.featuresCommand.define(flags)
	c.defineParts(flags)
}

func (c *commitCommand) check(flags *cli.Set) error {
	if c.part.parts > 0 {
		return errors.New("flag -part is for batch features; -parts tells how many there are")
	}
	return c.featuresCommand.check(flags)
}

func (c *commitCommand) run(ctx context.Context, stdout, stderr io.Writer) error {
	c.stderr = stderr
	if err := c.job().Commit(ctx, c.parts); err != nil {
		return err
	}
	m, err := batch.ReadManifest(ctx, c.Output)
	if err != nil {
		return err
	}
	files, bytes := 0, int64(0)
	for _, list := range m.Tables {
		files += len(list)
		for _, f := range list {
			bytes += f.Bytes
		}
	}
	return printRows(stdout, m.Rows, files, bytes)
}
