package warp

import (
	"encoding/binary"
	"math"
)

// linearGray makes pixels of one channel.
func linearGray(s *sampleRun) {
	x, y, to := s.x[:s.n], s.y[:s.n], s.to[:s.n]
	for i := range to {
		px, py := (s.x0+x[i])>>(s.shift&31), (s.y0+y[i])>>(s.shift&31)
		column, row := px>>5-s.left, py>>5-s.top
		if uint32(column) >= uint32(s.right) || uint32(row) >= uint32(s.bottom) {
			s.outside(i)
			continue
		}
		at := int(row)*s.stride + int(column)
		upper, lower := s.pix[at:at+2:at+2], s.pix[at+s.stride:][:2]
		fx, fy := uint32(px&31), uint32(py&31)
		a := (32-fx)*uint32(upper[0]) + fx*uint32(upper[1])
		b := (32-fx)*uint32(lower[0]) + fx*uint32(lower[1])
		to[i] = uint8(((32-fy)*a + fy*b + 512) >> 10)
	}
}

// outside is called for a pixel that uses others outside of the source.
func (s *sampleRun) outside(i int) {
	s.outer[s.outers] = int32(i)
	s.outers++
}

// linearColor makes pixels of four channels.
func linearColor(s *sampleRun) {
	x, y, to := s.x[:s.n], s.y[:s.n], s.to[:4*s.n]
	for i := range x {
		px, py := (s.x0+x[i])>>(s.shift&31), (s.y0+y[i])>>(s.shift&31)
		column, row := px>>5-s.left, py>>5-s.top
		if uint32(column) >= uint32(s.right) || uint32(row) >= uint32(s.bottom) {
			s.outside(i)
			continue
		}
		at := int(row)*s.stride + 4*int(column)
		upper, lower := s.pix[at:at+8:at+8], s.pix[at+s.stride:][:8]
		fx, fy := uint64(px&31), uint64(py&31)
		a, b := binary.LittleEndian.Uint32(upper), binary.LittleEndian.Uint32(upper[4:])
		c, d := binary.LittleEndian.Uint32(lower), binary.LittleEndian.Uint32(lower[4:])
		// Two channels are in the halves of a number.
		even := mix(even(a), even(b), even(c), even(d), fx, fy)
		odd := mix(odd(a), odd(b), odd(c), odd(d), fx, fy)
		both := even | odd<<8
		binary.LittleEndian.PutUint32(to[4*i:], uint32(both)|uint32(both>>16))
	}
}

// even returns the first and the third byte of v, each with 32 bits.
func even(v uint32) uint64 { return uint64(v&0xff) | uint64(v&0xff0000)<<16 }

// odd returns the second and the fourth byte of v, each with 32 bits.
func odd(v uint32) uint64 { return even(v >> 8) }

// mix interpolates between the numbers that a, b, c and d have in their halves.
func mix(a, b, c, d, fx, fy uint64) uint64 {
	const half, bytes = 512<<32 | 512, 0xff<<32 | 0xff
	return ((32-fy)*((32-fx)*a+fx*b) + fy*((32-fx)*c+fx*d) + half) >> 10 & bytes
}

// linearGray16 makes pixels of one channel of 16 bits.
func linearGray16(s *sampleRun) {
	x, y, to := s.x[:s.n], s.y[:s.n], s.to[:2*s.n]
	deep := func(b []byte) float32 { return float32(int32(binary.BigEndian.Uint16(b))) }
	for i := range x {
		px, py := (s.x0+x[i])>>(s.shift&31), (s.y0+y[i])>>(s.shift&31)
		column, row := px>>5-s.left, py>>5-s.top
		if uint32(column) >= uint32(s.right) || uint32(row) >= uint32(s.bottom) {
			s.outside(i)
			continue
		}
		at := int(row)*s.stride + 2*int(column)
		upper, lower := s.pix[at:at+4:at+4], s.pix[at+s.stride:][:4]
		v := mix16(deep(upper), deep(upper[2:]), deep(lower), deep(lower[2:]), px&31, py&31)
		binary.BigEndian.PutUint16(to[2*i:], v)
	}
}

// mix16 returns the mean of four pixels: the upper two and the lower two, from left to right. The
// order of the sums shows in the result, since products of 16 bits and weights may have more than
// the 24 bits of a float32. Each product is converted so that it is rounded.
func mix16(a, b, c, d float32, fx, fy int32) uint16 {
	x, y := float32(fx), float32(fy)*(1./1024) // all that is made of these is exact
	left, upper := 32-x, 1./32-y
	sum := float32(a*(left*upper)) + float32(b*(x*upper))
	sum += float32(c * (left * y))
	sum += float32(d * (x * y))
	const integer = 1 << 23 // to which what is less is added without a fraction, half to even
	return uint16(math.Float32bits(sum + integer))
}

// nearestGray16 makes pixels of one channel of 16 bits.
func nearestGray16(s *sampleRun) {
	x, y, to := s.x[:s.n], s.y[:s.n], s.to[:2*s.n]
	for i := range x {
		column, row := (s.x0+x[i])>>(s.shift&31)-s.left, (s.y0+y[i])>>(s.shift&31)-s.top
		if uint32(column) > uint32(s.right) || uint32(row) > uint32(s.bottom) {
			s.outside(i)
			continue
		}
		from := s.pix[int(row)*s.stride+2*int(column):][:2]
		to[2*i], to[2*i+1] = from[0], from[1]
	}
}

// nearestGray makes pixels of one channel.
func nearestGray(s *sampleRun) {
	x, y, to := s.x[:s.n], s.y[:s.n], s.to[:s.n]
	for i := range to {
		column, row := (s.x0+x[i])>>(s.shift&31)-s.left, (s.y0+y[i])>>(s.shift&31)-s.top
		if uint32(column) > uint32(s.right) || uint32(row) > uint32(s.bottom) {
			s.outside(i)
			continue
		}
		to[i] = s.pix[int(row)*s.stride+int(column)]
	}
}

// nearestColor makes pixels of four channels.
func nearestColor(s *sampleRun) {
	x, y, to := s.x[:s.n], s.y[:s.n], s.to[:4*s.n]
	for i := range x {
		column, row := (s.x0+x[i])>>(s.shift&31)-s.left, (s.y0+y[i])>>(s.shift&31)-s.top
		if uint32(column) > uint32(s.right) || uint32(row) > uint32(s.bottom) {
			s.outside(i)
			continue
		}
		copy(to[4*i:4*i+4], s.pix[int(row)*s.stride+4*int(column):])
	}
}

// project makes places of a homography.
func project(p *projectRun) {
	for i := range p.n {
		x, y := p.at(i)
		p.x[i], p.y[i] = clamp(x, math.MinInt32), clamp(y, math.MinInt32)
	}
}

// clamp returns the integer of 32 bits that is nearest to v, or other if v is not a number.
func clamp(v float64, other int32) int32 {
	switch {
	case v <= math.MinInt32:
		return math.MinInt32
	case v >= math.MaxInt32:
		return math.MaxInt32
	case v != v:
		return other
	}
	return round(v)
}

// at returns the place of pixel i.
func (p *projectRun) at(i int) (x, y float64) {
	n := float64(i)
	w := p.w0 + float64(p.dw*n)
	if w != 0 {
		w = p.k / w
	}
	return float64((p.x0 + float64(p.dx*n)) * w), float64((p.y0 + float64(p.dy*n)) * w)
}

// scale makes places of a Map.
func scale(s *scaleRun) {
	from, to := s.from[:s.n], s.to[:s.n]
	for i, v := range from {
		to[i] = round(float64(float32(v * s.k)))
	}
}

// unpack makes places of a FixedMap.
func unpack(u *unpackRun) {
	m := FixedMap{XY: u.xy, Fraction: u.fraction}
	for i := range u.n {
		u.x[i], u.y[i] = m.at(i)
	}
}
