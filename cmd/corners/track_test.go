package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/flow"
	"github.com/fastcorners/fast/harris"
	"github.com/stretchr/testify/require"
)

// The frames of a camera that moves over the photo.
const (
	frameWidth, frameHeight = 320, 240
	stepX, stepY            = 3, -2 // how far it moves from frame to frame
)

// sequence returns n of these frames.
func sequence(t *testing.T, n int) []*image.Gray {
	t.Helper()
	photo := fast.Gray(decodedPhoto(t))
	var list []*image.Gray
	for i := range n {
		at := image.Pt(100+stepX*i, 150+stepY*i)
		frame := image.NewGray(image.Rect(0, 0, frameWidth, frameHeight))
		for y := range frameHeight {
			copy(frame.Pix[y*frame.Stride:][:frameWidth], photo.Pix[photo.PixOffset(at.X, at.Y+y):])
		}
		list = append(list, frame)
	}
	return list
}

// stream returns frames as a stream, with chroma of 4:2:0.
func stream(frames []*image.Gray) []byte {
	var b bytes.Buffer
	size := frames[0].Rect.Size()
	fmt.Fprintf(&b, "YUV4MPEG2 W%d H%d F25:1 C420jpeg\n", size.X, size.Y)
	for _, f := range frames {
		b.WriteString("FRAME\n")
		b.Write(f.Pix)
		b.Write(bytes.Repeat([]byte{128}, len(f.Pix)/2))
	}
	return b.Bytes()
}

// TestTrackCSV checks where the corners of a video are, and that those of the first two frames
// are what the packages find.
func TestTrackCSV(t *testing.T) {
	inTempDir(t)
	frames := sequence(t, 6)
	status, stdout, stderr := withStdin(t, bytes.NewReader(stream(frames)), "track", "-", "-format", "csv", "-corners", "100", "-refill", "0")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	require.Empty(t, filetest.List(t))
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"frame", "track", "x", "y", "error", "status"}, rows[0])

	d, err := harris.New(harris.GoodFeatures(100, 0.01, 10))
	require.NoError(t, err)
	tracker, err := flow.New(flow.Options{Confirm: 0.5})
	require.NoError(t, err)
	points := flow.Points(d.Detect(frames[0], nil))
	tracks := tracker.Track(tracker.Pyramid(frames[0]), tracker.Pyramid(frames[1]), points, nil)
	for i, p := range points {
		require.Equal(t, []string{"0", fmt.Sprint(i), fmt.Sprint(p.X), fmt.Sprint(p.Y), "0", "new"}, rows[1+i])
		got := tracks[i]
		require.Equal(t, []string{"1", fmt.Sprint(i), fmt.Sprint(got.X), fmt.Sprint(got.Y), fmt.Sprint(got.Err), got.Status.String()},
			rows[1+len(points)+i])
	}

	// The frames are parts of one photo.
	last := make(map[string][3]float64) // the frame and the position
	found, right, lost := 0, 0, 0
	for _, row := range rows[1:] {
		var v [3]float64
		for i, column := range []int{0, 2, 3} {
			v[i], err = strconv.ParseFloat(row[column], 64)
			require.NoError(t, err)
		}
		id, status := row[1], row[5]
		switch status {
		case "new":
			require.NotContains(t, last, id)
		case "found":
			before := last[id]
			require.Equal(t, before[0]+1, v[0], "no frame is left out")
			found++
			dx, dy := v[1]-before[1]+stepX, v[2]-before[2]+stepY
			if dx*dx+dy*dy < 0.1*0.1 {
				right++
			}
		default:
			lost++
			require.Contains(t, []string{"outside", "flat", "lost", "unconfirmed"}, status)
			delete(last, id)
			continue
		}
		last[id] = v
	}
	require.Greater(t, found, 5*70)
	require.Greater(t, right, found*95/100)
	require.NotZero(t, lost)
}

// TestTrackRefill checks that new corners are found when corners get lost, away from others.
func TestTrackRefill(t *testing.T) {
	inTempDir(t)
	data := stream(sequence(t, 30))
	status, stdout, stderr := withStdin(t, bytes.NewReader(data), "track", "-", "-no-picture", "-corners", "60", "-refill", "0.9", "-distance", "12")
	require.Zero(t, status, stderr)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	require.Equal(t, []string{"FRAME", "FOUND", "LOST", "NEW", "MOTION", "MS", "IMAGE"}, strings.Fields(lines[0]))
	require.Len(t, lines, 31)
	fills, live := 0, 0
	for i, line := range lines[1:] {
		var frame, found, lost, begun int
		var motion float64
		_, err := fmt.Sscan(line, &frame, &found, &lost, &begun, &motion)
		require.NoError(t, err)
		require.Equal(t, i, frame)
		require.Equal(t, live, found+lost)
		live = found + begun
		require.LessOrEqual(t, live, 60)
		require.Equal(t, found < 54, begun > 0, line)
		if i > 0 {
			require.InDelta(t, 3.6, motion, 0.1)
			if begun > 0 {
				fills++
			}
		}
	}
	require.NotZero(t, fills)
	require.Less(t, fills, 25)

	_, stdout, _ = withStdin(t, bytes.NewReader(data), "track", "-", "-format", "json", "-corners", "60", "-refill", "0.9", "-distance", "12")
	for i, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
		var frame struct {
			Frame  int
			Points []struct {
				Track  int
				X, Y   float64
				Status string
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &frame))
		require.Equal(t, i, frame.Frame)
		for a, p := range frame.Points {
			for _, q := range frame.Points[:a] {
				if p.Status == "new" && (q.Status == "new" || q.Status == "found") {
					dx, dy := p.X-q.X, p.Y-q.Y
					require.GreaterOrEqual(t, dx*dx+dy*dy, 11.0*11, "frame %d: %v %v", i, p, q)
				}
			}
		}
	}
}

// TestTrackImages follows corners through image files, and draws the last one.
func TestTrackImages(t *testing.T) {
	inTempDir(t)
	for i, f := range sequence(t, 3) {
		filetest.Write(t, fmt.Sprintf("in/%d.png", i), filetest.Encode(t, filetest.StorePNG, f))
	}
	status, stdout, stderr := corners(t, "track", "in/0.png", "in/1.png", "in/2.png")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "in/2.png\nwrote 2-tracks.png\n")
	picture := filetest.ReadPNG(t, "2-tracks.png")
	require.Equal(t, image.Rect(0, 0, frameWidth, frameHeight), picture.Bounds())
	require.NoError(t, os.Remove("2-tracks.png"))

	// A directory is its images, and what was drawn is not among them.
	status, _, stderr = corners(t, "track", "in", "-o", "in", "-every", "2")
	require.Zero(t, status, stderr)
	want := []string{"in/0-tracks-000000.png", "in/0.png", "in/1.png", "in/2-tracks-000002.png", "in/2.png"}
	require.Equal(t, want, filetest.List(t))
	require.Equal(t, picture, filetest.ReadPNG(t, "in/2-tracks-000002.png"))
	status, stdout, stderr = corners(t, "track", "in", "-format", "json")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, `{"frame":2,"image":"in/2.png","motion":`)
	require.Equal(t, want, filetest.List(t))

	// Without trails, other pixels are drawn.
	status, _, stderr = corners(t, "track", "in", "-trail", "0", "-o", "dots.png")
	require.Zero(t, status, stderr)
	require.NotEqual(t, picture, filetest.ReadPNG(t, "dots.png"))
}

// TestTrackDeep checks that the upper 8 bits of video with more are followed, and drawn.
func TestTrackDeep(t *testing.T) {
	inTempDir(t)
	frames := sequence(t, 3)
	data := stream(frames)
	var reports, pictures []string
	for _, d := range [][]byte{data, deepened(data, "420p10", len(frames[0].Pix)*3/2, func(frame, i int, v byte) int { return int(v)*4 + (frame+i)%4 })} {
		status, stdout, stderr := withStdin(t, bytes.NewReader(d), "track", "-", "-format", "csv", "-o", "x.png", "-f")
		require.Zero(t, status, stderr)
		picture, err := os.ReadFile("x.png")
		require.NoError(t, err)
		reports, pictures = append(reports, stdout), append(pictures, string(picture))
	}
	require.Contains(t, reports[0], "\n2,")
	require.Equal(t, reports[0], reports[1])
	require.True(t, pictures[0] == pictures[1])
}

// TestTrackBroken checks that what was whole is reported and drawn.
func TestTrackBroken(t *testing.T) {
	inTempDir(t)
	data := stream(sequence(t, 4))
	for _, c := range []struct {
		stream io.Reader
		lines  int
		err    string
	}{
		{bytes.NewReader(data[:len(data)-1]), 3, "corners: standard input: it ends in the middle of frame 3\n"},
		{iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(data))), 0, "corners: standard input: timeout\n"},
		{io.MultiReader(bytes.NewReader(data), iotest.ErrReader(errors.New("gone"))), 4, "corners: standard input: gone\n"},
	} {
		status, stdout, stderr := withStdin(t, c.stream, "track", "-", "-f")
		require.Equal(t, 1, status)
		require.Equal(t, c.err, stderr)
		if c.lines > 0 {
			require.Equal(t, 1+c.lines+1, strings.Count(stdout, "\n"), "with the titles and the picture")
			require.Contains(t, stdout, "wrote stdin-tracks.png\n")
			require.NoError(t, os.Remove("stdin-tracks.png"))
		}
	}
}

// TestTrackErrors checks what corners track refuses.
func TestTrackErrors(t *testing.T) {
	inTempDir(t)
	frames := sequence(t, 1)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, frames[0]))
	filetest.WriteSquare(t, "b.png")
	for name, size := range map[string]image.Point{"low.png": {frameWidth, frameHeight - 1}, "narrow.png": {frameWidth - 1, frameHeight}} {
		filetest.Write(t, name, filetest.Encode(t, filetest.StorePNG, frames[0].SubImage(image.Rectangle{Max: size}).(*image.Gray)))
	}
	filetest.Write(t, "woven.y4m", []byte("YUV4MPEG2 W320 H240 It\n"))
	filetest.Write(t, "empty", nil)
	filetest.Write(t, "v.y4m", stream(frames))
	const few = "corners track needs two images or more, or a video"
	for _, c := range []struct {
		args, err string
		status    int
	}{
		{"", "corners: corners track needs images, or a video (run corners -h for help)\n", 2},
		{"a.png", "corners: a.png: " + few + " (run corners -h for help)\n", 2},
		{"-", "corners: standard input: it is empty\n", 1},
		{"empty", "corners: empty: it is empty\n", 1},
		{"none.y4m", "corners: none.y4m: " + syscall.ENOENT.Error() + "\n", 1},
		{"a.png b.png -no-picture", "corners: b.png: 40 x 30 pixels, but the first image has 320 x 240\n", 1},
		{"v.y4m -memory 3MiB -corners 1 -trail 0", "corners: v.y4m: 320 x 240 pixels need 3.735 MiB of memory, more than 3 MiB (-memory) less 300 B that are in use\n", 1},
		{"v.y4m -memory 1MiB -corners 1000 -trail 1000", "corners: flags -corners and -trail: 15.545 MiB of memory are needed, more than 1 MiB (-memory)\n", 1},
		{"v.y4m -memory 3900KiB -corners 1 -trail 0", "", 0},
		{"v.y4m -memory 3900KiB -corners 500 -trail 0", "corners: v.y4m: 320 x 240 pixels need 3.735 MiB of memory, more than 3.809 MiB (-memory) less 146.484 KiB that are in use\n", 1},
		{"v.y4m -levels 0", "corners: invalid value 0 for flag -levels: want 1 or more (run corners -h for help)\n", 2},
		{"a.png low.png -no-picture", "corners: low.png: 320 x 239 pixels, but the first image has 320 x 240\n", 1},
		{"a.png narrow.png -no-picture", "corners: narrow.png: 319 x 240 pixels, but the first image has 320 x 240\n", 1},
		{"woven.y4m", "corners: woven.y4m: y4m: the video is interlaced (It): deinterlace it before\n", 1},
		{"v.y4m -window 2", "corners: invalid value 2 for flag -window: want 3 to 255 (run corners -h for help)\n", 2},
		{"v.y4m -every 2 -o x.png", "corners: flag -every draws several pictures: -o must be a directory (run corners -h for help)\n", 2},
	} {
		status, _, stderr := corners(t, append([]string{"track"}, strings.Fields(c.args)...)...)
		require.Equal(t, c.status, status, c.args)
		require.Equal(t, c.err, stderr, c.args)
	}
	status, stdout, stderr := corners(t, "track", "-h")
	require.Zero(t, status)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "-confirm D")
}

// TestTrackMotion checks that the motion is that of a frame, not of those before it.
func TestTrackMotion(t *testing.T) {
	f := sequence(t, 2)
	status, stdout, stderr := withStdin(t, bytes.NewReader(stream([]*image.Gray{f[0], f[1], f[1], f[1], f[0]})), "track", "-", "-no-picture")
	require.Zero(t, status, stderr)
	var motions []string
	for line := range strings.Lines(stdout) {
		motions = append(motions, strings.Fields(line)[4])
	}
	require.Equal(t, []string{"MOTION", "0.00", "3.61", "0.00", "0.00", "3.61"}, motions)
}

// TestTrackPictureNames checks the names of the pictures of a video.
func TestTrackPictureNames(t *testing.T) {
	inTempDir(t)
	data := stream(sequence(t, 3))
	filetest.Write(t, "in/v.1.y4m", data)
	status, stdout, stderr := corners(t, "track", "in/v.1.y4m")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote v.1-tracks.png\n")
	status, _, stderr = corners(t, "track", "in/v.1.y4m", "-every", "2", "-o", "out", "-format", "csv")
	require.Zero(t, status, stderr)
	require.Equal(t, "wrote 2 pictures into out\n", stderr)
	status, _, stderr = withStdin(t, bytes.NewReader(data), "track", "-", "-every", "9", "-o", "out")
	require.Zero(t, status, stderr)
	require.Equal(t, []string{
		"in/v.1.y4m", "out/stdin-tracks-000000.png", "out/stdin-tracks.png",
		"out/v.1-tracks-000000.png", "out/v.1-tracks-000002.png", "v.1-tracks.png",
	}, filetest.List(t))
	require.Equal(t, filetest.ReadPNG(t, "v.1-tracks.png"), filetest.ReadPNG(t, "out/stdin-tracks.png"))
	require.Equal(t, filetest.ReadPNG(t, "v.1-tracks.png"), filetest.ReadPNG(t, "out/v.1-tracks-000002.png"))
}

// TestTrackInterrupted checks that an interruption ends the report with a frame, and that nothing
// is drawn.
func TestTrackInterrupted(t *testing.T) {
	data := stream(sequence(t, 4))
	header, frames, _ := strings.Cut(string(data), "\n")
	for format, titles := range map[string]int{"table": 1, "json": 0} {
		inTempDir(t)
		ctx, cancel := context.WithCancel(t.Context())
		begun := make(chan bool)
		r, w := io.Pipe()
		go func() { // an endless video
			io.WriteString(w, header+"\n"+frames)
			close(begun)
			for err := error(nil); err == nil; {
				_, err = io.WriteString(w, frames)
			}
		}()
		go func() {
			<-begun
			cancel()
		}()
		var stdout, stderr strings.Builder
		require.Equal(t, statusInterrupted, run(ctx, []string{"track", "-", "-o", "out", "-format", format}, r, &stdout, &stderr))
		r.Close()
		lines := strings.Count(stdout.String(), "\n") - titles
		require.GreaterOrEqual(t, lines, 3)
		require.Equal(t, fmt.Sprintf("corners: interrupted: the report ends with frame %d\n", lines-1), stderr.String())
		require.Empty(t, filetest.List(t))
	}
}

// TestTrails checks that the trails keep the last positions and no others, as the memory that is
// reserved for them assumes.
func TestTrails(t *testing.T) {
	cfg := trackConfig{output: output{draw: true}, trackFlags: trackFlags{trail: 7}}
	f := newFollowing(&cfg)
	var tr track
	for i := range 100 {
		tr.point.X = float32(i)
		f.extend(&tr)
		require.Len(t, tr.trail, min(i, 7)+1)
		require.LessOrEqual(t, cap(tr.trail)*int(unsafe.Sizeof(tr.point)), 2*(7+1)*positionBytes)
		for k, p := range tr.trail {
			require.EqualValues(t, i-len(tr.trail)+1+k, p.X)
		}
	}
}

// TestClearDisc checks that the pixels of a disc are cleared and no others.
func TestClearDisc(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		p := flow.Point{X: random.Float32()*60 - 10, Y: random.Float32()*50 - 10}
		radius := random.Float64() * 20
		mask := image.NewGray(image.Rect(0, 0, 40, 30))
		for i := range mask.Pix {
			mask.Pix[i] = 255
		}
		clearDisc(mask, p, radius)
		for y := range 30 {
			for x := range 40 {
				inside := math.Hypot(float64(x)-float64(p.X), float64(y)-float64(p.Y)) <= radius
				require.Equal(t, inside, mask.GrayAt(x, y).Y == 0, "%d,%d of %v within %v", x, y, p, radius)
			}
		}
	}
}
