package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
)

// checkWord returns an error if the first argument is a word that can only be meant as a command:
// there is no such file, and it has no extension. The error names the command that is most like it.
func (s *session) checkWord(args []string) error {
	if len(args) == 0 || args[0] == "" || strings.Trim(args[0], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" || args[0] == report.Stdio {
		return nil
	}
	word := args[0]
	if _, err := os.Stat(word); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	names := slices.Sorted(maps.Keys(s.commands()))
	best, least := "", 3 // letters that differ
	for _, name := range append(names, "help") {
		if d := distance(strings.ToLower(word), name); d < least {
			best, least = name, d
		}
	}
	switch {
	case best == word:
		return fmt.Errorf("%s: no such file, and as a command it must be the first word", word)
	case best != "":
		return fmt.Errorf("%s: no such file or command: did you mean corners %s?", word, best)
	}
	return fmt.Errorf("%s: no such file or command: the commands are %s and help", word, strings.Join(names, ", "))
}

// distance returns how many letters must be inserted, removed or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances of the beginnings of b from one of a
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
