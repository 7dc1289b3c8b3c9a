package warp

import (
	"encoding/binary"
	"math"
)

// half averages 2 by 2 pixels.
func half(r *halfRun) {
	for y := range r.rows {
		to := r.dst[y*r.dstStride:][:r.n]
		upper, lower := r.src[2*y*r.srcStride:][:2*r.n], r.src[(2*y+1)*r.srcStride:][:2*r.n]
		for i := 0; i < len(to); i += r.size {
			for c := range r.size {
				k := 2*i + c
				to[i+c] = uint8((uint(upper[k]) + uint(upper[k+r.size]) + uint(lower[k]) + uint(lower[k+r.size]) + 2) >> 2)
			}
		}
	}
}

// boxes averages boxes of whole pixels.
func boxes(r *areaRun) {
	for i := 0; i < len(r.to); i += r.size {
		for c := range r.size {
			var sum int64
			for y := range r.rows {
				row := r.from[y*r.stride+i*r.columns+c:]
				for k := range r.columns {
					sum += int64(row[k*r.size])
				}
			}
			r.to[i+c] = roundByte(float32(sum) * r.scale)
		}
	}
}

// area adds to areas what they have of a row. Each product and each sum is rounded to float32.
func area(r *areaRun) {
	for i, s := range r.shares {
		weights := r.weights[s.first:][:s.n]
		for c := range r.size {
			row := r.from[int(s.at)*r.size+c:]
			var along float32
			for k, w := range weights {
				along += float32(float32(row[k*r.size]) * w)
			}
			if sum, last := r.add(i*r.size+c, along); last {
				r.to[i*r.size+c] = roundByte(sum)
			}
		}
	}
}

// add adds to value i what it has of a row. If that was the last one, add returns the value, not rounded.
func (r *areaRun) add(i int, along float32) (sum float32, last bool) {
	sum = r.sums[i] + float32(r.weight*along)
	if len(r.to) == 0 {
		r.sums[i] = sum
		return 0, false
	}
	r.sums[i] = along * r.next
	return sum * r.scale, true
}

// roundByte rounds v, which is not negative and less than 1<<22, half to even, and saturates.
func roundByte(v float32) uint8 { return uint8(min(roundFloat(v), math.MaxUint8)) }

// roundFloat rounds v, which is not negative and less than 1<<22, half to even.
func roundFloat(v float32) uint32 {
	const integer = 1 << 23                                     // to which what is less is added without a fraction, half to even
	return math.Float32bits(float32(v)+integer) & (integer - 1) // v may be a product
}

// across interpolates along a row.
func across(r *linearRun) {
	line := r.upperLine[:len(r.columns)]
	for i := range line {
		line[i] = int16(along(&r.columns[i], r.upper))
	}
}

// down interpolates between two lines.
func down(r *linearRun) {
	upper, lower := r.upperLine[:len(r.to)], r.lowerLine[:len(r.to)]
	for i := range r.to {
		r.to[i] = r.between(int32(upper[i]), int32(lower[i]))
	}
}

// both interpolates along two rows and between them.
func both(r *linearRun) {
	columns := r.columns[:len(r.to)]
	for i := range r.to {
		r.to[i] = r.between(along(&columns[i], r.upper), along(&columns[i], r.lower))
	}
}

// along returns what lies between two values of a row, in 1/128: a number of 15 bits.
func along(b *blend[int32], row []byte) int32 {
	return (b.a*int32(row[uint32(b.first)]) + b.b*int32(row[uint32(b.second)])) >> 4
}

// between returns what lies between two numbers of lines. Each product is rounded down, to 1/4.
func (r *linearRun) between(upper, lower int32) uint8 {
	return uint8((upper*int32(r.above)>>16 + lower*int32(r.below)>>16 + 2) >> 2)
}

// nearest takes pixels of a row.
func nearest(r *nearestRun) {
	columns, from := r.columns, r.from
	switch r.size {
	case 1:
		to := r.to[:len(columns)]
		for i, at := range columns {
			to[i] = from[uint32(at)]
		}
	case 2:
		to := r.to[:2*len(columns)]
		for _, at := range columns {
			to[0], to[1] = from[uint32(at)], from[uint32(at)+1]
			to = to[2:]
		}
	case 4:
		to := r.to[:4*len(columns)]
		for _, at := range columns {
			binary.LittleEndian.PutUint32(to, binary.LittleEndian.Uint32(from[uint32(at):]))
			to = to[4:]
		}
	}
}
