package main

import (
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
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

// TestAnswers checks what counts as different between two answers.
func TestAnswers(t *testing.T) {
	kps := []orb.Keypoint{{X: 1, Y: 2, Angle: 3, Response: 4}, {X: 5, Y: 6}}
	descs := []match.Descriptor{{1}, {2}}
	make := func(change func(kps []orb.Keypoint, tracks []flow.Track)) []answer {
		kps := append([]orb.Keypoint{}, kps...)
		tracks := []flow.Track{{X: 1, Status: flow.Found}, {X: 2, Err: 7, Status: flow.Lost}}
		change(kps, tracks)
		var a answer
		a.addKeypoints(kps, descs)
		a.addTracks(tracks...)
		a.addCorner(20, false, fast.Corner{X: 1, Y: 2, Score: 30})
		a.addCorner(20, true, fast.Corner{X: 1, Y: 2, Score: 30})
		return []answer{a}
	}
	same := make(func([]orb.Keypoint, []flow.Track) {})
	cells := func(change func(kps []orb.Keypoint, tracks []flow.Track)) map[string]string {
		m := map[string]string{}
		for _, row := range openCVRows([][]answer{same, make(change)}) {
			if !strings.HasPrefix(row[1], "0 of ") || strings.Contains(row[1], "not found") {
				m[row[0]] = row[1]
			}
		}
		return m
	}
	require.Empty(t, cells(func([]orb.Keypoint, []flow.Track) {}))
	require.Equal(t, map[string]string{answerNames[answerAngles]: "1 of 2"},
		cells(func(kps []orb.Keypoint, _ []flow.Track) { kps[0].Angle++ }))
	require.Equal(t, map[string]string{answerNames[answerKeypoints]: "1 of 2"},
		cells(func(kps []orb.Keypoint, _ []flow.Track) { kps[1].Response++ }))
	require.Equal(t, map[string]string{
		answerNames[answerKeypoints]:   "0 of 1, and 1 not found",
		answerNames[answerAngles]:      "0 of 1, and 1 not found",
		answerNames[answerDescriptors]: "0 of 1, and 1 not found",
	}, cells(func(kps []orb.Keypoint, _ []flow.Track) { kps[1].X++ }))
	require.Equal(t, map[string]string{answerNames[answerTracks]: "1 of 2"},
		cells(func(_ []orb.Keypoint, tracks []flow.Track) { tracks[0].X++ }))
	require.Empty(t, cells(func(_ []orb.Keypoint, tracks []flow.Track) { tracks[1].Err++ }))
	require.Len(t, openCVRows([][]answer{same, same, same})[0], 4)
}

// TestNativeAnswer checks that the installed OpenCV gives what this library gives, except for
// the responses of package harris.
func TestNativeAnswer(t *testing.T) {
	p := openPeers(t)
	s, err := newSession(true)
	require.NoError(t, err)
	q := s.questions()[0]
	for kind, row := range openCVRows([][]answer{{q.answer()}, {q.native(p)}}) {
		if kind == answerResponses {
			continue
		}
		require.Regexp(t, `^0 of [1-9][0-9,]*$`, row[1], row[0])
	}
}

// openPeers skips the test where there are no peers.
func openPeers(t *testing.T) *peers.Peers {
	t.Helper()
	p, err := peers.Open()
	if err != nil {
		t.Skip(err)
	}
	return p
}
