//go:build linux && (amd64 || arm64)

package gpu

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// load loads a library and sets the functions of the symbols. It fails if one is missing.
func load(name string, symbols []symbol) error {
	lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return fmt.Errorf("gpu: there is no NVIDIA driver: %w", err)
	}
	for _, s := range symbols {
		address, err := purego.Dlsym(lib, s.name)
		if err != nil {
			return fmt.Errorf("gpu: the NVIDIA driver is too old: %w", err)
		}
		purego.RegisterFunc(s.function, address)
	}
	return nil
}
