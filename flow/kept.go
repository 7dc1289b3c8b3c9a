package flow

import "github.com/fastcorners/fast/internal/raster"

// maxKept is how many bytes of templates are kept. Those of 500 points with windows of 15 by 15
// pixels in four levels are 3 MB.
const maxKept = 4 << 20

// keptAlign is what the number of slots is a multiple of, if there is room for them.
const keptAlign = 64

// kept is the templates of points that were followed back. They are those that the points begin
// with in the next images of a video.
type kept struct {
	kernels *kernels // that made them
	image   uint64   // the stamp of the pyramid that they are of
	levels  int      // of a slot
	memory  []slot
	// slots has one for each point, or nil, and before has those of the points of the last call.
	slots, before []*slot
}

// A slot is the templates of a point.
type slot struct {
	place  Point // relative to the upper left pixel
	full   bool  // they have been made for that place
	taken  bool  // by a point of the current call
	levels []keptTemplate
}

// A keptTemplate is what kernels need of a template.
type keptTemplate struct {
	values []int16
	tensor [3]float32
	bounds [8]float32
}

// begin finds slots for the points of a job. Nothing is kept unless its first image was the second
// one of the last call: images that do not follow each other are not slowed down.
func (k *kept) begin(j *job) {
	l := j.lanes.All()[0]
	follows := k.image == j.first.stamp && k.kernels == j.kernels
	if k.kernels != j.kernels {
		k.memory = nil // whose templates may have another size
	}
	k.image, k.kernels = j.second.stamp, j.kernels
	k.before, k.slots = k.slots, raster.Resize(k.before, len(j.points))
	clear(k.slots)
	if follows && l.opts.Confirm > 0 && !l.windows.isPortable() {
		k.grow(len(j.points), len(j.first.levels), len(l.searches[0].values))
		k.match(j)
		k.assign()
	}
}

// grow makes slots for n points of templates with the given number of values in each level, or as
// many as there may be.
func (k *kept) grow(n, levels, values int) {
	n = min((n+keptAlign-1)/keptAlign*keptAlign, maxKept/(2*levels*values))
	if n <= len(k.memory) && levels == k.levels {
		return
	}
	k.levels, k.memory, k.before = levels, make([]slot, n), k.before[:0]
	templates, memory := make([]keptTemplate, n*levels), make([]int16, n*levels*values)
	for i := range templates {
		templates[i].values = memory[i*values:][:values]
	}
	for i := range k.memory {
		k.memory[i].levels = templates[i*levels:][:levels]
	}
}

// match gives points the slots that have their templates. Points that are left of the last call are
// expected in their order. Others are looked for only as long as that takes little time.
func (k *kept) match(j *job) {
	next, looks := 0, 8*len(k.before)
	for i, p := range j.points {
		place := Point{p.X - j.first.min.X, p.Y - j.first.min.Y}
		for at := next; at < len(k.before) && looks > 0; at++ {
			looks--
			if s := k.before[at]; s != nil && s.full && s.place == place {
				k.slots[i], s.taken = s, true
				next = at + 1
				break
			}
		}
	}
}

// assign gives other slots to points that have none.
func (k *kept) assign() {
	free := 0
	for i, s := range k.slots {
		if s != nil {
			continue
		}
		for free < len(k.memory) && k.memory[free].taken {
			free++
		}
		if free == len(k.memory) {
			break
		}
		k.slots[i] = &k.memory[free]
		k.slots[i].full = false
		free++
	}
	for i := range k.memory {
		k.memory[i].taken = false
	}
}
