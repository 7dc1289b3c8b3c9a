package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
)

const helpIntro = `Usage: corners [-method NAME] [flags] [FILE...]
       corners find [flags] PICTURE SCENE...
       corners match|register [-method NAME] [flags] A B
       corners track [flags] A B...
       corners calibrate|tag [flags] FILE...
       corners stabilize [flags] IN OUT
       corners undistort -camera CAMERA [flags] FILE...
       corners bench [-method NAME] [flags] [FILE...]

Corners draws corners or keypoints. Commands find pictures and markers, match,
align and undistort images, measure cameras, follow corners and steady videos.

A FILE is a PNG, JPEG, GIF, BMP, TIFF, WebP, PBM, PGM or PPM image, - for
standard input, or a directory: all images in it and below it, except pictures
that corners has drawn. Without a FILE, corners uses a photo of its own.

Methods:
`

const helpEnd = `
corners help COMMAND and corners -method NAME -h describe the rest.
`

// printHelp writes what corners -h says.
func printHelp(w io.Writer) {
	fmt.Fprint(w, helpIntro)
	for _, m := range method.All {
		fmt.Fprintf(w, "  %-12s%s\n", m.Name, m.Summary)
	}
	printAll(w, "\nFlags of all methods, before or after the files:\n", cli.New(new(searchConfig).define), helpEnd)
}

// printAll writes texts and, where one of the parts is a set of flags, a line for each of them.
func printAll(w io.Writer, parts ...any) {
	for _, part := range parts {
		flags, ok := part.(*cli.Set)
		if !ok {
			io.WriteString(w, part.(string))
			continue
		}
		lines := report.NewTable(w)
		flags.Print(lines, cli.HelpWidth)
		lines.Flush()
	}
}

// helpCommand is the first word of command lines that ask for help.
const helpCommand = "help"

// helpArgs returns the command line that asks for the help that corners help ARGS asks for: that of a
// command, or of a method.
func helpArgs(args []string) ([]string, error) {
	words := slices.Clone(args)
	switch {
	case len(words) == 0 || strings.HasPrefix(words[0], "-") || commands[words[0]] != nil:
	case words[0] == helpCommand:
		words = words[1:]
	case method.Named(words[0]).Name != "":
		words = append([]string{"-method"}, words...)
	default:
		return nil, unknown(words[0], "no such command")
	}
	return append(words, "-h"), nil
}

// checkWord returns an error if the first argument is a word that can only be meant as a command or as
// a method: there is no such file, and it has no extension.
func checkWord(args []string) error {
	if len(args) == 0 || args[0] == "" || strings.Trim(args[0], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" || args[0] == report.Stdio {
		return nil
	}
	word := args[0]
	if _, err := os.Stat(word); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return unknown(word, "no such file or command")
}

// unknown returns the error of a word that is neither a command nor what else is said. It names the
// command or the method that is most like it.
func unknown(word, what string) error {
	names := slices.Sorted(maps.Keys(commands))
	best, least := "", 3 // letters that differ
	for _, name := range slices.Concat(names, []string{helpCommand}, method.Names(method.All)) {
		if d := distance(strings.ToLower(word), name); d < least {
			best, least = name, d
		}
	}
	shown := report.Printable(word)
	switch {
	case method.Named(best).Name != "":
		return fmt.Errorf("%s: %s: did you mean corners -method %s?", shown, what, best)
	case best == word:
		return fmt.Errorf("%s: no such file, and as a command it must be the first word", shown)
	case best != "":
		return fmt.Errorf("%s: %s: did you mean corners %s?", shown, what, best)
	}
	return fmt.Errorf("%s: %s: the commands are %s and %s", shown, what, strings.Join(names, ", "), helpCommand)
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
