package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParseGroups checks that lines are read, and which ones count as different.
func TestParseGroups(t *testing.T) {
	want, err := parseGroups("a b\t10\tff\nc\t5\tee\n")
	require.NoError(t, err)
	require.Equal(t, []group{{"a b", 10, "ff"}, {"c", 5, "ee"}}, want)
	for _, bad := range []string{"a\t1\n", "a\tb\tc\n", "\n"} {
		_, err := parseGroups(bad)
		require.Error(t, err, bad)
	}
	for _, c := range []struct {
		got                []group
		results, different int
	}{
		{want, 15, 0},
		{want[1:], 5, 0},
		{[]group{{"a b", 10, "fe"}, {"c", 5, "ee"}}, 15, 10},
		{[]group{{"a b", 9, "ff"}, {"c", 5, "ee"}}, 14, 9},
		{[]group{{"d", 5, "ee"}}, 5, 5},
	} {
		results, diff := different(want, c.got)
		require.Equal(t, []int{c.results, c.different}, []int{results, diff})
	}
}

// TestParseElsewhere checks that groups belong to the platform before them.
func TestParseElsewhere(t *testing.T) {
	list, computed, err := parseElsewhere("a GPU, today\na b\t10\tff\nc\t5\tee\nanother\nc\t5\tee\n")
	require.NoError(t, err)
	require.Equal(t, []platform{{name: "a GPU, today"}, {name: "another"}}, list)
	require.Equal(t, []computation{{groups: []group{{"a b", 10, "ff"}, {"c", 5, "ee"}}}, {groups: []group{{"c", 5, "ee"}}}}, computed)
	for _, bad := range []string{"c\t5\tee\n", "name\nc\t5\n"} {
		_, _, err := parseElsewhere(bad)
		require.Error(t, err, bad)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 35000123: "35,000,123"} {
		require.Equal(t, want, thousands(n))
	}
}
