// Batch finds the features of many images, and matches them, on Apache Beam. Run batch -h
// for how to use it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/fastcorners/fast/internal/program/cli"
)

func main() {
	endBySignals(os.Stderr)
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// endBySignals has the first signal to end the program remove the records of what is worked on: it
// is not the images' fault. The next one ends it at once.
func endBySignals(stderr io.Writer) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		received := <-signals
		signal.Stop(signals)
		ended := make(chan error, 1)
		go func() { ended <- batch.EndTrials(context.Background()) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second): // the store does not answer
		}
		fmt.Fprintf(stderr, "batch: %v: the next run goes on with what is done\n", received)
		os.Exit(statusFailed)
	}()
}

// The program's exit status, if it is not 0.
const (
	statusFailed = 1
	statusUsage  = 2 // of a command line that makes no sense
)

// A command is what the program can be asked for, with its flags.
type command interface {
	define(flags *cli.Set)
	// check returns an error when flags do not make sense.
	check(flags *cli.Set) error
	run(ctx context.Context, stdout, stderr io.Writer) error
}

// A pipeline is a command that Beam runs.
type pipeline interface {
	command
	// common returns the flags of all pipelines.
	common() *settings
	build(ctx context.Context, s beam.Scope) error
	// things says what the pipeline works on.
	things() string
	// report returns what is to be told of the counters and of the manifest's tables.
	report() []line
}

var commands = map[string]func(args []string) (command, error){
	"features": newFeatures,
	"commit":   newCommit,
	"matches":  func([]string) (command, error) { return new(matchesCommand), nil },
	"clean":    func([]string) (command, error) { return new(cleanCommand), nil },
	"verify":   func([]string) (command, error) { return new(verifyCommand), nil },
}

const wantCommand = "want features, commit, matches, clean or verify"

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		return fail(stderr, usage(errors.New(wantCommand)))
	}
	if slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		fmt.Fprint(stdout, help)
		return 0
	}
	if strings.HasPrefix(args[0], "-") {
		// Runners start workers with flags of Beam's alone, which Init acts upon. It
		// returns in programs that are no workers.
		flag.CommandLine.Init("batch", flag.ContinueOnError)
		flag.CommandLine.SetOutput(io.Discard)
		if err := flag.CommandLine.Parse(args); err == nil {
			beam.Init()
		}
		return fail(stderr, usage(errors.New(wantCommand+" before the flags")))
	}
	create, ok := commands[args[0]]
	if !ok {
		return fail(stderr, usage(fmt.Errorf("%q: %s", args[0], wantCommand)))
	}
	cmd, err := create(args[1:])
	if err != nil {
		return fail(stderr, usage(err))
	}
	flags := cli.New(cmd.define)
	if _, ok := cmd.(pipeline); ok {
		addBeamFlags(flags)
	}
	others, err := flags.Parse(args[1:])
	if errors.Is(err, flag.ErrHelp) {
		printHelp(stdout, args[0], cmd)
		return 0
	}
	if err == nil && len(others) > 0 {
		err = fmt.Errorf("%q is no flag", others[0])
	}
	if err == nil {
		err = cmd.check(flags)
	}
	if err != nil {
		return fail(stderr, usage(err))
	}
	return fail(stderr, cmd.run(ctx, stdout, stderr))
}

// execute runs a pipeline and writes a report of it.
func execute(ctx context.Context, cmd pipeline, stdout, stderr io.Writer) error {
	fmt.Fprintln(stderr, "batch: the pipeline starts; the report comes at its end")
	beam.Init()
	setWorkerBinary()
	if !cmd.common().verbose && !isDryRun() {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	cmd.common().stderr = stderr
	if err := reachRunner(ctx); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	if err := cmd.build(ctx, s); err != nil {
		return err
	}
	stop := func() {}
	if worksHere() {
		stop = tellProgress(stderr, cmd.things(), cmd.common().every)
	}
	result, err := beamx.RunWithMetrics(ctx, p)
	stop()
	if err != nil {
		return shorten(err, cmd.common().verbose)
	}
	if *jobopts.Async || isDryRun() {
		return nil
	}
	manifest, err := batch.ReadManifest(ctx, cmd.common().Output)
	if err != nil {
		return err
	}
	if manifest.Run != cmd.common().name {
		return fmt.Errorf("the pipeline was canceled, or run %s has replaced its results", manifest.Run)
	}
	return writeReport(stdout, cmd.report(), result.Metrics(), manifest)
}

// setWorkerBinary has workers run this program, if they can and no other is named. Beam would
// compile it from its source, which need not be on this machine.
func setWorkerBinary() {
	if *jobopts.WorkerBinary != "" || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return
	}
	if self, err := os.Executable(); err == nil {
		*jobopts.WorkerBinary = self
	}
}

// shorten returns what a pipeline failed with, without where in Beam it was, unless that is
// wanted, too.
func shorten(err error, verbose bool) error {
	const mark = "caused by:\n"
	text := err.Error()
	i := strings.LastIndex(text, mark)
	if i < 0 || verbose {
		return err
	}
	for line := range strings.Lines(text[i+len(mark):]) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "DoFn[") {
			return errors.New(line + " (-v tells more)")
		}
	}
	return err
}

// A usageError is one of the command line.
type usageError struct{ error }

func usage(err error) error { return usageError{err} }

// fail reports an error, if there is one, and returns the exit status.
func fail(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	text := strings.TrimPrefix(err.Error(), "batch: ")
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintf(stderr, "batch: %s (run batch -h for help)\n", text)
		return statusUsage
	}
	fmt.Fprintf(stderr, "batch: %s\n", text)
	return statusFailed
}

// isPrism reports whether the pipeline runs on Prism by its name, be it in this process or
// in another one. It does not split bundles, and so wants branches.
func isPrism() bool {
	switch *runners.Runner {
	case "", "prism", "PrismRunner":
		return true
	}
	return false
}

// maxBranches is how many bundles Prism works at once.
const maxBranches = 8

// branches returns how many branches the pipeline has for a number of workers, where 0
// stands for the default.
func branches(workers int) int {
	if workers == 0 && isPrism() {
		return min(runtime.GOMAXPROCS(0), maxBranches)
	}
	return max(workers, 1)
}
