package main

import (
	"regexp"
	"syscall"
	"testing"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/stretchr/testify/require"
)

// TestHelpCommand checks that help shows the help of commands.
func TestHelpCommand(t *testing.T) {
	for _, c := range [][2][]string{
		{{"help"}, {"-h"}},
		{{"help", "match"}, {"match", "-h"}},
		{{"help", "stabilize"}, {"stabilize", "-h"}},
		{{"help", "-method", "orb"}, {"-method", "orb", "-h"}},
		{{"help", "orb"}, {"-method", "orb", "-h"}},
		{{"help", "help"}, {"-h"}},
		{{"help", "match", "a.png"}, {"match", "-h"}},
	} {
		status, stdout, stderr := corners(t, c[0]...)
		require.Zero(t, status)
		require.Empty(t, stderr)
		_, want, _ := corners(t, c[1]...)
		require.Equal(t, want, stdout)
		require.Contains(t, stdout, "Usage: ")
	}
}

// TestUnknownHelp checks that there is no help for what is not there.
func TestUnknownHelp(t *testing.T) {
	const all = ": no such command: the commands are bench, find, match, register, stabilize, tag, track and help"
	for word, want := range map[string]string{
		"nosuch":   "nosuch" + all,
		"stabilse": "stabilse: no such command: did you mean corners stabilize?",
		"a.png":    "a.png" + all,
		"sfit":     "sfit: no such command: did you mean corners -method sift?",
		"a\nbcdef": `"a\nbcdef"` + all,
	} {
		status, stdout, stderr := corners(t, "help", word)
		require.Equal(t, report.StatusUsage, status, word)
		require.Empty(t, stdout)
		require.Equal(t, "corners: "+want+" (run corners -h for help)\n", stderr)
	}
}

// TestUnknownWord checks what the program says of a first word that is neither a command nor a file.
func TestUnknownWord(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "stabilise")
	filetest.WriteSquare(t, "a.png")
	const all = ": no such file or command: the commands are bench, find, match, register, stabilize, tag, track and help"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"stabilice", "a.png", "b"}, "stabilice: no such file or command: did you mean corners stabilize?"},
		{[]string{"Track", "a.png"}, "Track: no such file or command: did you mean corners track?"},
		{[]string{"STABILISE"}, "STABILISE: no such file or command: did you mean corners stabilize?"},
		{[]string{"hlep"}, "hlep: no such file or command: did you mean corners help?"},
		{[]string{"regster"}, "regster: no such file or command: did you mean corners register?"},
		{[]string{"matches"}, "matches: no such file or command: did you mean corners match?"},
		{[]string{"matching"}, "matching" + all},
		{[]string{"orb", "x.jpg"}, "orb: no such file or command: did you mean corners -method orb?"},
		{[]string{"shi-tomasi", "a.png"}, "shi-tomasi: no such file or command: did you mean corners -method shi-tomasi?"},
		{[]string{"Haris", "a.png"}, "Haris: no such file or command: did you mean corners -method harris?"},
		{[]string{"detect", "a.png"}, "detect" + all},
		{[]string{"-f", "-o", "x", "frobnicate"}, "frobnicate" + all},
		{[]string{"-f", "track", "a.png"}, "track: no such file, and as a command it must be the first word"},
	} {
		status, stdout, stderr := corners(t, c.args...)
		require.Equal(t, report.StatusUsage, status, c.args)
		require.Empty(t, stdout)
		require.Equal(t, "corners: "+c.want+" (run corners -h for help)\n", stderr)
	}
	require.Equal(t, []string{"a.png", "stabilise"}, filetest.List(t))

	// Others are files, whether they exist or not.
	status, stdout, stderr := corners(t, "-no-picture", "stabilise")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "\nstabilise ")
	for _, args := range [][]string{{"missing.png"}, {"./track"}, {"a.png", "stabilice"}, {"frame1"}} {
		status, _, stderr = corners(t, append(args, "-no-picture")...)
		require.Equal(t, 1, status)
		require.Regexp(t, `^corners: .*: `+regexp.QuoteMeta(syscall.ENOENT.Error())+`\n$`, stderr)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"abc", "abc", 0},
		{"abc", "axc", 1},
		{"abc", "abxc", 1},
		{"abc", "ac", 1},
		{"ab", "ba", 2},
		{"kitten", "sitting", 3},
		{"saturday", "sunday", 3},
	} {
		require.Equal(t, c.want, distance(c.a, c.b), "%s %s", c.a, c.b)
	}
}
