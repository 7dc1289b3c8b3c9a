package hashes

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/program/frames"
	"github.com/stretchr/testify/require"
)

// TestCompute checks that every package computes what it computes on all platforms: with the
// best instruction sets and, unless the test is short, with portable Go. The tests of the
// packages compare the others.
func TestCompute(t *testing.T) {
	photos, err := frames.Load(os.DirFS("../../testdata/photos"))
	require.NoError(t, err)
	file, err := os.ReadFile("testdata/small.txt")
	require.NoError(t, err)
	want := string(file)
	sets := cpu.InstructionSets()
	sets = slices.Compact([]cpu.InstructionSet{sets[0], sets[len(sets)-1]})
	if testing.Short() {
		sets = sets[len(sets)-1:]
	}
	for _, set := range sets {
		restore := cpu.Limit(set.Set)
		groups := Compute(photos, Small, Settings{Workers: 1})
		restore()
		var got strings.Builder
		for _, g := range groups {
			fmt.Fprintf(&got, "%s\t%d\t%s\n", g.Name, g.Results, g.Hash)
			require.NotZero(t, g.Results, g.Name)
		}
		require.Equal(t, want, got.String(), "%s; "+
			"where a change is meant, go -C evaluation run ./hashes -small -photos ../testdata/photos >internal/hashes/testdata/small.txt", set.Name)
	}
}

// TestKernel checks that block kernels have the group that they share, and that only the
// corners count.
func TestKernel(t *testing.T) {
	photos, err := frames.Load(os.DirFS("../../testdata/photos"))
	require.NoError(t, err)
	want := Compute(photos, Small, Settings{Kernel: fast.Scalar})
	require.Len(t, want, 1)
	require.Equal(t, want, Compute(photos, Small, Settings{Kernel: fast.Kernels()[len(fast.Kernels())-1], Workers: 2}))
	require.NotEqual(t, want, Compute(photos[1:], Small, Settings{Kernel: fast.Scalar}))
}

// TestSum checks that each kind of value is hashed, with all its bits, and that only values
// that are not numbers are equal.
func TestSum(t *testing.T) {
	hash := func(add func(s *sum)) string {
		s := newSum()
		add(s)
		return s.hex()
	}
	seen := map[string]int{}
	for i, add := range []func(s *sum){
		func(s *sum) {},
		func(s *sum) { s.bytes([]byte{1}) },
		func(s *sum) { s.integers(1) },
		func(s *sum) { s.integers(1 << 24) },
		func(s *sum) { s.floats(1) },
		func(s *sum) { s.floats(math.Nextafter32(1, 2)) },
		func(s *sum) { s.floats(0) },
		func(s *sum) { s.floats(float32(math.Copysign(0, -1))) },
		func(s *sum) { s.integers(0) },
		func(s *sum) { s.doubles(math.Nextafter(1, 2)) },
		func(s *sum) { s.floats(float32(math.NaN())) },
	} {
		if j, ok := seen[hash(add)]; ok {
			t.Errorf("sums %d and %d are equal", i, j)
		}
		seen[hash(add)] = i
	}
	require.Equal(t, hash(func(s *sum) { s.floats(float32(math.NaN())) }), hash(func(s *sum) { s.doubles(math.Float64frombits(0xfff8000000000001)) }))
	require.Equal(t, hash(func(s *sum) { s.bytes([]byte{1, 0, 0, 0}) }), hash(func(s *sum) { s.bool(true) }))
	// More than it keeps before it hashes.
	long := func(add func(s *sum)) string {
		return hash(func(s *sum) {
			for range 1 << 16 {
				s.result()
				add(s)
			}
		})
	}
	require.NotEqual(t, long(func(s *sum) { s.integers(1) }), long(func(s *sum) { s.integers(2) }))
}
