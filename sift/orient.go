package sift

// directions is the number of bins of the histogram for the orientation.
const directions = 36

// orientations appends the angles, in degrees, of the keypoint at column x and row y of a layer,
// in descending order. scale is that of the keypoint in pixels of the layer.
func (l *lane) orientations(dst []float32, layer *plane, x, y int, scale float32) []float32 {
	s := &l.samples
	sigma := float32(1.5 * scale)
	s.begin(layer, x, y, round(4.5*scale))
	s.falloff = -1 / (float32(2*sigma) * sigma)
	s.collect(l.kernels.surroundings, l.kernels.directions)

	// The histogram is smoothed as a circle. OpenCV's vectors round other sums than the
	// rest, which is 4 bins.
	h := s.histogram
	copy(h, h[directions:][:2])
	copy(h[directions+2:], h[2:][:2])
	const tail = 32
	var smooth [directions + 2]float32 // with a bin more on both sides
	highest := float32(0)
	for i := range directions {
		far, near, own := h[i]+h[i+4], h[i+1]+h[i+3], h[i+2]
		var v float32
		if i < tail {
			v = addScaled(far, 1.0/16, addScaled(near, 1.0/4, float32(own*(3.0/8))))
		} else {
			v = fma32(own, 3.0/8, addScaled(far, 1.0/16, float32(near*(1.0/4))))
		}
		smooth[i+1] = v
		highest = max(highest, v)
	}
	smooth[0], smooth[directions+1] = smooth[directions], smooth[1]
	return peaks(dst, smooth[:], float32(0.8*highest))
}

// peaks appends the angles of the maxima of a histogram that are at least least. It has a bin more on
// both sides.
func peaks(dst, smooth []float32, least float32) []float32 {
	for i, v := range smooth[1 : directions+1] {
		before, after := smooth[i], smooth[i+2]
		if !(v >= least && v > before && v > after) {
			continue
		}
		// The maximum of the parabola through the three.
		bin := float32(i) + float32(0.5*(before-after))/(before-2*v+after)
		if bin < 0 {
			bin += directions
		}
		dst = append(dst, circle(fma32(-360.0/directions, bin, 360)))
	}
	return dst
}

// addScaled returns a*b + c with a single rounding, for a power b of two from 1/16 to 1 and an a
// of at least 0. Unless a is tiny, the product is exact.
func addScaled(a, b, c float32) float32 {
	if a != 0 && a < 0x1p-100 {
		return fma32(a, b, c)
	}
	return float32(a*b) + c
}

// circle returns an angle, which is 0 if it is 360 degrees.
func circle(angle float32) float32 {
	if abs(angle-360) < 0x1p-23 {
		return 0
	}
	return angle
}

// surroundings gathers the samples of a square.
func surroundings(s *samplesRun) {
	for ; s.row < s.end && s.count < batchSize; s.row++ {
		at := s.center + s.row*s.stride
		for x := s.left; x <= s.right; x++ {
			s.dx[s.count], s.dy[s.count] = s.gradient(at + x)
			s.columns[s.count] = float32(s.row*s.row + x*x)
			s.count++
		}
	}
}

// addDirections adds the samples to the histogram of directions, each one by the length of the
// gradient and by its distance.
func addDirections(s *samplesRun) {
	for i := s.done; i < s.count; i++ {
		dx, dy := s.dx[i], s.dy[i]
		weight := exp32(float32(s.columns[i] * s.falloff))
		bin := round(float32(0.1 * atan(dy, dx)))
		if bin == directions {
			bin = 0
		}
		h := &s.histogram[bin+2]
		if i < s.count-s.fused {
			*h += float32(weight * length(dx, dy))
		} else {
			*h = fma32(weight, length(dx, dy), *h)
		}
	}
}
