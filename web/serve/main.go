// Serve builds the page of this repository and serves it on the loopback interface.
//
//	go run ./web/serve              # builds, serves, and prints the address
//	go run ./web/serve -o DIR       # builds into DIR, for any static file server
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "serve at `HOST:PORT`; port 0 is any free port")
	dir := flag.String("o", "", "build into `DIR`, which must be empty or missing, and do not serve")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Usage: go run ./web/serve [flags]\n\n"+
			"Serve builds the page and serves it. Run it in the repository.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*addr, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

// run builds the page into dir or, if that is empty, serves it at addr.
func run(addr, dir string) error {
	if dir != "" {
		return write(dir)
	}
	// A port that is in use is an error before anything is built.
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	s, err := build(os.Stderr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	return http.Serve(listener, s)
}

// write builds the page into a directory, which it makes if it is missing.
func write(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", dir)
	}
	s, err := build(os.Stderr)
	if err != nil {
		return err
	}
	for name, data := range s {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}
