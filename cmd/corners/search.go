package main

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/files"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/photo"
)

// searchInputs searches the inputs, and writes the report and the pictures.
func searchInputs(p *program, cfg searchConfig, inputs []files.Input) error {
	search := newSearch(p.life.Early, &cfg, inputs, p.reader, p.drafts, p.console)
	out := results{console: p.console, drafts: p.drafts, report: newReport(p.life.Late, cfg, p.console.Stdout), force: cfg.force}
	lifetime.InOrder(p.life.Early, p.life.Late, len(inputs), cmp.Or(cfg.jobs, runtime.GOMAXPROCS(0)), search.process, func(o outcome) {
		defer search.reported(o.i)
		if out.broken == nil && o.res.dropped {
			again, late := lifetime.Await(p.life.Late, func() outcome { return search.again(o) })
			o.err = cmp.Or(late, again.err)
		}
		if out.add(o) {
			search.done.Add(1)
		} else if out.broken != nil {
			p.life.End()
		}
	})
	p.console.EndProgress()
	p.console.Left = ""
	if n := int(search.done.Load()); n < len(inputs) {
		p.console.Left = fmt.Sprintf("%d of %d images are done", n, len(inputs))
	}
	return out.close(cfg.output)
}

// A search finds corners or keypoints in images, of which several are processed at once, and
// draws their pictures.
type search struct {
	ctx     context.Context // ends it early
	cfg     *searchConfig
	inputs  []files.Input
	reader  *files.Reader
	drafts  *files.Drafts
	console *report.Console
	memory  *files.Pool
	done    atomic.Int32 // the number of images
}

// newSearch returns a search of inputs, which may hold data already.
func newSearch(ctx context.Context, cfg *searchConfig, inputs []files.Input, r *files.Reader, d *files.Drafts, c *report.Console) *search {
	s := &search{ctx: ctx, cfg: cfg, inputs: inputs, reader: r, drafts: d, console: c, memory: files.NewPool(ctx, r.Memory())}
	for _, in := range inputs {
		s.memory.Hold(in.Held())
	}
	return s
}

// A result is the result for an image.
type result struct {
	name    string
	size    image.Point
	picture string // path of the picture, or empty
	draft   string // of the picture
	dropped bool   // the finding was
	notes   []string
	method.Finding
}

// Bytes implements files.List.
func (r *result) Bytes() int64 { return r.Finding.Bytes }

// Drop implements files.List.
func (r *result) Drop() { r.Finding, r.dropped = method.Finding{}, true }

// An outcome is what became of input i.
type outcome struct {
	i   int
	res *result
	err error
}

// process searches input i.
func (s *search) process(i int) outcome {
	return s.again(outcome{i: i, res: &result{name: s.inputs[i].Name, picture: s.inputs[i].Picture}})
}

// again searches an input whose finding was dropped.
func (s *search) again(o outcome) outcome {
	o.err = s.find(o.i, o.res)
	return o
}

// reported gives back the memory for input i and its finding, which has been reported.
func (s *search) reported(i int) {
	s.memory.Reported(i, s.inputs[i].Held())
	s.inputs[i].Drop()
}

// say shows what is about to be done with input i.
func (s *search) say(i int, stage string) {
	share := ""
	if len(s.inputs) > 1 {
		share = fmt.Sprintf("%d/%d  ", s.done.Load(), len(s.inputs))
	}
	s.console.Say("%s%s %s", share, stage, report.Printable(s.inputs[i].Name))
}

// find searches input i and draws its picture, unless it has a draft of that.
func (s *search) find(i int, res *result) error {
	s.say(i, "reading")
	in, cfg := &s.inputs[i], s.cfg
	if err := s.reader.ReadOnce(in, s.memory.Hold); err != nil {
		return report.Named(in.Name, err)
	}
	drawing := cfg.draw && res.draft == ""
	loaded := loading{search: s, i: i, drawing: drawing}
	defer loaded.release()
	if err := loaded.load(); err != nil {
		return err
	}
	res.notes = loaded.notes
	s.say(i, "searching")
	res.size = loaded.photo.Size()
	if cfg.inColor != nil {
		res.Finding = cfg.inColor(loaded.photo.Canvas().SubImage(loaded.gray.Rect).(*image.RGBA))
	} else {
		res.Finding = cfg.method.Find(loaded.gray, loaded.mask)
	}
	if cfg.format == report.FormatTable && !cfg.untimed {
		res.Rows[0] = append(res.Rows[0], fmt.Sprintf("%.3f", measure(cfg.method, loaded.gray)))
	}
	var err error
	if drawing && s.ctx.Err() == nil {
		s.say(i, "drawing")
		canvas := loaded.photo.Canvas()
		res.Draw(canvas)
		res.draft, err = s.drafts.Write(s.ctx, res.picture, canvas)
	}
	if cfg.format == report.FormatTable {
		res.Finding = method.Finding{Rows: res.Rows} // without the list
	}
	if err == nil && res.Finding.Bytes > 0 {
		s.memory.Keep(i, res)
	}
	return cmp.Or(err, s.ctx.Err())
}

// A loading is an image in memory, and the memory that it and its lists take.
type loading struct {
	*search
	i       int // of the input
	drawing bool

	photo      photo.Photo
	gray, mask *image.Gray // the parts that are searched
	held       int64       // bytes, without the data that the input holds
	notes      []string
}

// load loads the image and takes memory for it and for the lists of what will be found.
func (l *loading) load() error {
	in, method := l.inputs[l.i], l.cfg.method
	if err := l.decode(0); err != nil {
		return err
	}
	// To assume the worst saves a search.
	if l.more(method.Lists(l.gray, true)) {
		return nil
	}
	lists := method.Lists(l.gray, false)
	need := cli.ByteSize(int64(in.Held()) + l.held + lists)
	if err := l.reader.Check(l.photo.Size(), need); err != nil {
		return report.Named(in.Name, err)
	}
	if l.ctx.Err() != nil {
		return l.ctx.Err()
	}
	if lists == 0 || l.more(lists) {
		return nil
	}
	// To wait for more with the image in memory, as others may do, could last for ever.
	l.release()
	return l.decode(lists)
}

// decode takes memory for the image, and for lists, and decodes it.
func (l *loading) decode(lists int64) error {
	in := l.inputs[l.i]
	var err error
	l.notes = nil
	l.photo, err = l.reader.Load(in, files.Purpose{
		Draw: l.drawing, Bytes: l.cfg.method.Memory(), Fits: l.cfg.fits,
		Reserve: func(need int64) error {
			need += lists - int64(in.Held())
			err := l.memory.Acquire(l.i, need)
			if err == nil {
				l.held = need
			}
			return err
		},
		Note: func(text string) { l.notes = append(l.notes, text) },
	})
	if err != nil {
		return err
	}
	if l.gray, l.mask, err = l.cfg.region(l.photo.Gray()); err != nil {
		return report.Named(in.Name, err)
	}
	return nil
}

// more takes further bytes, if they are free.
func (l *loading) more(bytes int64) bool {
	if !l.memory.More(bytes) {
		return false
	}
	l.held += bytes
	return true
}

// release gives the image and the memory back.
func (l *loading) release() {
	l.photo, l.gray, l.mask = photo.Photo{}, nil, nil
	if l.held > 0 {
		l.memory.Release(l.held)
	}
	l.held = 0
}

// measure returns the median time in nanoseconds per pixel that the method takes
// for img. Since one run on a small image is too short for the clock, there are up to
// a hundred, for about ten milliseconds at most, but at least one.
func measure(m method.Method, img *image.Gray) float64 {
	var times []float64
	repeat := m.Repeater()
	for start := time.Now(); len(times) == 0 || len(times) < 100 && time.Since(start) < 10*time.Millisecond; {
		t := time.Now()
		repeat(img)
		times = append(times, float64(time.Since(t).Nanoseconds()))
	}
	return median(times) / float64(max(1, img.Rect.Dx()*img.Rect.Dy()))
}
