package main

import (
	"slices"

	"github.com/fastcorners/fast/pose"
)

const (
	windowSize  = 10 // the number of keyframes that are refined together
	windowFixed = 4  // the first of them, which stay where they are and keep the scale

	// Keyframes are refined that are this far from each other, as a share of the distance of the
	// points: those of a camera that turns on the spot tell nothing about the points.
	windowStep = 0.03

	// Points that are this many pixels from where they should appear are dropped.
	maxError = 2
)

// refine moves the last keyframes, and the points that they see, to where they explain best what
// they see: bundle adjustment of a window.
func (o *odometry) refine() {
	window := o.window()
	if len(window) < 2 {
		return
	}
	var views []pose.View
	number := make(map[int]int) // of the view of a keyframe
	for i, k := range window {
		views = append(views, pose.View{Camera: o.camera, Pose: o.keyframes[k]})
		number[k] = i
	}
	o.landmarks = slices.DeleteFunc(o.landmarks, func(f *feature) bool {
		return !f.known() || f.seen[len(f.seen)-1].keyframe < window[0]
	})
	var seen []*feature
	var world []pose.Vector
	var observations []pose.Observation
	for _, f := range o.landmarks {
		n := len(observations)
		front := true
		for _, s := range f.seen {
			if v, ok := number[s.keyframe]; ok {
				observations = append(observations, pose.Observation{View: v, Point: len(world), At: s.at})
				front = front && views[v].Pose.Apply(f.world)[2] > 0
			}
		}
		if len(observations) < n+2 || !front {
			observations = observations[:n]
			continue
		}
		first, last := views[observations[n].View].Pose, views[observations[len(observations)-1].View].Pose
		if angle(f.world, first.Center(), last.Center()) < wideAngle/3 {
			observations = observations[:n]
			continue
		}
		seen, world = append(seen, f), append(world, f.world)
	}

	fixed := windowFixed
	if window[0] == 0 {
		fixed = 1 // At the start no other keyframe is better known than the rest.
	}
	distances := make([]float64, len(observations))
	if _, err := o.refiner.Refine(views, min(fixed, len(views)-1), world, observations, distances); err != nil {
		return // The keyframes stay where Absolute found them.
	}
	for i, k := range window {
		o.keyframes[k] = views[i].Pose
	}
	for i, f := range seen {
		f.world = world[i]
	}
	for i, s := range observations {
		if f := seen[s.Point]; distances[i] > maxError && f.known() {
			f.world, f.seen = unknown, f.seen[len(f.seen)-1:]
		}
	}
}

// window returns the numbers of the keyframes to refine, or none if the camera has hardly moved
// since the last but one.
func (o *odometry) window() []int {
	last := len(o.keyframes) - 1
	far := windowStep * o.depth()
	window := []int{last}
	for k := last - 1; k >= 0 && len(window) < windowSize; k-- {
		if o.keyframes[k].Center().Sub(o.keyframes[window[len(window)-1]].Center()).Norm() > far {
			window = append(window, k)
		} else if k == last-1 {
			return nil
		}
	}
	slices.Reverse(window)
	return window
}

// depth returns the harmonic mean of the depths of the points that the last keyframe sees.
func (o *odometry) depth() float64 {
	sum, n := 0.0, 0.0
	for _, f := range o.features {
		if f.known() {
			sum += 1 / o.keyframes[len(o.keyframes)-1].Apply(f.world)[2]
			n++
		}
	}
	return n / sum
}
