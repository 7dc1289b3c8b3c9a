//go:build !purego

package fast

import (
	"testing"

	"github.com/fastcorners/fast/internal/asmtest"
	"github.com/fastcorners/fast/internal/cpu"
)

// TestRequiredFeatures compares the features that the assembly functions use with
// those that the rows ask for which have them.
func TestRequiredFeatures(t *testing.T) {
	// These are called by name.
	known := map[string][]cpu.Set{
		"widenSSE2":   {sse2Stages.needs, avx2Stages.needs},
		"widenAVX512": {avx512Stages.needs},
	}
	for _, k := range kernels {
		switch {
		case k.sieve != nil && k.sieve != portableStages:
			asmtest.Add(known, k.sieve, k.sieve.needs)
		case k.block != nil:
			asmtest.Add(known, k.block, k.block.needs)
		}
	}
	for _, st := range otherStages() {
		asmtest.Add(known, st, st.needs)
	}
	asmtest.RequireFeatures(t, known)
}

// otherStages returns the rows as they are on processors that choose differently.
func otherStages() []*stages {
	var list []*stages
	for _, screens := range [][2]func(*run){
		{screenAVX512, screen12AVX512},
		{screenTableAVX512, screenTable12AVX512},
	} {
		st := *avx512Stages
		st.screen, st.screen12 = screens[0], screens[1]
		list = append(list, &st)
	}
	return list
}
