package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fastcorners/fast/calibrate"
	"github.com/fastcorners/fast/evaluation/internal/tree"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/stretchr/testify/require"
)

// TestBoardScenes checks that the corners of a scene of each kind are where the scene has them, and what is
// counted.
func TestBoardScenes(t *testing.T) {
	photos, err := tree.Photos()
	require.NoError(t, err)
	s := &session{photos: photos}
	frames := s.frames(spec{W: 640, H: 480, Frames: 1})
	f := peers.Must(calibrate.NewFinder(calibrate.FinderOptions{MinCorners: 12}))
	for _, k := range boardKinds {
		t.Run(k.name, func(t *testing.T) {
			scene := k.see(rand.New(rand.NewPCG(1, 2)), frames)
			require.Len(t, scene.boards, k.boards)
			boards := f.Find(scene.image)
			var r boardRecord
			r.add(scene, boards)
			require.Equal(t, k.boards, r.boards)
			require.GreaterOrEqual(t, len(r.squares), r.inside)
			require.Less(t, math.Sqrt(mean(r.squares)), .2)
			require.Zero(t, r.wrong)
			require.Zero(t, r.invented)
			if k.cut {
				require.Less(t, r.inside, len(scene.boards[0].corners))
				return
			}
			require.Equal(t, k.boards, r.full)

			// Boards that are moved are wrong, or not there.
			r = boardRecord{}
			boards[0].Corners[0].X += 3
			r.add(scene, boards[:1])
			require.Equal(t, 1, r.wrong)
			require.Zero(t, r.full)
			for i := range boards[0].Corners {
				boards[0].Corners[i].X += 1000
			}
			r.add(scene, boards[:1])
			require.Equal(t, 1, r.invented)
		})
	}
}
