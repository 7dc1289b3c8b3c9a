package main

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"slices"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/locate"
)

// overlap is the largest share of a pattern's area by which two that are seen may overlap.
const overlap = 0.25

// A pattern is a small picture that is looked for.
type pattern struct {
	name     string
	template *locate.Template
	size     image.Point
	// places are all places that score enough in the last frame.
	places []locate.Match
}

// newPattern returns the pattern of an image. Of its pixels those count that are at least half opaque.
func newPattern(name string, img image.Image) (*pattern, error) {
	t, err := locate.NewTemplate(fast.Gray(img), locate.AlphaMask(img))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if t.Flat() {
		return nil, fmt.Errorf("%s: all its pixels are equal", name)
	}
	return &pattern{name: name, template: t, size: img.Bounds().Size()}, nil
}

// seen returns the best places that overlap little, as FindAll of package locate does.
func (p *pattern) seen() (list []locate.Match) {
	slices.SortFunc(p.places, func(a, b locate.Match) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
	for _, m := range p.places {
		if !slices.ContainsFunc(list, func(better locate.Match) bool {
			return float64(area(p.template.Bounds(better).Intersect(p.template.Bounds(m)))) > overlap*float64(p.size.X*p.size.Y)
		}) {
			list = append(list, m)
		}
	}
	return list
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }

// A watcher looks for patterns in the frames of a screen. Where a frame is the same as the one
// before, so is what it finds, and it does not search.
type watcher struct {
	locator  *locate.Locator // of all places, however much they overlap
	patterns []*pattern
	margin   image.Point // the largest width and height of a pattern, and 1 more
	scene    locate.Scene
	before   *image.Gray
}

// newWatcher returns a watcher for places that score minScore or more.
func newWatcher(minScore float64, patterns []*pattern) (*watcher, error) {
	locator, err := locate.New(locate.Options{MinScore: minScore, Overlap: 1})
	if err != nil {
		return nil, err
	}
	w := &watcher{locator: locator, patterns: patterns}
	for _, p := range patterns {
		w.margin = image.Pt(max(w.margin.X, p.size.X+1), max(w.margin.Y, p.size.Y+1))
	}
	return w, nil
}

// push finds the places of all patterns in a frame, which must remain as it is until the next one.
// It returns how many pixels it searched.
func (w *watcher) push(frame *image.Gray) (pixels int) {
	if w.before == nil || w.before.Rect != frame.Rect {
		w.forget()
	}
	for _, part := range w.changes(frame) {
		pixels += w.search(frame, part)
	}
	w.before = frame
	return pixels
}

// forget drops the frame before, and all places that are known.
func (w *watcher) forget() {
	w.before = nil
	for _, p := range w.patterns {
		p.places = p.places[:0]
	}
}

// search finds the places in a frame that depend on a part of it. Those are the places whose windows
// have pixels of the part, and their neighbors: where between pixels the score has its peak is known by the
// scores around the place.
func (w *watcher) search(frame *image.Gray, part image.Rectangle) (pixels int) {
	around := frame.SubImage(grow(part, w.margin)).(*image.Gray)
	locate.SceneInto(&w.scene, around)
	for _, p := range w.patterns {
		depend := image.Rectangle{part.Min.Sub(p.size), part.Max.Add(image.Pt(1, 1))}
		p.places = slices.DeleteFunc(p.places, func(m locate.Match) bool { return m.Pt().In(depend) })
		kept := len(p.places)
		p.places = w.locator.AppendFindAll(p.places, &w.scene, p.template)
		found := slices.DeleteFunc(p.places[kept:], func(m locate.Match) bool { return !m.Pt().In(depend) })
		p.places = p.places[:kept+len(found)]
	}
	return area(around.Rect)
}

// grow returns r with a margin on all sides.
func grow(r image.Rectangle, margin image.Point) image.Rectangle {
	return image.Rectangle{r.Min.Sub(margin), r.Max.Add(margin)}
}

// tile is the width and height of the parts of frames that are compared.
const tile = 32

// changes returns parts of a frame that have all pixels that differ from the frame before.
func (w *watcher) changes(frame *image.Gray) []image.Rectangle {
	whole := []image.Rectangle{frame.Rect}
	if w.before == nil {
		return whole
	}
	var parts []image.Rectangle
	for y := frame.Rect.Min.Y; y < frame.Rect.Max.Y; y += tile {
		band := frame.Rect.Intersect(image.Rect(frame.Rect.Min.X, y, frame.Rect.Max.X, y+tile))
		if !w.differs(frame, band) {
			continue
		}
		for x := band.Min.X; x < band.Max.X; x += tile {
			if r := band.Intersect(image.Rect(x, y, x+tile, y+tile)); w.differs(frame, r) {
				parts = w.join(parts, r)
			}
		}
	}
	cost := 0
	for _, r := range parts {
		cost += w.cost(r)
	}
	if cost >= area(frame.Rect) {
		return whole
	}
	return parts
}

// differs reports whether a pixel in r differs from that of the frame before.
func (w *watcher) differs(frame *image.Gray, r image.Rectangle) bool {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		a, b := w.before.PixOffset(r.Min.X, y), frame.PixOffset(r.Min.X, y)
		if !bytes.Equal(w.before.Pix[a:a+r.Dx()], frame.Pix[b:b+r.Dx()]) {
			return true
		}
	}
	return false
}

// join adds r to the parts. Two of which one is searched in less time become one.
func (w *watcher) join(parts []image.Rectangle, r image.Rectangle) []image.Rectangle {
	for i := 0; i < len(parts); i++ {
		if both := parts[i].Union(r); w.cost(both) <= w.cost(parts[i])+w.cost(r) {
			r, parts = both, slices.Delete(parts, i, i+1)
			i = -1 // others may be near now
		}
	}
	return append(parts, r)
}

// cost returns how many pixels are searched if a part changes.
func (w *watcher) cost(part image.Rectangle) int { return area(grow(part, w.margin)) }
