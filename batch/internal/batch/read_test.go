package batch

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Descriptors are read a few images at a time: no file is in memory as a whole.
func TestReadMemory(t *testing.T) {
	const images, keypoints = 120, 10_000
	table := Table{Output: t.TempDir(), Run: "run", Name: FeaturesTable, Shards: 1}
	f, err := createFile[Keypoints](t.Context(), table, 0)
	require.NoError(t, err)
	random := rand.NewChaCha8([32]byte{})
	row := Keypoints{Keypoints: make([]Keypoint, keypoints)}
	for i := range images {
		row.Name = fmt.Sprint(i)
		for k := range row.Keypoints {
			random.Read(row.Keypoints[k].Descriptor[:])
		}
		require.NoError(t, f.write(row))
	}
	require.NoError(t, f.end())
	require.NoError(t, f.close())
	require.Greater(t, f.Bytes, int64(images*keypoints*32))
	heap := func() int {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return int(stats.HeapAlloc)
	}
	before := heap()
	var s storage
	defer s.close()
	n, peak := 0, 0
	require.NoError(t, s.readDescriptors(t.Context(), join(table.Output, f.Path), func(d Descriptors) {
		require.Len(t, d.Bits, keypoints*32)
		if n++; n%10 == 0 {
			peak = max(peak, heap()-before)
		}
	}))
	require.Equal(t, images, n)
	require.Less(t, peak, int(f.Bytes)/2)
	t.Logf("%d MiB for a file of %d MiB", peak>>20, f.Bytes>>20)
}
