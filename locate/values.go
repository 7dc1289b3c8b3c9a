package locate

// byteCenter is what pixels as signed bytes are less than pixels.
const byteCenter = 128

// packValues returns the values of a channel as [pack] arranges them, by pairs of columns.
func packValues(t *pattern, c int) []int16 {
	return pack(t, 2, func(x, y int) int16 { return t.values[c][y*t.stride+x] })
}

// packBytes returns the pixels of a channel less byteCenter as [pack] arranges them, by four columns.
func packBytes(t *pattern, c int) []int8 {
	return pack(t, 4, func(x, y int) int8 {
		return int8((t.values[c][y*t.stride+x] + int16(t.mean[c]-byteCenter)) & t.mask[y*t.maskStride+x])
	})
}

// pack arranges values for products with [blockRows] rows of places at a time: for each row of pixels
// below the first row of places, blockRows-1 more than t has, and for each group of columns, the values
// that the group is multiplied with for each row of places. Those of columns that t does not have are 0.
func pack[T int8 | int16](t *pattern, columns int, value func(x, y int) T) []T {
	groups := (t.w + columns - 1) / columns
	list := make([]T, (t.h+blockRows-1)*groups*columns*blockRows)
	for y := range t.h {
		for r := range blockRows {
			to := list[(y+r)*groups*columns*blockRows+columns*r:]
			for x := range t.w {
				to[x/columns*columns*blockRows+x%columns] = value(x, y)
			}
		}
	}
	return list
}

// foldSize returns the number of pairs of rows of t, and of groups of four columns.
func (t *pattern) foldSize() (rows, quads int) { return (t.h + 1) / 2, (t.w + 3) / 4 }

// foldValues returns the values of a channel as [foldRun] has them.
func foldValues(t *pattern, c int) []int16 {
	// parts are which of two neighbors are added up.
	parts := [...][2]int16{{1, 1}, {1, 0}, {0, 1}}
	rows, quads := t.foldSize()
	var list []int16
	for _, down := range parts {
		for _, right := range parts {
			for y := range rows {
				for x := range 2 * quads {
					var v int16
					for i, k := range down {
						if 2*y+i < t.h {
							row := t.values[c][(2*y+i)*t.stride+2*x:]
							v += k * (right[0]*row[0] + right[1]*row[1])
						}
					}
					list = append(list, v)
				}
			}
		}
	}
	return list
}
