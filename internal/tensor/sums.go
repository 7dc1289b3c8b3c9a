package tensor

// SlideColumns adds the products of a row of gradients, gx and gy, to the sums over columns,
// and subtracts those of another row. Gradients and sums are integers that doubles hold
// exactly, so nothing is rounded.
func SlideColumns(sums *[3][]float64, gx, gy, oldX, oldY []float32) {
	n := len(gx)
	gy, oldX, oldY = gy[:n], oldX[:n], oldY[:n]
	xx, yy, xy := sums[0][:n], sums[1][:n], sums[2][:n]
	for i, x := range gx {
		x, y, u, v := float64(x), float64(gy[i]), float64(oldX[i]), float64(oldY[i])
		xx[i] += (x - u) * (x + u)
		yy[i] += (y - v) * (y + v)
		xy[i] += x*y - u*v
	}
}

// SumWindows computes the elements of n structure tensors from sums over columns. Those of
// tensor i are the sums of the columns from i up to i+side.
func SumWindows(elements *[3][]float32, sums *[3][]float64, side, n int) {
	var sum [3]float64
	for k := range sum {
		for _, v := range sums[k][:side] {
			sum[k] += v
		}
		elements[k][0] = float32(sum[k])
	}
	n--
	a, b, c := elements[0][1:][:n], elements[1][1:][:n], elements[2][1:][:n]
	xx, yy, xy := sums[0][side:][:n], sums[1][side:][:n], sums[2][side:][:n]
	oldXX, oldYY, oldXY := sums[0][:n], sums[1][:n], sums[2][:n]
	sumXX, sumYY, sumXY := sum[0], sum[1], sum[2]
	for i := range a {
		// Only one addition waits for the one before.
		sumXX += xx[i] - oldXX[i]
		sumYY += yy[i] - oldYY[i]
		sumXY += xy[i] - oldXY[i]
		a[i], b[i], c[i] = float32(sumXX), float32(sumYY), float32(sumXY)
	}
}
