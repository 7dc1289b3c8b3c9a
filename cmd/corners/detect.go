package main

import (
	"flag"
	"fmt"
	"image"
	"io"
	"slices"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
)

const methodNotes = `
A mask has the size of the images. It keeps corners where it is not black or,
if some of its pixels are transparent, where it is not fully transparent. A
region (-roi) is searched as if it were the whole image. The upper left pixel
of the image has the coordinates 0,0.

The times in the report are measured while other images are decoded. With
-jobs 1 nothing disturbs them.
`

const fileNotes = `
In a directory, corners recognizes images by the extensions of their names. Of
a GIF it reads the first frame, in its place in the picture; the rest is
black. JPEG images are turned according to their Exif orientation; images of
other formats are used as they are stored. BMP images with run-length encoding
(RLE) are not supported. Of 16-bit images, the upper 8 bits are searched. If
they use fewer bits, as those of cameras with 12 bits may, a message says so;
-stretch shifts their values until the highest bit is used.

Before it decodes an image, corners computes from its size and colors how much
memory decoding, searching and drawing may take, and before it searches, how
much the lists of results may take. More than -memory is an error. By default
that is half of the memory of the machine, or of the container, on Linux and
macOS, and elsewhere, or if that is less, 1 GiB. When several images are
processed at once, some wait until there is enough memory, and an image may be
searched twice so that its list need not wait for those before it. A file that
fails does not stop the others.

The picture of photo.jpg is photo-corners.png. For standard input it is
stdin-corners.png, and for the program's own photo corners.png. Corners marks
the pictures that it draws, and replaces only these, or any file with -f, but
never an image that it reads or the file of standard output. If the picture is
a symbolic link, the file that it leads to is replaced. If an image that is
read or an earlier picture has the name already, the picture is
photo-corners-2.png, and so on.

All arguments after -- are files. The exit status is 1 if anything failed, 2
if the command line is wrong, and 130 after an interruption, which ends with a
report of what has been done.
`

// reportNotes describes the report of a method, by its columns in a table, what it finds,
// the columns in csv, and the flags in JSON.
const reportNotes = `
The report:

  table  a line for each image: its name, its size in pixels,
         %[1]s and the time per pixel in nanoseconds
  csv    a header and then a line for each of the %[2]s:
         %[3]s
  json   an array with an object for each image: image, width, height, roi
         and picture (when there is one), method, %[2]s (an array of
         objects with the other columns of csv), and these flags:
         %[4]s

The time is the median of many runs on the image in memory, without a mask.
Reading the file does not count.
`

// printMethodHelp writes what corners -method NAME -h says.
func printMethodHelp(w io.Writer, m method.Info) {
	fmt.Fprintf(w, "Usage: corners -method %s [flags] [FILE...]\n\n%s", m.Name, m.Intro)
	fmt.Fprintf(w, "\nFlags of method %s:\n", m.Name)
	printAll(w, cli.New(m.New().Define), "\nFlags of all methods:\n", cli.New(new(searchConfig).define), methodNotes, fileNotes)
	const indent = 9
	list := func(words ...string) string {
		return strings.Join(cli.Wrap(strings.Join(words, ", "), cli.HelpWidth-indent), "\n"+strings.Repeat(" ", indent))
	}
	fmt.Fprintf(w, reportNotes, strings.Join(m.Titles, ", "), m.Things, "image,"+strings.Join(m.Columns, ","), list(m.Members...))
	fmt.Fprint(w, m.Rest)
}

// A searchConfig is what the command line of a command asks for that searches images, one by one.
type searchConfig struct {
	output
	method.Info
	flags      *cli.Set
	method     method.Method
	methodName string
	jobs       int
	roi        roi                                  // or empty
	maskFile   string                               // or empty
	mask       *files.Mask                          // made of maskFile, or nil
	args       []string                             // files and directories
	searcher   string                               // what searches, in errors
	subject    string                               // what the name of the method is in JSON
	shows      string                               // what the pictures show, which ends their names
	others     []files.Input                        // images that are read besides
	inColor    func(img *image.RGBA) method.Finding // in place of that of the method, or nil
	untimed    bool                                 // the table has no times
	suits      func(size image.Point) error         // returns an error if an image of a size is not wanted, or nil
}

// define defines the flags that all methods have.
func (c *searchConfig) define(flags *cli.Set) {
	flags.StringVar(&c.methodName, "method", method.All[0].Name, "use the method `NAME`")
	flags.StringVar(&c.maskFile, "mask", "", "search only where the image `FILE` is not black")
	flags.Bool("version", false, "print the version and exit")
	c.defineSearch(flags)
}

// defineSearch defines the flags of all searches.
func (c *searchConfig) defineSearch(flags *cli.Set) {
	flags.Var(&c.roi, "roi", "search only the region `X,Y,W,H`: its origin and its size")
	c.defineWhole(flags)
}

// defineWhole defines the flags of commands that take whole images.
func (c *searchConfig) defineWhole(flags *cli.Set) {
	flags.IntIn(&c.jobs, "jobs", 0, cli.From(0, cli.Unlimited), "process `N` images at once; 0: one for each CPU")
	c.output.define(flags)
}

// runDetect finds corners or keypoints in images.
func runDetect(p *program, args []string) error {
	cfg, err := parseDetect(args, p.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	if err := checkWord(cfg.args); err != nil {
		return report.Usage(err)
	}
	p.begin(cfg.reporting)
	p.console.Say("looking for images")
	if cfg.maskFile != "" {
		if cfg.mask, err = p.reader.Mask(cfg.maskFile); err != nil {
			return err
		}
		cfg.others = []files.Input{cfg.mask.Input}
	}
	return searchAll(p, cfg)
}

// parseDetect reads the command line. If it asks for help or for the version, parseDetect writes
// that to stdout and returns flag.ErrHelp.
func parseDetect(args []string, stdout io.Writer) (searchConfig, error) {
	cfg := searchConfig{subject: "method", shows: "corners"}
	selected, err := method.Select(method.All, args, cfg.define)
	if err != nil {
		return searchConfig{}, err
	}
	switch {
	case selected.Help && selected.Named:
		printMethodHelp(stdout, selected.Info)
		return searchConfig{}, flag.ErrHelp
	case selected.Help:
		printHelp(stdout)
		return searchConfig{}, flag.ErrHelp
	case selected.Version:
		fmt.Fprintln(stdout, version())
		return searchConfig{}, flag.ErrHelp
	}
	cfg.Info = selected.Info
	cfg.method, cfg.searcher = cfg.New(), "method "+cfg.Name
	cfg.flags = cli.New(cfg.define, cfg.method.Define)
	if cfg.args, err = cfg.flags.Parse(args); err != nil {
		return searchConfig{}, err
	}
	if err := cfg.output.check(cfg.flags); err != nil {
		return searchConfig{}, err
	}
	return cfg, cfg.method.Prepare(cfg.workers)
}

// searchAll searches the images that the command line names.
func searchAll(p *program, cfg searchConfig) error {
	inputs := p.reader.Images(cfg.args)
	if cfg.draw && len(inputs) > 0 {
		var err error
		if inputs, err = namePictures(p, cfg, inputs); err != nil {
			return err
		}
	}
	return searchInputs(p, cfg, inputs)
}

// namePictures gives each input the path of its picture. It reports, and leaves out, those
// whose picture would replace a file that must not be replaced.
func namePictures(p *program, cfg searchConfig, inputs []files.Input) ([]files.Input, error) {
	target := files.NewTarget(cfg.path, cfg.force, slices.Concat(inputs, cfg.others), p.console.Stream())
	if target.IsOne() && len(inputs) > 1 {
		return nil, report.Usage(fmt.Errorf("%s: the name of one picture, for %d images", report.Printable(cfg.path), len(inputs)))
	}
	stem := func(in files.Input) string {
		if own := in.Stem(); own != "" {
			return own + "-" + cfg.shows
		}
		return cfg.shows
	}
	what := report.Count(len(inputs), report.Printable(target.Name(stem(inputs[0]))), "pictures")
	if err := p.drafts.MakeDir(target.Dir(), strings.TrimPrefix(what, "1 ")); err != nil {
		return nil, err
	}
	var kept []files.Input
	for _, in := range inputs {
		var err error
		if in.Picture, err = target.Path(stem(in)); err != nil {
			p.console.Fail(err)
			continue
		}
		kept = append(kept, in)
	}
	return kept, nil
}

// A roi is the region of interest.
type roi struct {
	cli.Region
}

// fill adds the region to an object in JSON.
func (r *roi) fill(o *report.Object) {
	o.Add("x", r.Min.X)
	o.Add("y", r.Min.Y)
	o.Add("width", r.Dx())
	o.Add("height", r.Dy())
}

// fits returns an error if images of a size cannot be searched.
func (c *searchConfig) fits(size image.Point) error {
	if c.suits != nil {
		if err := c.suits(size); err != nil {
			return err
		}
	}
	if !c.roi.Empty() {
		size = c.roi.Size()
	}
	return c.method.Limit().Check(c.searcher, size)
}

// region returns the part of an image that is searched, and the same part of the mask, or
// nil. It fails when the mask has another size, or when the region is not within the image.
func (c *searchConfig) region(img *image.Gray) (part, mask *image.Gray, err error) {
	size := img.Rect.Size()
	if c.mask != nil {
		mask = c.mask.Gray
		if own := mask.Rect.Size(); own != size {
			return nil, nil, fmt.Errorf("%d x %d pixels, but the mask %s has %d x %d",
				size.X, size.Y, report.Printable(c.mask.Name), own.X, own.Y)
		}
	}
	if c.roi.Empty() {
		return img, mask, nil
	}
	if !c.roi.In(img.Rect) {
		return nil, nil, fmt.Errorf("the region %v is not within its %d x %d pixels", &c.roi, size.X, size.Y)
	}
	if mask != nil {
		mask = mask.SubImage(c.roi.Rectangle).(*image.Gray)
	}
	return img.SubImage(c.roi.Rectangle).(*image.Gray), mask, nil
}
