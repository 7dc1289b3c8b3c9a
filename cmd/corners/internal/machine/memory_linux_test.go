package machine

import (
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	require.Greater(t, Memory(), 16*cli.MiB, "of this machine")
	const meminfo = "MemTotal:        8388608 kB\nMemFree:         1388608 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  cli.ByteSize
	}{
		"nothing":        {nil, 0},
		"no groups":      {map[string]string{"proc/meminfo": meminfo}, 8 * cli.GiB},
		"no limit":       {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 8 * cli.GiB},
		"a limit":        {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "3221225472\n"}, 3 * cli.GiB},
		"above":          {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "2147483648\n"}, 2 * cli.GiB},
		"in a container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1073741824\n"}, cli.GiB},
		"more than all":  {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "10737418240\n"}, 8 * cli.GiB},
		"version 1": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "7:cpu:/x\n4:hugetlb,memory:/docker/1\n0::/\n", "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "4294967296\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/cpu/x/memory.max": "1\n",
		}, 4 * cli.GiB},
		"version 1, the path outside": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "4294967296\n",
		}, 4 * cli.GiB},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir() + "/"
			for path, text := range c.files {
				filetest.Write(t, root+path, []byte(text))
			}
			require.Equal(t, c.want, memoryOf(root))
		})
	}
}
