// Modproxy packs a module as a module proxy would and lays the files out so
// that the directory can be used as a file:// GOPROXY.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("modproxy: ")
	out := flag.String("out", "", "directory to write the proxy's files to")
	version := flag.String("version", "v0.0.0-ci", "version to give the module")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: modproxy -out dir [-version v] module-dir")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := pack(*out, flag.Arg(0), *version); err != nil {
		log.Fatal(err)
	}
}

// pack writes the module in dir, as the given version, below out.
func pack(out, dir, version string) error {
	gomod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	path := modfile.ModulePath(gomod)
	if err := module.Check(path, version); err != nil {
		return err
	}
	escapedPath, err := module.EscapePath(path)
	if err != nil {
		return err
	}
	escapedVersion, err := module.EscapeVersion(version)
	if err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, time.Now().UTC()})
	if err != nil {
		return err
	}

	versions := filepath.Join(out, filepath.FromSlash(escapedPath), "@v")
	if err := os.MkdirAll(versions, 0o777); err != nil {
		return err
	}
	base := filepath.Join(versions, escapedVersion)
	for name, data := range map[string][]byte{
		filepath.Join(versions, "list"): []byte(version + "\n"),
		base + ".info":                  info,
		base + ".mod":                   gomod,
	} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return err
		}
	}

	f, err := os.Create(base + ".zip")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := zip.CreateFromDir(f, module.Version{Path: path, Version: version}, dir); err != nil {
		return err
	}
	stat, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Printf("%s@%s: %d bytes zipped\n", path, version, stat.Size())
	return f.Close()
}
