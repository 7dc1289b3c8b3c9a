package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// writeFiles writes the files into dir, each of them whole or not at all: under
// another name, which it changes at the end.
func writeFiles(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, data := range files {
		path := filepath.Join(dir, name)
		temp := fmt.Sprintf("%s.%016x.tmp", path, rand.Uint64())
		if err := os.WriteFile(temp, data, 0o666); err != nil {
			os.Remove(temp)
			return err
		}
		if err := os.Rename(temp, path); err != nil {
			os.Remove(temp)
			return err
		}
	}
	return nil
}
