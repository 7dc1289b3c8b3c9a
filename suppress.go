package fast

// suppress drops the corners that are not maxima: those with a neighbor whose score is
// no less, where the tie is taken from the scores of later neighbors. It returns how many
// corners are left, at the front. They are in raster order, before and after, and no
// coordinate is negative.
func suppress(corners []Corner, tie uint8) int {
	// A corner is needed until both rows beside it are done, so the first
	// pass only marks those to be dropped, by complementing Y.
	above, below := 0, 0 // the first corners not before x-1 in these rows
	for i := range corners {
		c := &corners[i]
		y := row(c)
		for above < i && before(&corners[above], c.X-1, y-1) {
			above++
		}
		below = max(below, i+1)
		for below < len(corners) && before(&corners[below], c.X-1, y+1) {
			below++
		}
		if i > 0 && beats(&corners[i-1], c, y, 0) ||
			i+1 < len(corners) && beats(&corners[i+1], c, y, tie) ||
			anyBeats(corners[above:i], c, y-1, 0) ||
			anyBeats(corners[below:], c, y+1, tie) {
			c.Y = ^y
		}
	}
	n := 0
	for _, c := range corners {
		if c.Y >= 0 {
			corners[n] = c
			n++
		}
	}
	return n
}

// row returns the row of a corner, marked or not.
func row(c *Corner) int32 {
	return c.Y ^ c.Y>>31
}

// before reports whether c comes before the pixel x, y in raster order.
func before(c *Corner, x, y int32) bool {
	r := row(c)
	return r < y || r == y && c.X < x
}

// beats reports whether a, its score less the tie, lies in row y, next to the column
// of c or in it, and keeps c from being a maximum.
func beats(a, c *Corner, y int32, tie uint8) bool {
	return row(a) == y && a.X >= c.X-1 && a.X <= c.X+1 && int(a.Score)-int(tie) >= int(c.Score)
}

// anyBeats reports whether one of the first three of list beats c from row y.
func anyBeats(list []Corner, c *Corner, y int32, tie uint8) bool {
	for i := range list[:min(3, len(list))] {
		if beats(&list[i], c, y, tie) {
			return true
		}
	}
	return false
}

// tie returns by how much suppression lessens the scores of later neighbors.
func tie(opts *Options) uint8 {
	if opts.FirstOfEqual {
		return 1
	}
	return 0
}
