package machine

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/fastcorners/fast/internal/program/cli"
)

func memory() cli.ByteSize { return memoryOf("/") }

// memoryOf returns the memory of a machine whose files are below a directory: that of all processes,
// or less if there is a limit for this one.
func memoryOf(root string) cli.ByteSize {
	total := cli.ByteSize(0)
	for line := range lines(root + "proc/meminfo") {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			total = cli.ByteSize(kilobytes) * cli.KiB
		}
	}
	for line := range lines(root + "proc/self/cgroup") { // number:controllers:group
		_, line, _ = strings.Cut(line, ":")
		controllers, group, _ := strings.Cut(line, ":")
		dir, file := "sys/fs/cgroup", "memory.max"
		switch {
		case controllers == "": // of version 2
		case slices.Contains(strings.Split(controllers, ","), "memory"):
			dir, file = dir+"/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// The groups above have limits, too. In a container, the group may be known by its path outside.
		for ; ; group = path.Dir(group) {
			for line := range lines(root + dir + path.Join("/", group, file)) {
				if limit, err := strconv.ParseInt(line, 10, 64); err == nil {
					total = min(total, cli.ByteSize(limit))
				}
			}
			if group == "/" || group == "." {
				break
			}
		}
	}
	return total
}

// lines returns an iterator over the lines of a file, of which there are none if it cannot be read.
func lines(name string) func(yield func(string) bool) {
	text, _ := os.ReadFile(name)
	return strings.SplitSeq(strings.TrimSpace(string(text)), "\n")
}
