//go:build !purego

package match

import (
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRequiredFeatures compares the features that the assembly functions use, as
// their Requires lines say, with those that the rows ask for which have them.
func TestRequiredFeatures(t *testing.T) {
	needs := map[string][]string{} // of each function
	for _, k := range []*kernel{avx512Kernel, avx2Kernel, popcntKernel} {
		for _, f := range append(k.find[:], k.keys[:]...) {
			path := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
			needs[path[strings.LastIndexByte(path, '.')+1:]] = strings.Fields(k.needs.String())
		}
	}
	asm, err := os.ReadFile("simd_amd64.s")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^(?:// Requires: (.*)\n)?TEXT ·(\w+)\(`).FindAllStringSubmatch(string(asm), -1)
	require.Len(t, found, len(needs))
	for _, m := range found {
		required, name := m[1], m[2]
		require.Contains(t, needs, name, "it is in no table")
		for feature := range strings.SplitSeq(required, ", ") {
			switch feature {
			case "CMOV", "SSE": // every amd64 processor has these
			default:
				require.Contains(t, needs[name], feature, "%s is called without a look at this feature", name)
			}
		}
	}
}
