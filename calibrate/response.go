package calibrate

// ringRadius is that of the ring of pixels around a corner.
const ringRadius = 5

// ring has the places of the ring's pixels, clockwise from the one to the right.
var ring = [16]struct{ x, y int }{
	{5, 0},
	{5, 2},
	{4, 4},
	{2, 5},
	{0, 5},
	{-2, 5},
	{-4, 4},
	{-5, 2},
	{-5, 0},
	{-5, -2},
	{-4, -4},
	{-2, -5},
	{0, -5},
	{2, -5},
	{4, -4},
	{5, -2},
}

// leastRow is the least number of pixels of a row for kernels: those of the largest vector.
const leastRow = 32

// A responseRun is the argument of the kernel that computes responses.
type responseRun struct {
	// Pixels, from the one that is ringRadius above the first one of the row, up to the one that is
	// ringRadius to the right of and below the last one.
	pix       []uint8
	stride    int
	responses []int16 // of the pixels of the row, of which there is one at least
	largest   int16   // of them
}

// responsesOfRow computes the responses of a row of pixels. With the ring's pixels I[n],
//
//	SR = sum over n = 0 to 3 of |I[n] + I[n+8] - I[n+4] - I[n+12]|
//	DR = sum over n = 0 to 7 of |I[n] - I[n+8]|
//	MR = |sum of the ring - 4 * sum of the four pixels beside the center|
//
// a response is SR - DR - MR, but 0 if it is negative, or if SR <= DR with the terms of even n
// alone.
func responsesOfRow(r *responseRun) {
	var at [16]int
	for n, p := range ring {
		at[n] = (ringRadius+p.y)*r.stride + ringRadius + p.x
	}
	middle := ringRadius*r.stride + ringRadius
	r.largest = 0
	for x := range r.responses {
		i := func(n int) int { return int(r.pix[at[n]+x]) }
		i0, i4, i8, i12 := i(0), i(4), i(8), i(12)
		i2, i6, i10, i14 := i(2), i(6), i(10), i(14)
		sums := abs(i0+i8-i4-i12) + abs(i2+i10-i6-i14)
		differences := abs(i0-i8) + abs(i4-i12) + abs(i2-i10) + abs(i6-i14)
		if sums <= differences {
			r.responses[x] = 0
			continue
		}
		i1, i5, i9, i13 := i(1), i(5), i(9), i(13)
		i3, i7, i11, i15 := i(3), i(7), i(11), i(15)
		sums += abs(i1+i9-i5-i13) + abs(i3+i11-i7-i15)
		differences += abs(i1-i9) + abs(i5-i13) + abs(i3-i11) + abs(i7-i15)
		total := i0 + i1 + i2 + i3 + i4 + i5 + i6 + i7 + i8 + i9 + i10 + i11 + i12 + i13 + i14 + i15
		c := r.pix[middle+x-1-r.stride:]
		beside := int(c[1]) + int(c[r.stride]) + int(c[r.stride+2]) + int(c[2*r.stride+1])
		v := int16(max(sums-differences-abs(total-4*beside), 0))
		r.responses[x] = v
		r.largest = max(r.largest, v)
	}
}

func abs(a int) int { return max(a, -a) }
