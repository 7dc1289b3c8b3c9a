package warp_test

import (
	"math"

	"github.com/fastcorners/fast/warp"
)

// resizeOracle makes the pixels of dst, one after the other, from the definition, and returns the name
// of the rule.
func resizeOracle(how warp.Interpolation, dst, src *picture) (rule string) {
	x, y := side{src.rect.Dx(), dst.rect.Dx()}, side{src.rect.Dy(), dst.rect.Dy()}
	largest := 255
	if src.size == 2 {
		largest = 65535
	}
	var value func(column, row, c int) float64 // not rounded
	reduces := x.scale() >= 1 && y.scale() >= 1
	whole := x.isWhole() && y.isWhole()
	halves := whole && math.Round(x.scale()) == 2 && math.Round(y.scale()) == 2
	if how == 0 && reduces {
		how = warp.Area
	}
	switch {
	case x.n == x.m && y.n == y.m:
		rule = "copy"
		value = func(column, row, c int) float64 { return float64(src.at(column, row, c)) }
	case how == warp.Nearest:
		rule = "nearest"
		value = func(column, row, c int) float64 {
			return float64(src.at(x.nearest(column), y.nearest(row), c))
		}
	case halves:
		rule = "area of 2x2"
		if how != warp.Area {
			rule = "linear that is area"
		}
		value = func(column, row, c int) float64 {
			sum := src.at(2*column, 2*row, c) + src.at(2*column+1, 2*row, c) + src.at(2*column, 2*row+1, c) + src.at(2*column+1, 2*row+1, c)
			return float64((sum + 2) / 4)
		}
	case how == warp.Area && reduces && whole:
		rule = "area of whole pixels"
		w, h := int(math.Round(x.scale())), int(math.Round(y.scale()))
		value = func(column, row, c int) float64 {
			var box []int
			for r := range h {
				for k := range w {
					box = append(box, src.at(column*w+k, row*h+r, c))
				}
			}
			return float64(boxSum(box, src.size == 2) * (1 / float32(len(box))))
		}
	case how == warp.Area && reduces:
		rule = "area"
		value = func(column, row, c int) float64 {
			var sum float32
			firstRow, down := y.covered(row)
			firstColumn, across := x.covered(column)
			for r, b := range down {
				var along float32
				for k, a := range across {
					along += float32(a * float32(src.at(firstColumn+k, firstRow+r, c)))
				}
				sum += float32(b * along)
			}
			return float64(sum)
		}
	default:
		rule = "linear"
		if how == warp.Area {
			rule = "area that is linear"
		}
		value = func(column, row, c int) float64 {
			left, fx := x.between(column, how == warp.Area)
			top, fy := y.between(row, how == warp.Area)
			if left < 0 || left >= x.n-1 {
				left, fx = x.inside(left), 0
			}
			right := x.inside(left + 1)
			top, bottom := y.inside(top), y.inside(top+1)
			corners := [4]int{src.at(left, top, c), src.at(right, top, c), src.at(left, bottom, c), src.at(right, bottom, c)}
			if src.size == 2 {
				return float64(mixFloats(corners, fx, fy))
			}
			return float64(mixBytes(corners, fx, fy))
		}
	}
	for row := range y.m {
		for column := range x.m {
			for c := range dst.channels() {
				v := math.RoundToEven(value(column, row, c))
				dst.set(column, row, c, int(math.Min(v, float64(largest))))
			}
		}
	}
	return rule
}

// A side is the width or the height of a source and of a destination.
type side struct{ n, m int }

func (s side) scale() float64 {
	inverse := float64(s.m) / float64(s.n)
	return 1 / inverse
}

func (s side) isWhole() bool {
	return math.Abs(s.scale()-math.Round(s.scale())) < math.Pow(2, -52)
}

func (s side) inside(i int) int { return max(0, min(i, s.n-1)) }

func (s side) nearest(d int) int { return s.inside(int(float64(d) * s.scale())) }

// between returns the pixel before the position of pixel d, and how far behind it that is.
func (s side) between(d int, area bool) (int, float32) {
	if area {
		at := int(float64(d) * s.scale())
		f := float32(float64(d+1) - float64(float64(at+1)*(float64(s.m)/float64(s.n))))
		if f <= 0 {
			return at, 0
		}
		return at, float32(math.Mod(float64(f), 1))
	}
	f := float32(float64((float64(d)+0.5)*s.scale()) - 0.5)
	at := float32(math.Floor(float64(f)))
	return int(at), f - at
}

// covered returns the first pixel that pixel d covers, and which part of it each one is.
func (s side) covered(d int) (first int, parts []float32) {
	begin := float64(float64(d) * s.scale())
	end := begin + s.scale()
	length := math.Min(s.scale(), float64(s.n)-begin)
	last := s.inside(int(end))
	first = int(math.Ceil(begin))
	if first > last {
		first = last
	}
	whole := last - first
	if left := float64(first) - begin; left > 0.001 {
		first--
		parts = append(parts, float32(left/length))
	}
	for ; whole > 0; whole-- {
		parts = append(parts, float32(1/length))
	}
	if right := end - float64(last); right > 0.001 {
		parts = append(parts, float32(math.Min(math.Min(right, 1), length)/length))
	}
	return first, parts
}

// boxSum returns the sum of the pixels of a box, those of 16 bits with the precision of a float32, four
// at a time.
func boxSum(box []int, deep bool) float32 {
	total := 0
	for _, v := range box {
		total += v
	}
	if !deep {
		return float32(total)
	}
	var sum float32
	fours := len(box) / 4
	for i := range fours {
		sum += float32(box[4*i] + box[4*i+1] + box[4*i+2] + box[4*i+3])
	}
	for _, v := range box[4*fours:] {
		sum += float32(v)
	}
	return sum
}

// mixBytes interpolates between the upper two pixels and the lower two.
func mixBytes(corners [4]int, fx, fy float32) int {
	weights := func(f float32) (int, int) {
		return int(math.RoundToEven(2048 * float64(1-f))), int(math.RoundToEven(2048 * float64(f)))
	}
	left, right := weights(fx)
	above, below := weights(fy)
	upper := (left*corners[0] + right*corners[1]) / 16
	lower := (left*corners[2] + right*corners[3]) / 16
	return (upper*above/65536 + lower*below/65536 + 2) / 4
}

// mixFloats is mixBytes for pixels of 16 bits.
func mixFloats(corners [4]int, fx, fy float32) float32 {
	mix := func(a, b, f float32) float32 {
		return float32(a*(1-f)) + float32(b*f)
	}
	upper := mix(float32(corners[0]), float32(corners[1]), fx)
	return mix(upper, mix(float32(corners[2]), float32(corners[3]), fx), fy)
}
