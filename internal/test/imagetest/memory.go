package imagetest

import (
	"runtime"
	"runtime/debug"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"
)

// Memory tells by name whether memory is still there.
type Memory map[string]func() bool

// Watch makes m tell about what a pointer points to: a variable, or the array of a slice.
func Watch[E any](m Memory, name string, at *E) {
	p := weak.Make(at)
	m[name] = func() bool { return p.Value() != nil }
}

// RequireReleased fails the test if any of the memory that use watches is still there after it
// has returned. What use has called, such as a detector with a pool, must live longer.
func RequireReleased(t testing.TB, use func(m Memory)) {
	t.Helper()
	m := Memory{}
	use(m)
	require.NotEmpty(t, m)
	// What is in a pool stays there for one collection, but not for two.
	runtime.GC()
	for name, there := range m {
		require.False(t, there(), "%s is kept", name)
	}
}

// Allocs is testing.AllocsPerRun without collections of garbage, which would empty pools: on a busy
// machine there may be one in any run. Short tests have at most three runs.
func Allocs(runs int, f func()) float64 {
	if testing.Short() {
		runs = min(runs, 3)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC() // A collection that has begun would empty pools after the first run.
	return testing.AllocsPerRun(runs, f)
}
