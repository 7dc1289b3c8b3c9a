package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/stretchr/testify/require"
)

// TestInterruptedWork checks that work that is never done is left alone.
func TestInterruptedWork(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	cfg, err := parseDetect([]string{"-method=vpi", "-format=csv", "-jobs=1", "a.png", "a.png"}, io.Discard)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cfg.method = spy{Method: cfg.method, found: func() {
		cancel()
		<-t.Context().Done()
	}}
	p := newProgram(ctx, lifetime.Patience, nil, io.Discard, io.Discard)
	p.reader.SetMemory(cfg.memory)
	require.NoError(t, searchInputs(p, cfg, p.reader.Images(cfg.args)))
	require.Equal(t, "0 of 2 images are done", p.console.Left)

	// So is reading that never ends.
	for _, command := range []string{"track -", "stabilize - out"} {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		go func() {
			io.WriteString(w, "YUV4MPEG2 W160 H120 Cmono\n")
			cancel()
		}()
		var stderr strings.Builder
		p := newProgram(ctx, lifetime.Patience, r, io.Discard, &stderr)
		begin := time.Now()
		require.Equal(t, statusInterrupted, p.run(strings.Fields(command)))
		require.Less(t, time.Since(begin), lifetime.DrainTime, "there is nothing to write")
		require.Regexp(t, `^corners: interrupted: (the report is not complete|nothing is done)\n$`, stderr.String())
		require.Equal(t, []string{"a.png"}, filetest.List(t))
		w.CloseWithError(io.ErrClosedPipe)
	}
}

// TestDrain checks that all frames that have been read are written, however long that takes.
func TestDrain(t *testing.T) {
	const n = 12
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	go func() {
		w.Write(shakyStream(t, n, "mono", 4))
		io.WriteString(w, "FRAME\nthe begin of another")
		cancel()
	}()
	var written bytes.Buffer
	slow := writerFunc(func(p []byte) (int, error) {
		time.Sleep(time.Millisecond)
		return written.Write(p)
	})
	var stderr strings.Builder
	p := newProgram(ctx, time.Nanosecond, r, slow, &stderr)
	require.Equal(t, statusInterrupted, p.run([]string{"stabilize", "-", "-", "-radius", "2"}))
	require.Contains(t, stderr.String(), "corners: interrupted: 12 frames are written\n")
	require.Equal(t, n, frameCount(t, &written))
	w.CloseWithError(io.ErrClosedPipe)
}
