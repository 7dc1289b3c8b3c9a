//go:build amd64 && !purego

package fast_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/test/imagetest"
	"github.com/stretchr/testify/require"
)

// absentEnv holds, in a child process of TestFeaturesOff, the prefixes of the
// kernels that must be missing.
const absentEnv = "FAST_TEST_ABSENT"

// TestAbsent checks that the kernels are missing that TestFeaturesOff
// took the features from.
func TestAbsent(t *testing.T) {
	prefixes := os.Getenv(absentEnv)
	if prefixes == "" {
		t.Skip("only for child processes of TestFeaturesOff")
	}
	for prefix := range strings.SplitSeq(prefixes, ",") {
		require.Empty(t, kernelsOf(prefix))
	}
}

// kernelsOf returns the kernels of this processor with a prefix.
func kernelsOf(prefix string) []fast.Kernel {
	return slices.DeleteFunc(fast.Kernels(), func(k fast.Kernel) bool { return !strings.HasPrefix(k.String(), prefix) })
}

// TestFeaturesOff runs tests once more in processes in which CPU features are
// switched off, as on processors without them. Each switch clears one feature
// only, so the kernels must be missing that use others besides.
func TestFeaturesOff(t *testing.T) {
	if imagetest.RaceEnabled() {
		t.Skip("there is no other concurrency than in the other tests")
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	for _, test := range []struct{ feature, absent string }{
		{"avx2", "avx2,avx512"},
		{"avx512f", "avx512"},
		{"avx512bw", "avx512"},
		{"avx512vbmi2", "avx512-sieve"},
	} {
		t.Run(test.feature, func(t *testing.T) {
			if !slices.ContainsFunc(strings.Split(test.absent, ","), func(prefix string) bool { return len(kernelsOf(prefix)) > 0 }) {
				t.Skip("this processor has no such kernels")
			}
			t.Parallel()
			cmd := exec.Command(exe, "-test.v", "-test.short", "-test.run=^(TestAbsent|TestSizes|TestAuto|TestAllocs|TestGolden)$")
			cmd.Env = append(os.Environ(), absentEnv+"="+test.absent, "GODEBUG=cpu."+test.feature+"=off")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), "--- PASS: TestAbsent")
			require.Contains(t, string(out), "--- PASS: TestSizes")
		})
	}
}
