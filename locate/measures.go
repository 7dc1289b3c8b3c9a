package locate

import "github.com/fastcorners/fast/internal/raster"

// measurePlanes are the measures of rows of windows, in rows of stride numbers.
type measurePlanes struct {
	stride int
	measures
}

// resize gives m room for rows of n windows. There are lacks if that is set.
func (m *measurePlanes) resize(channels, n, rows int, lacks bool) {
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

// from returns the measures from window i on.
func (m *measurePlanes) from(i int) measures {
	part := measures{norms: m.norms[i:], rests: m.rests[i:]}
	for c := range part.means {
		part.means[c] = m.means[c][min(i, len(m.means[c])):]
		part.lacks[c] = m.lacks[c][min(i, len(m.lacks[c])):]
	}
	return part
}
