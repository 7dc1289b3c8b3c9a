//go:build !purego

package tensor

import "github.com/fastcorners/fast/internal/cpu"

var assembly = []cpu.Row[kernels]{
	{Name: "neon", Needs: cpu.NEON, Kernels: kernels{
		columns: 8,
		slide:   [maxWindow + 1]func(*slideRun){2: slide2NEON, 3: slide3NEON, 5: slide5NEON, 7: slide7NEON, 9: slide9NEON},
		respond: respondNEON,
	}},
}

// slide2NEON, slide3NEON, slide5NEON, slide7NEON and slide9NEON let a row of gradients enter
// windows of that side, and another row leave them, and make a row of responses. gx and gy are
// the products of the one row less those of the other:
//
//	for x := range columns {
//		a[x] += gx * gx
//		b[x] += gy * gy
//		c[x] += gx * gy
//		out[x] = measure(sum(a[x:][:side]), sum(b[x:][:side]), sum(c[x:][:side]))
//	}
//
//go:noescape
func slide2NEON(r *slideRun)

//go:noescape
func slide3NEON(r *slideRun)

//go:noescape
func slide5NEON(r *slideRun)

//go:noescape
func slide7NEON(r *slideRun)

//go:noescape
func slide9NEON(r *slideRun)

// respondNEON replaces the loop of [respond].
//
//go:noescape
func respondNEON(r *respondRun)
