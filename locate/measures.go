package locate

import (
	"slices"

	"github.com/fastcorners/fast/internal/raster"
)

// measures are what bounds need to know of windows, as [measureRun] has it, in rows of stride numbers.
type measures struct {
	stride       int
	means        [3][]uint8
	lacks        [3][]float32
	norms, rests []float32
}

// resize gives m room for rows of n windows. There are lacks if that is set.
func (m *measures) resize(channels, n, rows int, lacks bool) {
	m.stride = padded(n)
	size := m.stride * rows
	m.norms, m.rests = raster.Resize(m.norms, size), raster.Resize(m.rests, size)
	for c := range channels {
		m.means[c] = raster.Resize(m.means[c], size)
		if lacks {
			m.lacks[c] = raster.Resize(m.lacks[c], size)
		}
	}
}

// from returns those from a window on.
func (m *measures) from(i int) (means [3][]uint8, lacks [3][]float32, norms, rests []float32) {
	for c := range means {
		means[c] = m.means[c][min(i, len(m.means[c])):]
		lacks[c] = m.lacks[c][min(i, len(m.lacks[c])):]
	}
	return means, lacks, m.norms[i:], m.rests[i:]
}

const (
	// mostKept is the number of sizes of templates for which a scene keeps measures.
	mostKept = 4
	// keptFrom is the number of the search with a size that keeps them for those that follow.
	keptFrom = 2
)

// A size is what measures depend on, of a template without a mask.
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
	measures measures
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

// find returns where those of a size are kept, or -1.
func (c *cache) find(of size) int {
	return slices.IndexFunc(c.kept, func(k kept) bool { return k.size == of })
}

// measures returns those of a size, if they are made.
func (s *Scene) measures(of size) (m measures, made bool) {
	c := &s.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.find(of)
	if i < 0 || !c.kept[i].made {
		return measures{}, false
	}
	c.kept[i].searches++
	return c.kept[i].measures, true
}

// keep counts a search with a size. It returns room for the measures if the search is to make them, for n
// windows in each of so many rows.
func (s *Scene) keep(of size, n, rows int, lacks bool) (m measures, ok bool) {
	c := &s.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.find(of)
	if i < 0 {
		if len(c.kept) < mostKept {
			c.kept = append(c.kept, kept{})
		}
		// The place of one for which there has been no other search.
		if i = slices.IndexFunc(c.kept, func(k kept) bool { return k.searches < keptFrom && !k.begun }); i < 0 {
			return measures{}, false
		}
		c.kept[i] = kept{size: of}
	}
	k := &c.kept[i]
	k.searches++
	if k.begun || k.searches < keptFrom && !k.again {
		return measures{}, false
	}
	k.begun = true
	k.measures.resize(s.channels, n, rows, lacks)
	return k.measures, true
}

// markMeasures marks the measures of a size, for which keep has made room, as made.
func (s *Scene) markMeasures(of size) {
	c := &s.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(of); i >= 0 {
		c.kept[i].made = true
	}
}
