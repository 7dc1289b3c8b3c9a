package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/machine"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
)

// A reporting says how a command reports and how it reads images.
type reporting struct {
	memory  cli.ByteSize
	format  string
	stretch bool // of images of 16 bits
}

func (r *reporting) define(flags *cli.Set) {
	r.format = report.FormatTable
	defineMemory(flags, &r.memory)
	flags.BoolVar(&r.stretch, "stretch", false, "make 16-bit images brighter that use fewer bits")
	flags.Var(cli.OneOf(&r.format, []string{report.FormatTable, report.FormatCSV, report.FormatJSON}), "format", "report as `FORMAT`: table, csv or json")
}

// machineMemory returns how much memory there is. Tests replace it.
var machineMemory = sync.OnceValue(machine.Memory)

// defineMemory defines the flag -memory. Half of what there is suffices for photos by all methods on
// machines of today, and leaves as much for others.
func defineMemory(flags *cli.Set, memory *cli.ByteSize) {
	*memory = max(machineMemory()/2, cli.GiB)
	flags.Var(memory, "memory", "use up to `SIZE` of memory, as 500MB")
	flags.Lookup("memory").DefValue = "half of it"
}

// An output says how images are processed and where the results go.
type output struct {
	reporting
	workers   int
	path      string // of the picture, or of the directory for pictures
	noPicture bool
	force     bool
	draw      bool // draw pictures
}

func (o *output) define(flags *cli.Set) {
	o.reporting.define(flags)
	flags.IntIn(&o.workers, "workers", 1, cli.From(-1, cli.Unlimited), "share an image among `N` goroutines; -1: all CPUs")
	flags.StringVar(&o.path, "o", ".", "draw into `PATH`, a directory or a .png file")
	flags.BoolVar(&o.noPicture, "no-picture", false, "draw nothing; the default for csv and json without -o")
	flags.BoolVar(&o.force, "f", false, "overwrite any file, not only pictures drawn by corners")
}

// parse reads a command line with these flags and others, and returns what is left of it. If it asks
// for help, parse writes that to stdout and returns flag.ErrHelp.
func (o *output) parse(flags *cli.Set, args []string, stdout io.Writer, help func(io.Writer)) ([]string, error) {
	names, err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		help(stdout)
	}
	if err != nil {
		return nil, err
	}
	return names, o.check(flags)
}

// check returns an error that names the first flag that makes no sense. It sets draw.
func (o *output) check(flags *cli.Set) error {
	asked := flags.IsGiven("o")
	o.draw = asked || !o.noPicture && o.format == report.FormatTable
	switch {
	case o.path == "":
		return errors.New("flag -o needs a directory, or a name that ends in .png")
	case files.IsImageName(o.path) && !files.IsPNG(o.path) && !files.IsDir(o.path):
		return fmt.Errorf("invalid value %q for flag -o: pictures are PNG: want a directory, or a name that ends in .png", o.path)
	case asked && o.noPicture:
		return errors.New("flag -o is for pictures, and -no-picture wants none")
	}
	return nil
}

// A drawing is something to be printed.
type drawing interface {
	Name() string      // of the file, without an extension
	SVG() []byte       // in millimeters
	Size() image.Point // about that of Draw
	Draw() *image.Gray
}

// saveDrawing draws into the file that path names, or into one in that directory.
func saveDrawing(p *program, d drawing, path string, force bool) error {
	extension := strings.ToLower(filepath.Ext(path))
	if files.IsDir(path) || extension != ".svg" && extension != ".png" {
		extension = ".svg"
		path = filepath.Join(path, d.Name()+extension)
	}
	if err := p.drafts.MakeDir(filepath.Dir(path), "drawing"); err != nil {
		return err
	}
	if extension == ".svg" {
		if err := p.drafts.SaveSVG(p.life.Early, path, d.SVG(), force); err != nil {
			return err
		}
		return p.console.SayWritten(report.FormatTable, []string{path})
	}
	size := d.Size()
	if err := p.reader.Check(size, cli.Memory(size, 2)); err != nil {
		return report.Named(path, err)
	}
	if err := p.drafts.Save(p.life.Early, path, d.Draw(), force); err != nil {
		return err
	}
	return p.console.SayWritten(report.FormatTable, []string{path})
}
