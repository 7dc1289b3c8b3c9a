package pose

import (
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/raster"
)

// checkCamera panics unless a camera is one.
func checkCamera(c *camera.Camera) {
	if err := c.Check(); err != nil {
		panic(err.Error())
	}
}

// sees reports whether a ray exists.
func sees(ray geometry.Point) bool { return ray.X == ray.X }

// focal returns the mean of the focal lengths of a camera.
func focal(c *camera.Camera) float64 { return (c.Fx + c.Fy) / 2 }

// sightlines are the rays of observations, computed view by view, since what a camera computes once
// for several rays can take longer than a ray.
type sightlines struct {
	ends     []int            // the ends of the views in at and rays
	index    []int            // of each observation in at and rays
	at, rays []geometry.Point // view by view
}

// set computes the rays of observations.
func (s *sightlines) set(views []View, observations []Observation) {
	s.ends = raster.Resize(s.ends, len(views))
	clear(s.ends)
	for i := range observations {
		s.ends[observations[i].View]++
	}
	begins(s.ends)
	s.index, s.at = raster.Resize(s.index, len(observations)), raster.Resize(s.at, len(observations))
	for i := range observations {
		o := &observations[i]
		s.index[i] = s.ends[o.View]
		s.at[s.index[i]] = o.At
		s.ends[o.View]++
	}
	s.rays = s.rays[:0]
	first := 0
	for i, end := range s.ends {
		s.rays = views[i].Camera.AppendRays(s.rays, s.at[first:end])
		first = end
	}
}

// of returns the ray of an observation.
func (s *sightlines) of(i int) geometry.Point { return s.rays[s.index[i]] }

// begins replaces the sizes of parts that follow each other by where they begin.
func begins(parts []int) {
	sum := 0
	for i, n := range parts {
		parts[i] = sum
		sum += n
	}
}
