package tag

import (
	"cmp"
	"image"
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// Options specify what a Detector finds. Zero fields have their default values.
type Options struct {
	// Families are those of the markers. If there are none, it is all markers of Tag36h11.
	Families []Family
	// MinContrast is the least range of the brightness around a border, in 12 by 12 pixels, 2 to 255.
	// Lower ones are noise. 0 means 16.
	MinContrast int
	// MaxCorrected is the largest number of wrong bits that are corrected in a code, up to 6. In
	// families with less distance, fewer are: less than half of it. A negative number means none. 0
	// means up to 2, as few as the Chance of each family needs to be at most 0.002 if it can be.
	MaxCorrected int
	// Samples is the number of pixels of a marker to which its drawing is fitted, about, 100 to
	// 10,000. More take longer and make corners more precise. 0 means 800.
	Samples int
	// Workers is the number of goroutines that share the work of a call, including the caller's. 0
	// means 1, and a negative number means runtime.GOMAXPROCS(0). A small call uses fewer.
	// https://github.com/fastcorners/fast/blob/main/docs/workers.md says how many, and how they wait.
	Workers int
}

// A Detector finds markers according to its Options. Create one with [New]. It is safe for concurrent
// use.
type Detector struct {
	made    option.Made
	opts    Options // with the defaults
	kernels *kernels
	plans   []plan  // of the families
	looks   [2]look // of quads that are dark inside, and of those that are light
	pool    sync.Pool
}

// A look is what markers that are all dark, or all light, along the inside of their quads have in
// common.
type look struct {
	near   []*places // near their sides, for each number of cells along one
	wanted bool      // there are such markers
	eroded bool      // of some of them, the border is wider than a cell
}

// New returns a Detector. It fails if an option or a field of a family is out of range.
func New(opts Options) (*Detector, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	d := &Detector{made: true, opts: opts, kernels: table.Best(), plans: make([]plan, len(opts.Families))}
	for i, f := range opts.Families {
		p := newPlan(f, opts.MaxCorrected)
		l := &d.looks[0]
		if p.reversed {
			l = &d.looks[1]
		}
		l.wanted = true
		if !slices.ContainsFunc(d.plans[:i], func(q plan) bool { return q.reversed == p.reversed && q.cells == p.cells }) {
			l.near = append(l.near, p.near)
		}
		l.eroded = l.eroded || p.extra > 0
		d.plans[i] = p
	}
	d.pool.New = func() any { return newJob(d) }
	return d, nil
}

// setDefaults replaces the fields that stand for other values by these.
func (o *Options) setDefaults() {
	o.Families = slices.Clone(o.Families)
	if len(o.Families) == 0 {
		o.Families = []Family{{}}
	}
	for i, f := range o.Families {
		o.Families[i] = f.withDefaults()
	}
	o.MinContrast = cmp.Or(o.MinContrast, 16)
	o.MaxCorrected = max(o.MaxCorrected, -1)
	o.Samples = cmp.Or(o.Samples, 800)
	o.Workers = worker.Number(o.Workers)
}

// check returns an error that names the first field that is out of range. All have their defaults.
func (o *Options) check() error {
	for _, f := range o.Families {
		if err := f.check(); err != nil {
			return err
		}
	}
	fields := option.Fields{Package: "tag", Type: "Options"}
	switch {
	case o.MinContrast < 2 || o.MinContrast > 255:
		return fields.OutOfRange("MinContrast", o.MinContrast, "2 to 255")
	case o.MaxCorrected > 6:
		return fields.OutOfRange("MaxCorrected", o.MaxCorrected, "up to 6")
	case o.Samples < 100 || o.Samples > 10000:
		return fields.OutOfRange("Samples", o.Samples, "100 to 10000")
	}
	return nil
}

// Options returns the options of d, with defaults filled in and negative numbers replaced by what they
// stand for. MaxCorrected stays 0, since its default is that of each family, and is -1 for none.
func (d *Detector) Options() Options {
	d.check()
	o := d.opts
	o.Families = slices.Clone(o.Families)
	return o
}

// Detect returns the markers in img, by families in the order of Options.Families, then by IDs, and
// those with the same ID from top to bottom. Markers need a white margin, as wide as a cell, and kinds with
// data around the border none. Detect panics if img is nil or malformed, or has more than 2³¹-1 pixels.
func (d *Detector) Detect(img *image.Gray) []Tag {
	return d.Append(nil, img)
}

// Append is like Detect, but appends the markers to dst. With one worker it does not allocate in the
// steady state if dst has room.
func (d *Detector) Append(dst []Tag, img *image.Gray) []Tag {
	j := d.begin(img)
	j.findBits()
	j.findQuads()
	dst = j.append(dst, img.Rect.Min)
	j.release()
	return dst
}

// begin returns a job that has begun with img.
func (d *Detector) begin(img *image.Gray) *job {
	d.check()
	p := raster.NewPlane("tag", img)
	p.RequireSize("tag")
	j := d.pool.Get().(*job)
	j.begin(p)
	return j
}

// check panics unless New has made d.
func (d *Detector) check() {
	d.made.Require("tag", "Detector", "New")
}
