package calibrate

import (
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/fastcorners/fast/internal/option"
	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/warp"
)

// Errors of FindOne.
var (
	ErrNoBoard   = errors.New("calibrate: no board")
	ErrSize      = errors.New("calibrate: no board of that size")
	ErrAmbiguous = errors.New("calibrate: more than one board")
)

// A Finder finds chessboards according to its FinderOptions. Create one with [NewFinder]. It is
// safe for concurrent use.
type Finder struct {
	made    option.Made
	opts    FinderOptions // with the defaults
	kernels *kernels
	// For each level one that halves it, since a resizer is fastest if sizes do not change.
	resizers []*warp.Resizer
	pool     sync.Pool
}

// NewFinder returns a Finder. It fails if an option is out of range.
func NewFinder(opts FinderOptions) (*Finder, error) {
	opts.setDefaults()
	if err := opts.check(); err != nil {
		return nil, err
	}
	f := &Finder{made: true, opts: opts, kernels: table.Best()}
	for range opts.Levels - 1 {
		r, err := warp.NewResizer(warp.ResizerOptions{Interpolation: warp.Area, Workers: opts.Workers})
		if err != nil {
			return nil, err
		}
		f.resizers = append(f.resizers, r)
	}
	f.pool.New = func() any { return newJob(f) }
	return f, nil
}

// Options returns the options of f, with defaults filled in and negative numbers replaced by what
// they stand for.
func (f *Finder) Options() FinderOptions {
	f.check()
	return f.opts
}

// Find returns the boards in img, those with more corners first. Corners have the coordinates of
// img. Find panics if img is nil or malformed, has rows that overlap, or has more than 2³¹-1
// pixels.
func (f *Finder) Find(img *image.Gray) []Board {
	return f.AppendFind(nil, img)
}

// AppendFind is like Find, but appends the boards to dst. With one worker it allocates nothing but
// the Corners and Deviations of boards in the steady state if dst has room.
func (f *Finder) AppendFind(dst []Board, img *image.Gray) []Board {
	j := f.find(img)
	if n := f.opts.MaxBoards; n > 0 && len(j.boards) > n {
		j.boards = j.boards[:n]
	}
	for _, g := range j.boards {
		dst = append(dst, j.board(g, img.Rect.Min))
	}
	j.release()
	return dst
}

// FindOne returns the board in img. It fails with ErrNoBoard if there is none, with ErrSize if
// FinderOptions have a size and only boards of other sizes are seen, whole or in part, and with
// ErrAmbiguous if two boards have that size or, without a size, a second one has more than half as
// many corners as the first one. It panics as Find does.
func (f *Finder) FindOne(img *image.Gray) (Board, error) {
	j := f.find(img)
	defer j.release()
	told := f.opts.Columns > 0
	switch n := len(j.boards); {
	case n == 0 && told && len(j.others) > 0:
		return Board{}, j.wrongSize()
	case n == 0:
		return Board{}, ErrNoBoard
	case n > 1 && (told || 2*j.boards[1].n > j.boards[0].n):
		return Board{}, ErrAmbiguous
	}
	return j.board(j.boards[0], img.Rect.Min), nil
}

// wrongSize returns the error for an image whose boards are not of the size in the options.
func (j *job) wrongSize() error {
	g := j.others[0]
	j.open(g)
	columns, rows := j.lattice.size()
	found := fmt.Sprintf("%d by %d", columns, rows)
	if g.n < columns*rows {
		found = fmt.Sprintf("%d corners of %s", g.n, found)
	}
	return fmt.Errorf("%w: found %s, not %d by %d", ErrSize, found, j.finder.opts.Columns, j.finder.opts.Rows)
}

// find returns a job that has found the boards of an image, but not their corners' exact places.
func (f *Finder) find(img *image.Gray) *job {
	f.check()
	p := raster.NewPlane("calibrate", img)
	p.RequireSize("calibrate")
	p.RequireRows("calibrate", "image")
	j := f.pool.Get().(*job)
	j.begin(p)
	j.findPeaks()
	j.findCrosses()
	j.link()
	j.grow()
	j.findBoards()
	return j
}

// check panics unless NewFinder has made f.
func (f *Finder) check() {
	f.made.Require("calibrate", "Finder", "NewFinder")
}
