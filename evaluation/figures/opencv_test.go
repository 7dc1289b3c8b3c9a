package main

import (
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/match"
	"github.com/fastcorners/fast/orb"
	"github.com/stretchr/testify/require"
)

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
			if none := row[1] == "–"; !none && !strings.HasPrefix(row[1], "0 of ") || strings.Contains(row[1], "not found") {
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
// the responses of package harris and, since version 4.7, a few keypoints of SIFT.
func TestNativeAnswer(t *testing.T) {
	p := openPeers(t)
	s, err := newSession(true)
	require.NoError(t, err)
	q := s.questions()[0]
	for kind, row := range openCVRows([][]answer{{q.answer()}, {q.native(p)}}) {
		if kind == answerResponses || p.Since(4, 7) && (kind == answerSIFT || kind == answerVectors) {
			continue
		}
		require.Regexp(t, `^0 of [1-9][0-9,]*$`, row[1], row[0])
	}
}
