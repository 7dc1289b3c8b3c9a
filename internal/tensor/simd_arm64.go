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

//go:noescape
func respondNEON(r *respondRun)
