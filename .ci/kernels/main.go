// Kernels lists the instruction sets that the packages have kernels for on this platform,
// one a line: runs or lacks, for whether the processor has what they need, the package, and
// the instruction set.
package main

import (
	"fmt"

	_ "github.com/fastcorners/fast/calibrate"
	_ "github.com/fastcorners/fast/flow"
	_ "github.com/fastcorners/fast/geometry"
	_ "github.com/fastcorners/fast/harris"
	_ "github.com/fastcorners/fast/integral"
	"github.com/fastcorners/fast/internal/cpu"
	_ "github.com/fastcorners/fast/internal/fft"
	_ "github.com/fastcorners/fast/locate"
	_ "github.com/fastcorners/fast/lococo"
	_ "github.com/fastcorners/fast/match"
	_ "github.com/fastcorners/fast/orb"
	_ "github.com/fastcorners/fast/orb/compact"
	_ "github.com/fastcorners/fast/pose"
	_ "github.com/fastcorners/fast/sift"
	_ "github.com/fastcorners/fast/tag"
	_ "github.com/fastcorners/fast/vpi"
	_ "github.com/fastcorners/fast/warp"
)

func main() {
	for pkg, set := range cpu.Rows() {
		verb := "lacks"
		if cpu.Has(set.Set) {
			verb = "runs"
		}
		fmt.Println(verb, pkg, set.Name)
	}
}
