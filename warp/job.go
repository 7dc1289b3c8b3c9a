package warp

import (
	"fmt"
	"image"
	"math"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A job is one image that is made of another one. It is used again for other images.
type job struct {
	opts    *Options
	kernels *kernels

	// The transform is one of these.
	kind   kind
	affine Affine
	matrix Homography
	places Map
	fixed  FixedMap

	dst, src plane
	size     int // the bytes of a pixel
	value    [4]uint8
	kept     []bool  // for each pixel of dst, whether it keeps what it has, or nil
	dx, dy   []int32 // the products of an Affine with the columns of dst, in 1/1024 pixel

	parts []image.Rectangle
	lanes worker.Lanes[lane]

	// A map for planes of chroma, and its memory.
	chromaPlaces Map
	chromaFixed  FixedMap
}

// A kind is a type of transforms.
type kind uint8

const (
	affine kind = iota
	homography
	floats
	fixed
)

func newJob(o *Options) *job {
	return &job{opts: o, lanes: worker.NewLanes("warp", func() *lane { return new(lane) })}
}

// set keeps the transform for a destination. It panics if there is none, or a malformed one.
// Only values are kept, no pointers to them, so that a caller's Affine need not be on the heap.
func (j *job) set(t Transform, dst image.Rectangle) {
	var w, h int
	switch t := t.(type) {
	case Affine:
		j.kind, j.affine = affine, t
		return
	case Homography:
		j.kind, j.matrix = homography, t
		return
	case *Map:
		t.check()
		j.kind, j.places = floats, *t
		w, h = t.Width, t.Height
	case *FixedMap:
		t.check()
		j.kind, j.fixed = fixed, *t
		w, h = t.Width, t.Height
	default:
		panic("warp: nil Transform")
	}
	if dst.Dx() != w || dst.Dy() != h {
		panic(fmt.Sprintf("warp: map of %d by %d pixels for a destination of %d by %d", w, h, dst.Dx(), dst.Dy()))
	}
}

// release puts j back, without what belongs to the caller. After a panic it is not called.
func (j *job) release(w *Warper) {
	j.dst, j.src = plane{}, plane{}
	j.places, j.fixed, j.kept = Map{}, FixedMap{}, nil
	for _, l := range j.lanes.All() {
		l.release()
	}
	w.jobs.Put(j)
}

// minRows is the least number of rows that a worker takes at a time.
const minRows = 16

// run makes dst, which is not empty.
func (j *job) run(dst, src plane, size int, value [4]uint8) {
	j.dst, j.src, j.size, j.value = dst, src, size, value
	j.rebase()
	j.kernels = table.Best()
	used := src.used(size)
	if uint64(len(used)) > math.MaxInt32 {
		j.kernels = portable() // the others have offsets of 32 bits
	}
	r := j.dst.rect
	if j.kind == affine {
		j.dx, j.dy = raster.Resize(j.dx, r.Dx()), raster.Resize(j.dy, r.Dx())
		for i := range j.dx {
			x := float64(r.Min.X + i)
			j.dx[i] = round(float64(j.affine[0]*x) * 1024)
			j.dy[i] = round(float64(j.affine[3]*x) * 1024)
		}
	}
	workers := worker.For(j.opts.Workers, raster.Shares(r.Dx(), r.Dy()))
	rows := raster.BandRows(r.Dy(), workers, minRows, 1)
	j.parts = raster.AppendParts(j.parts[:0], r, rows, r.Dx(), 1, 0)
	worker.Each(j, &j.lanes, workers, len(j.parts), (*job).part)
}

// nearOrigin is the largest coordinate of bounds for which positions are computed as they are. Far
// beyond it, those of an Affine, in 1/1024 pixel, do not fit in 32 bits.
const nearOrigin = 1 << 20

// rebase moves the bounds of dst and src to the origin, and the matrix with them, if they are far
// away from it. Positions of maps are relative to dst already.
func (j *job) rebase() {
	from, to := j.src.rect.Min, j.dst.rect.Min
	if isNear(j.src.rect) && isNear(j.dst.rect) || j.kind != affine && j.kind != homography {
		return
	}
	x, y := float64(to.X), float64(to.Y)
	if a := &j.affine; j.kind == affine {
		for i, origin := range [2]int{from.X, from.Y} {
			a[3*i+2] = float64(a[3*i]*x) + float64(a[3*i+1]*y) + a[3*i+2] - float64(origin)
		}
	} else {
		m := &j.matrix
		for i := 0; i < 9; i += 3 {
			m[i+2] = float64(m[i]*x) + float64(m[i+1]*y) + m[i+2]
		}
		for i, origin := range [2]int{from.X, from.Y} {
			for k := range 3 {
				m[3*i+k] -= float64(float64(origin) * m[6+k])
			}
		}
	}
	j.src.rect, j.dst.rect = j.src.rect.Sub(from), j.dst.rect.Sub(to)
}

// isNear reports whether the coordinates of r are at most nearOrigin in magnitude.
func isNear(r image.Rectangle) bool {
	return min(r.Min.X, r.Min.Y) >= -nearOrigin && max(r.Max.X, r.Max.Y) <= nearOrigin
}

// portable returns the kernels of portable Go.
func portable() *kernels { return &table[len(table)-1].Kernels }

const (
	// stripColumns is the number of columns of a strip, a multiple of the blocks of a
	// homography.
	stripColumns = 512
	// turnedSlope is the slope of rows that are turned.
	turnedSlope = 1. / 6
	// stripSource is how many bytes a source has that is made in strips. Smaller ones gain
	// nothing by them.
	stripSource = 4 << 20
)

// part makes part i of the destination. If its first row crosses at least half as many rows of
// the source as columns, and the source is large, it is made in strips of columns.
func (j *job) part(l *lane, i int) {
	r := j.parts[i]
	l.begin(j, r.Dx())
	l.locate(j, r.Min.X, r.Min.Y)
	x, y, last := l.sampling.x, l.sampling.y, r.Dx()-1
	slope := math.Abs(float64(y[last])-float64(y[0])) / math.Abs(float64(x[last])-float64(x[0]))
	columns := r.Dx()
	// A destination of fewer rows has other blocks.
	if slope > 0.5 && len(j.src.used(j.size)) >= stripSource && j.dst.rect.Dy() >= 16 {
		columns = stripColumns
	}
	for x := r.Min.X; x < r.Max.X; x += columns {
		j.strip(l, image.Rect(x, r.Min.Y, min(x+columns, r.Max.X), r.Max.Y), slope)
	}
}

// strip makes some columns of a part of the destination, whose rows have a slope in the source.
func (j *job) strip(l *lane, r image.Rectangle, slope float64) {
	l.begin(j, r.Dx())
	k := l.kernels
	sample := k.linear[j.size/2]
	nearest := j.opts.Interpolation == Nearest
	switch {
	case nearest:
		sample = k.nearest[j.size/2]
	case j.size == 4 && slope > turnedSlope:
		sample = k.turned
	}
	s := &l.sampling
	for y := r.Min.Y; y < r.Max.Y; y++ {
		l.locate(j, r.Min.X, y)
		at := (y-j.dst.rect.Min.Y)*j.dst.stride + (r.Min.X-j.dst.rect.Min.X)*j.size
		s.to = j.dst.pix[at:][:s.n*j.size]
		s.outers = 0
		sample(s)
		if s.outers > 0 {
			var kept []bool
			if j.kept != nil {
				kept = j.kept[(y-j.dst.rect.Min.Y)*j.dst.rect.Dx()+r.Min.X-j.dst.rect.Min.X:]
			}
			l.finishRow(j.opts.Border, nearest, j.size, kept)
		}
	}
}
