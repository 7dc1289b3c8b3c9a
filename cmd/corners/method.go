package main

import (
	"flag"
	"fmt"
	"image"
	"image/draw"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/fastcorners/fast/harris"
	"github.com/fastcorners/fast/internal/program/choose"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/point"
)

// A method is a way to find corners or keypoints, with flags of its own.
type method interface {
	// define defines the flags that not all methods have.
	define(flags *cli.Set)
	// prepare makes what find needs from the flags.
	prepare(workers int) error
	// find searches an image, or the part of it where the mask is not 0 if there is a
	// mask.
	find(img, mask *image.Gray) finding
	// repeater returns a function whose time is measured for the table. It is for one
	// goroutine.
	repeater() func(img *image.Gray)
	// memory returns the number of bytes per pixel that find and the repeater take at most for
	// photos.
	memory() int64
	// lists returns the number of bytes that they and drawing take at most besides, for all that
	// is found in an image. It searches the image, unless it may assume the worst.
	lists(img *image.Gray, worst bool) int64
}

// A finding is what a method found in an image.
type finding struct {
	rows   [][]any           // the method's cells in the lines of a table
	count  int               // the number of corners or keypoints
	record func(i int) []any // returns the columns of one of them
	draw   func(dst draw.Image)
	bytes  int64 // that they take
}

// A methodInfo describes a method.
type methodInfo struct {
	name, summary string
	new           func() method
	packages      []string // whose instruction sets corners bench compares, or nil
	things        string   // what it finds: corners or keypoints
	titles        []string // of the method's columns in a table
	columns       []string // of a corner or keypoint in csv, and its members in JSON
	members       []string // of JSON for flags
	intro         string   // the beginning of the help text
	rest          string   // the help text after the description of the report
	ratio         float64  // the default of -ratio where its keypoints are matched
	maxDistance   string   // what -max-distance is for there
}

// methods lists all methods. The first one is the default.
var methods = []methodInfo{
	fastInfo,
	orbInfo,
	siftInfo,
	harrisInfo("harris", "Harris corners, by the structure tensor", harris.Harris),
	harrisInfo("shi-tomasi", "Shi-Tomasi corners, the good features to track", harris.MinEigenvalue),
	lococoInfo,
	vpiInfo,
}

// A detector is what all methods for corners share. C is the type of the corners.
type detector[C point.Strong] struct {
	search  choose.Search[C]
	all     func(dst []C, img *image.Gray) []C // the same, before any is left out
	reach   int
	bytes   int64 // for each of them
	spare   int64 // bytes per pixel of memory() that are for them
	apart   bool  // none touches another
	columns func(c C) []any
	roots   bool // draw corners by the roots of their strengths, of which most are low
}

// searching sets how a detector searches: by what create makes of the options, and of those that
// leave out none of its corners.
func searching[C point.Strong, O any, D interface {
	Append(dst []C, img, mask *image.Gray) []C
}](d *detector[C], create func(O) (D, error), opts, all O) error {
	some, err := create(opts)
	if err != nil {
		return err
	}
	every, err := create(all)
	d.search = some.Append
	d.all = func(dst []C, img *image.Gray) []C { return every.Append(dst, img, nil) }
	return err
}

func (d *detector[C]) find(img, mask *image.Gray) finding {
	corners := d.search(nil, img, mask)
	return finding{
		rows:   [][]any{{len(corners)}},
		count:  len(corners),
		record: func(i int) []any { return d.columns(corners[i]) },
		draw:   func(dst draw.Image) { d.draw(dst, corners) },
		bytes:  int64(cap(corners)) * int64(unsafe.Sizeof(*new(C))),
	}
}

// lists implements method. A pixel on whose neighbors a corner depends is up to reach pixels
// away.
func (d *detector[C]) lists(img *image.Gray, worst bool) int64 {
	pixels := int64(img.Rect.Dx()) * int64(img.Rect.Dy())
	n := pixels
	if d.apart {
		n = apart(img)
	}
	if !worst {
		var found []C
		n = countIn(img, d.reach, func(strip *image.Gray) int {
			found = d.all(found[:0], strip)
			return len(found)
		})
	}
	return max(0, n*d.bytes-d.spare*pixels)
}

// apart returns how many pixels of an image there are at most none of which touches another.
func apart(img *image.Gray) int64 {
	return int64(img.Rect.Dx()+1) / 2 * (int64(img.Rect.Dy()+1) / 2)
}

// countIn returns how many corners there are in an image at most. It counts in strips of the
// image, which overlap, by count.
func countIn(img *image.Gray, reach int, count func(strip *image.Gray) int) (n int64) {
	rows := max(4*reach, 1<<18/max(1, img.Rect.Dx()))
	for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y += rows {
		strip := image.Rect(img.Rect.Min.X, y-reach, img.Rect.Max.X, y+rows+reach)
		n += int64(count(img.SubImage(strip).(*image.Gray)))
	}
	return n
}

// draw draws corners.
func (d *detector[C]) draw(dst draw.Image, corners []C) {
	if !d.roots {
		overlay.Corners(dst, corners)
		return
	}
	roots := make([]rooted[C], len(corners))
	for i, c := range corners {
		roots[i].corner = c
	}
	overlay.Corners(dst, roots)
}

// A rooted is a corner as strong as the root of its strength.
type rooted[C point.Strong] struct{ corner C }

func (r rooted[C]) Pt() image.Point          { return r.corner.Pt() }
func (r rooted[C]) Position() (x, y float32) { return r.corner.Position() }
func (r rooted[C]) Strength() float32        { return float32(math.Sqrt(float64(r.corner.Strength()))) }

func (d *detector[C]) repeater() func(img *image.Gray) {
	var corners []C
	return func(img *image.Gray) { corners = d.search(corners[:0], img, nil) }
}

// A selection is what a command line says about methods.
type selection struct {
	methodInfo
	named   bool // not just the default
	help    bool // asked for
	version bool // asked for
}

// selectMethod returns the one of several methods that a command line asks for, or the first one.
// It fails if there is a flag that is neither the method's nor one of those that define defines.
func selectMethod(methods []methodInfo, args []string, define func(*cli.Set)) (selection, error) {
	given := scan(methods, args, define) // which flags are valid depends on one of them
	value := func(flag string) string { return given.Lookup(flag).Value.String() }
	s := selection{
		methodInfo: methods[0],
		named:      given.IsGiven("method"),
		help:       given.IsGiven("h") || given.IsGiven("help"),
	}
	if given.IsGiven("version") {
		s.version, _ = strconv.ParseBool(value("version"))
	}
	if s.named {
		names := methodNames(methods)
		i := slices.Index(names, value("method"))
		if i < 0 {
			err := cli.OneOf(new(string), names).Set(value("method"))
			return selection{}, fmt.Errorf("invalid value %q for flag -method: %w", value("method"), err)
		}
		s.methodInfo = methods[i]
	}
	var err error
	flags := cli.New(define, s.new().define)
	given.Visit(func(f *flag.Flag) {
		if err == nil && flags.Lookup(f.Name) == nil && !s.help {
			err = fmt.Errorf("flag -%s is not for method %s", f.Name, s.name)
		}
	})
	return s, err
}

// methodNames returns the names of methods.
func methodNames(methods []methodInfo) []string {
	var names []string
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// scan parses a command line with the flags that define defines, and those of methods.
func scan(methods []methodInfo, args []string, define func(*cli.Set)) *cli.Set {
	all := []func(*cli.Set){define}
	for _, m := range methods {
		all = append(all, m.new().define)
	}
	return cli.Scan(args, all...)
}
