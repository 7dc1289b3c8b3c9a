package cpu

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Name returns what the system calls the processor, with its family and model
// where it tells them: cloud providers often leave out the exact name.
func Name() string {
	file, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(file)) {
		if strings.TrimSpace(line) == "" {
			break // the other cores follow
		}
		key, value, _ := strings.Cut(line, ":")
		fields[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	name := cmp.Or(fields["model name"], runtime.GOARCH)
	if family := fields["cpu family"]; family != "" {
		name += fmt.Sprintf(" (family %s, model %s)", family, fields["model"])
	}
	return name
}
