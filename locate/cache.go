package locate

import (
	"slices"
	"sync"

	"github.com/fastcorners/fast/internal/raster"
)

// A cache has what searches need of a scene: the planes of blocks, the measures of windows, and the squares
// of its pixels less 128.
type cache struct {
	mu      sync.Mutex
	planes  []*blockPlanes
	kept    []kept // up to mostKept
	squares [3][]int16
	squared bool // for the scene's present picture
}

// forget marks all of them as those of another picture.
func (c *cache) forget() {
	c.squared = false
	c.forgetMeasures()
	for _, p := range c.planes {
		p.made = false
	}
}

// blocks returns the sums of blocks of a side, not larger than the scene, which the given number of
// workers make.
func (c *cache) blocks(k *kernels, scene *pixels, side, workers int) *blockPlanes {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.planes, func(p *blockPlanes) bool { return p.side == side })
	if i < 0 {
		i = len(c.planes)
		c.planes = append(c.planes, newBlockPlanes(side))
	}
	p := c.planes[i]
	if !p.made {
		p.make(k, scene, workers)
		p.made = true
	}
	return p
}

// squaresOf returns the squares of the pixels of the scene less 128, in rows as those of pixels.
func (c *cache) squaresOf(scene *pixels) [3][]int16 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.squared {
		for i := range scene.channels {
			c.squares[i] = raster.Resize(c.squares[i], len(scene.planes[i]))
			to := c.squares[i]
			for k, v := range scene.planes[i] {
				d := int16(v) - 128
				to[k] = d * d
			}
		}
		c.squared = true
	}
	return c.squares
}

const (
	// mostKept is the number of sizes of templates for which a scene keeps measures.
	mostKept = 4
	// keptFrom is the number of the search with a size that keeps them for those that follow.
	keptFrom = 2
)

// A size is what the measures of windows depend on, of a template without a mask.
type size struct {
	w, h     int
	side     int // of the blocks
	centered bool
}

// kept are the measures of all windows of a size.
type kept struct {
	size
	searches int  // of the scene's present picture
	again    bool // the picture before had enough of them
	begun    bool // by a search, which may not have ended
	made     bool
	measures measurePlanes
}

// forgetMeasures marks those that are kept as those of another picture. It drops those that the present
// one did not need.
func (c *cache) forgetMeasures() {
	c.kept = slices.DeleteFunc(c.kept, func(k kept) bool { return k.searches < keptFrom })
	for i := range c.kept {
		k := &c.kept[i]
		k.searches, k.again, k.begun, k.made = 0, true, false, false
	}
}

// find returns where the measures of a size are kept, or -1.
func (c *cache) find(of size) int {
	return slices.IndexFunc(c.kept, func(k kept) bool { return k.size == of })
}

// measures returns those of a size, if they are made.
func (c *cache) measures(of size) (m measurePlanes, made bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.find(of)
	if i < 0 || !c.kept[i].made {
		return measurePlanes{}, false
	}
	c.kept[i].searches++
	return c.kept[i].measures, true
}

// keep counts a search with a size. It returns room for the measures if the search is to make them, for n
// windows in each of so many rows, of a number of channels.
func (c *cache) keep(of size, channels, n, rows int, lacks bool) (m measurePlanes, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.find(of)
	if i < 0 {
		if len(c.kept) < mostKept {
			c.kept = append(c.kept, kept{})
		}
		// The place of one for which there has been no other search.
		if i = slices.IndexFunc(c.kept, func(k kept) bool { return k.searches < keptFrom && !k.begun }); i < 0 {
			return measurePlanes{}, false
		}
		c.kept[i] = kept{size: of}
	}
	k := &c.kept[i]
	k.searches++
	if k.begun || k.searches < keptFrom && !k.again {
		return measurePlanes{}, false
	}
	k.begun = true
	k.measures.resize(channels, n, rows, lacks)
	return k.measures, true
}

// markMeasures marks the measures of a size, for which keep has made room, as made.
func (c *cache) markMeasures(of size) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(of); i >= 0 {
		c.kept[i].made = true
	}
}
