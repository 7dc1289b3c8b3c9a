//go:build !amd64 || purego

package fast

// Without assembly these constants let the compiler drop all calls of the
// functions below.
const (
	haveSSE2   = false
	haveAVX2   = false
	haveAVX512 = false
	haveVBMI2  = false
)

func blocks(k Kernel, hits *uint64, hitStride int, pix *byte, stride, n int, threshold uint8) {
	panic("fast: no assembly")
}

func screen(s isa, arc int, masks *uint64, pix *byte, stride, rows, blocks int, first, last uint64, threshold uint8) {
	panic("fast: no assembly")
}

func exact(s isa, arc int, masks *uint64, origins *uint32, n int, pix *byte, stride int, threshold uint8, scores *byte, scoreStride int) {
	panic("fast: no assembly")
}

func peaks(s isa, masks *uint64, origins *uint32, n int, scores *byte, scoreStride int) {
	panic("fast: no assembly")
}

func wipe(s isa, origins *uint32, n int, scores *byte, scoreStride int) {
	panic("fast: no assembly")
}

func compactAVX512(hits *uint64, origins *uint32, from *uint64, fromOrigins *uint32, n int) int {
	panic("fast: no assembly")
}

func compactSSE2(hits *uint64, origins *uint32, from *uint64, fromOrigins *uint32, n int) int {
	panic("fast: no assembly")
}

func packAVX512(packed *uint32, hits *uint64, origins *uint32, n int, packedScores *uint8, scores *byte, scoreStride int) int {
	panic("fast: no assembly")
}

func widenAVX512(corners *Corner, packed *uint32, n int, x, y int32, packedScores *uint8) {
	panic("fast: no assembly")
}

func packSSE2(packed *uint32, hits *uint64, origins *uint32, n int, packedScores *uint8, scores *byte, scoreStride int) int {
	panic("fast: no assembly")
}

func packAVX2(packed *uint32, hits *uint64, origins *uint32, n int, packedScores *uint8, scores *byte, scoreStride int) int {
	panic("fast: no assembly")
}

func widenSSE2(corners *Corner, packed *uint32, n int, x, y int32, packedScores *uint8) {
	panic("fast: no assembly")
}
