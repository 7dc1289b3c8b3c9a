//go:build amd64 || 386

package cpu

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// printEnv is set in child processes of TestFeatures, which print the features.
const printEnv = "CPU_TEST_PRINT"

func TestMain(m *testing.M) {
	if os.Getenv(printEnv) != "" {
		fmt.Print(available)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestFeatures switches off each feature alone, in a child process, and checks that just
// this one is missing.
func TestFeatures(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	child := func(debug string) []string {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), printEnv+"=1", "GODEBUG="+os.Getenv("GODEBUG")+debug)
		out, err := cmd.Output()
		require.NoError(t, err)
		return strings.Fields(string(out))
	}
	all := child("")
	tested := 0
	for i, name := range all {
		if name == SSE2.String() {
			continue // the switch has no effect on amd64
		}
		want := append(append([]string{}, all[:i]...), all[i+1:]...)
		require.Equal(t, want, child(",cpu."+strings.ToLower(name)+"=off"))
		tested++
	}
	t.Logf("%d features", tested)
}
