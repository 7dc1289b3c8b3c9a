package locate

import (
	"image"

	"github.com/fastcorners/fast/internal/raster"
	"github.com/fastcorners/fast/internal/worker"
)

// A lane is the memory of a worker, for a part of the places after the other.
type lane struct {
	scorer     scorer
	single     single
	multiplier multiplier
	convolver  convolver
	bounder    bounder
}

func newLane() *lane {
	l := new(lane)
	l.scorer.forget()
	return l
}

// release drops what belongs to others, but what the bounder has.
func (l *lane) release() {
	l.scorer.release()
	l.single.release()
	l.multiplier.release()
}

// A work is what workers do with parts of the places.
type work interface {
	part(l *lane, part image.Rectangle)
}

// A crew is the workers of a task, and the parts of the places that they share.
type crew struct {
	workers int
	lanes   worker.Lanes[lane]
	parts   []image.Rectangle
}

// begin prepares for a task, and drops the results of others.
func (c *crew) begin(t *task) {
	c.workers = worker.For(t.opts.Workers, raster.Shares(t.w, t.h))
	for _, l := range c.lanes.All() {
		l.scorer.forget()
	}
}

// band divides the places of a task into bands, whose heights are multiples of blockRows.
func (c *crew) band(t *task) {
	rows := raster.BandRows(t.h, c.workers, max(minRows, t.template.h), blockRows)
	c.parts = raster.AppendParts(c.parts[:0], image.Rect(0, 0, t.w, t.h), rows, t.w, 1, 0)
}

// each has workers do some work with each of the parts.
func (c *crew) each(w work) {
	worker.Each(shared{w, c.parts}, &c.lanes, c.workers, len(c.parts), shared.part)
}

// shared is work that is shared, with the parts.
type shared struct {
	work
	parts []image.Rectangle
}

// part does the work with part i.
func (s shared) part(l *lane, i int) { s.work.part(l, s.parts[i]) }
