package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/internal/test/phototest"
	"github.com/fastcorners/fast/stabilize"
	"github.com/fastcorners/fast/warp"
	"github.com/fastcorners/fast/y4m"
	"github.com/stretchr/testify/require"
)

// shakyStream returns n frames of a camera that is shaken, as a stream of a color space whose
// frames have a number of bytes for each 4 pixels. The planes after that of luma have its pixels,
// in their order.
func shakyStream(t *testing.T, n int, chroma string, quarters int) []byte {
	t.Helper()
	const w, h = 160, 120
	photo := fast.Gray(decodedPhoto(t))
	b := bytes.NewBufferString("YUV4MPEG2 W160 H120 F25:1 Ip A1:1 C" + chroma + " XA=B\n")
	for i := range n {
		at := image.Pt(170+i*i*37%11, 140+i*i*53%9)
		fmt.Fprintf(b, "FRAME XN=%d\n", i)
		var luma []byte
		for y := range h {
			luma = append(luma, photo.Pix[photo.PixOffset(at.X, at.Y+y):][:w]...)
		}
		b.Write(bytes.Repeat(luma, 4)[:w*h*quarters/4])
	}
	return b.Bytes()
}

// TestStabilize checks that every color space is written as it is read, and that the pixels are
// those that the packages make.
func TestStabilize(t *testing.T) {
	const n = 14
	for chroma, quarters := range map[string]int{
		"420jpeg": 6, "420mpeg2": 6, "420paldv": 6, "422": 8, "411": 6, "440": 8, "444": 12, "444alpha": 16, "mono": 4,
	} {
		if testing.Short() && chroma != "420jpeg" && chroma != "411" && chroma != "444alpha" && chroma != "mono" {
			continue
		}
		data := shakyStream(t, n, chroma, quarters)
		status, stdout, stderr := withStdin(t, bytes.NewReader(data), "stabilize", "-", "-", "-radius", "5")
		require.Zero(t, status, stderr)
		require.Regexp(t, `^wrote 14 frames: 0 cuts, 0 limited by the zoom, shake of 1\d\.\d\d pixels, now 0\.\d\d\n$`, stderr)

		in, err := y4m.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		var want bytes.Buffer
		w, err := y4m.NewWriter(&want, in.Header())
		require.NoError(t, err)
		s, err := stabilize.New(stabilize.Options{SmoothingRadius: 5})
		require.NoError(t, err)
		warper, err := warp.New(warp.Options{Border: border.Replicate})
		require.NoError(t, err)
		frames := make([]y4m.Frame, n)
		show := func(r stabilize.Result) {
			from := &frames[r.Frame]
			to := new(y4m.Frame)
			to.Like(from)
			source := warp.Of(r.Source)
			require.IsType(t, warp.Affine{}, source)
			if img, ok := from.Image().(*image.YCbCr); ok {
				warper.YCbCr(to.Image().(*image.YCbCr), img, source)
			} else {
				warper.Gray(to.Gray(), from.Gray(), source)
			}
			if a := from.Alpha(); a != nil {
				warper.Gray(to.Alpha(), a, source)
			}
			require.NoError(t, w.Write(to))
		}
		for i := range frames {
			require.NoError(t, in.Read(&frames[i]))
			if r, ok := s.Push(frames[i].Gray()); ok {
				show(r)
			}
		}
		for r, ok := s.Flush(); ok; r, ok = s.Flush() {
			show(r)
		}
		require.True(t, want.String() == stdout, chroma)
	}
}

// deepened returns a stream whose frames have a size with other samples, of two bytes.
func deepened(data []byte, chroma string, size int, sample func(frame, i int, v byte) int) []byte {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	name, _, _ := strings.Cut(string(line), " C")
	b := []byte(name + " C" + chroma + " XYSCSS=" + chroma + " XCOLORRANGE=LIMITED\n")
	for frame := 0; len(rest) > 0; frame++ {
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		b = append(append(b, line...), '\n')
		pix := rest[:size]
		rest = rest[len(pix):]
		for i, v := range pix {
			deep := sample(frame, i, v)
			b = append(b, byte(deep%256), byte(deep/256))
		}
	}
	return b
}

// samples returns the samples of all frames, of one byte or two, and the lines of a stream of 160 x
// 120 pixels.
func samples(t *testing.T, stream string, bytes, quarters int) (list []int, lines []string) {
	t.Helper()
	line, rest, _ := strings.Cut(stream, "\n")
	for lines = []string{line}; len(rest) > 0; lines = append(lines, line) {
		line, rest, _ = strings.Cut(rest, "\n")
		size := bytes * 160 * 120 * quarters / 4
		require.GreaterOrEqual(t, len(rest), size)
		for i := 0; i < size; i += bytes {
			v := int(rest[i])
			if bytes == 2 {
				v += int(rest[i+1]) * 256
			}
			list = append(list, v)
		}
		rest = rest[size:]
	}
	return list, lines
}

// TestStabilizeColor checks that in frames that are limited chroma, which reaches a little beyond the
// edges, is not mixed with anything that is not in the video.
func TestStabilizeColor(t *testing.T) {
	in, err := y4m.NewReader(bytes.NewReader(shakyStream(t, 14, "420jpeg", 6)))
	require.NoError(t, err)
	var data bytes.Buffer
	w, err := y4m.NewWriter(&data, in.Header())
	require.NoError(t, err)
	var f y4m.Frame
	for range 14 {
		require.NoError(t, in.Read(&f))
		img := f.Image().(*image.YCbCr)
		for i := range img.Cb {
			img.Cb[i], img.Cr[i] = 255, 255
		}
		require.NoError(t, w.Write(&f))
	}
	status, stdout, stderr := withStdin(t, &data, "stabilize", "-", "-", "-radius", "5", "-zoom", "1.02")
	require.Zero(t, status, stderr)
	require.Regexp(t, ` [1-9]\d* limited `, stderr)
	out, err := y4m.NewReader(strings.NewReader(stdout))
	require.NoError(t, err)
	for range 14 {
		require.NoError(t, out.Read(&f))
		img := f.Image().(*image.YCbCr)
		require.Equal(t, len(img.Cb), bytes.Count(img.Cb, []byte{255}))
		require.Equal(t, len(img.Cr), bytes.Count(img.Cr, []byte{255}))
	}
}

// TestStabilizeDeep checks that video of 10 bits moves as one of its upper 8 bits does, with all of
// its own.
func TestStabilizeDeep(t *testing.T) {
	inTempDir(t)
	const n = 5
	for _, c := range []struct {
		shallow, deep string
		quarters      int
	}{
		{"420jpeg", "420p10", 6}, {"422", "422p10", 8}, {"444", "444p10", 12}, {"mono", "mono10", 4},
	} {
		if testing.Short() && c.shallow != "420jpeg" && c.shallow != "mono" {
			continue
		}
		data := shakyStream(t, n, c.shallow, c.quarters)
		filetest.Write(t, "in.y4m", data)
		status, shallow, stderr := corners(t, "stabilize", "in.y4m", "-", "-f", "-radius", "2", "-report", "r8.csv")
		require.Zero(t, status, stderr)
		_, lower, _ := strings.Cut(stderr, "\n")
		require.Empty(t, lower)

		// The same samples with two bits below them, which do not move anything.
		low := func(i int) int { return i * 7 / 3 % 4 }
		deep := deepened(data, c.deep, 160*120*c.quarters/4, func(_, i int, v byte) int { return int(v)*4 + low(i) })
		filetest.Write(t, "in.y4m", deep)
		status, out, summary := corners(t, "stabilize", "in.y4m", "-", "-f", "-radius", "2", "-report", "r10.csv")
		require.Zero(t, status, summary)
		require.Equal(t, stderr, summary)
		want, err := os.ReadFile("r8.csv")
		require.NoError(t, err)
		got, err := os.ReadFile("r10.csv")
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))

		coarse, _ := samples(t, shallow, 1, c.quarters)
		fine, lines := samples(t, out, 2, c.quarters)
		_, all := samples(t, string(deep), 2, c.quarters)
		require.Equal(t, all, lines, "the parameters of the stream and the frames")
		require.Len(t, fine, len(coarse))
		other := 0
		for i, v := range fine {
			if d := v - 4*coarse[i]; d < -2 || d > 5 { // rounded to a multiple of 4, and up to 3 more
				require.Failf(t, c.deep, "sample %d is %d, not about 4*%d", i, v, coarse[i])
			}
			if v%4 != low(i) {
				other++
			}
		}
		require.Greater(t, other, len(fine)/2, "lower bits")
	}

	// Planes of one value keep it, to the largest one.
	data := deepened(shakyStream(t, n, "420jpeg", 6), "420p10", 160*120*3/2, func(frame, i int, v byte) int {
		switch plane := i * 4 / (160 * 120); {
		case plane < 4:
			return int(v) * 4
		case plane == 4:
			return 1023
		}
		return 1 + frame
	})
	status, out, stderr := withStdin(t, bytes.NewReader(data), "stabilize", "-", "-", "-radius", "2")
	require.Zero(t, status, stderr)
	list, _ := samples(t, out, 2, 6)
	for frame := range n {
		chroma := list[frame*160*120*3/2:][160*120:][:160*120/2]
		require.Equal(t, slices.Repeat([]int{1023}, 160*120/4), chroma[:160*120/4])
		require.Equal(t, slices.Repeat([]int{1 + frame}, 160*120/4), chroma[160*120/4:])
	}

	data[len(data)-1] |= 4
	status, out, stderr = withStdin(t, bytes.NewReader(data), "stabilize", "-", "-", "-radius", "2")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "corners: standard input: y4m: frame 4 has samples of more than 10 bits\n")
	require.Equal(t, n-1, frameCount(t, strings.NewReader(out)))
}

// TestStabilizeFiles checks files, the report and the picture of the path.
func TestStabilizeFiles(t *testing.T) {
	inTempDir(t)
	const n = 20
	data := shakyStream(t, n, "420jpeg", 6)
	filetest.Write(t, "in.y4m", data)
	status, stdout, stderr := corners(t, "stabilize", "in.y4m", "out.y4m", "-report", "r.csv", "-path", "p.svg", "-radius", "4")
	require.Zero(t, status)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "wrote 20 frames: ")
	require.Equal(t, []string{"in.y4m", "out.y4m", "p.svg", "r.csv"}, filetest.List(t))
	_, want, _ := withStdin(t, bytes.NewReader(data), "stabilize", "-", "-", "-radius", "4", "-workers", "1")
	out, err := os.ReadFile("out.y4m")
	require.NoError(t, err)
	require.True(t, want == string(out))

	// The motion of the report is that of the frames.
	report, err := os.Open("r.csv")
	require.NoError(t, err)
	defer report.Close()
	rows, err := csv.NewReader(report).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"frame", "status", "points", "inliers", "dx", "dy", "rotation", "scale", "limited", "departure"}, rows[0])
	require.Equal(t, []string{"0", "cut", "0", "0", "0", "0", "0", "1", "false", "0"}, rows[1])
	require.Len(t, rows, 1+n)
	for i, row := range rows[2:] {
		frame := i + 1
		require.Equal(t, fmt.Sprint(frame), row[0])
		require.Equal(t, "followed", row[1])
		for k, want := range []float64{
			float64(i*i*37%11 - frame*frame*37%11), float64(i*i*53%9 - frame*frame*53%9), 0, 1,
		} {
			got, err := strconv.ParseFloat(row[4+k], 64)
			require.NoError(t, err)
			require.InDelta(t, want, got, 0.05, "frame %d, column %d", frame, 4+k)
		}
	}

	picture, err := os.ReadFile("p.svg")
	require.NoError(t, err)
	points := make(map[string][]int) // in the lines and the bands
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok {
			name := e.Name.Local
			points[name] = append(points[name], strings.Count(e.Attr[len(e.Attr)-1].Value, ","))
		}
	}
	require.Equal(t, slices.Repeat([]int{n}, 2*5), points["polyline"])
	require.Equal(t, slices.Repeat([]int{2 * n}, 4), points["polygon"])

	status, stdout, stderr = corners(t, "stabilize", "in.y4m", "out.y4m", "-f", "-report", "-", "-format", "json", "-online")
	require.Zero(t, status, stderr)
	last := ""
	for line := range strings.Lines(stdout) {
		last = line
	}
	var frame struct {
		Frame, Points, Inliers int
		Status                 stabilize.Status
		DX, DY, Rotation       float64
		Limited                *bool
		Departure              *float64
	}
	require.NoError(t, json.Unmarshal([]byte(last), &frame))
	require.Equal(t, n-1, frame.Frame)
	require.Equal(t, stabilize.Followed, frame.Status)
	require.NotNil(t, frame.Limited)
	require.NotNil(t, frame.Departure)
}

// frameCount returns how many frames a stream has, which must be whole.
func frameCount(t *testing.T, stream io.Reader) int {
	t.Helper()
	r, err := y4m.NewReader(stream)
	require.NoError(t, err)
	var f y4m.Frame
	for n := 0; ; n++ {
		if err := r.Read(&f); err == io.EOF {
			return n
		} else {
			require.NoError(t, err)
		}
	}
}

// TestStabilizeBroken checks that the frames are written that were whole.
func TestStabilizeBroken(t *testing.T) {
	inTempDir(t)
	data := shakyStream(t, 9, "422", 8)
	for i, c := range []struct {
		stream io.Reader
		frames int
		err    string
	}{
		{bytes.NewReader(data[:len(data)-1]), 8, "corners: standard input: it ends in the middle of frame 8\n"},
		{bytes.NewReader(append(data[:len(data):len(data)], "rest\n"...)), 9, "corners: standard input: y4m: there is no frame where frame 9 should begin\n"},
		{io.MultiReader(bytes.NewReader(data), iotest.ErrReader(errors.New("gone"))), 9, "corners: standard input: gone\n"},
	} {
		name := fmt.Sprintf("%d.y4m", i)
		status, _, stderr := withStdin(t, c.stream, "stabilize", "-", name)
		require.Equal(t, 1, status)
		require.Contains(t, stderr, c.err)
		f, err := os.Open(name)
		require.NoError(t, err)
		require.Equal(t, c.frames, frameCount(t, f))
		f.Close()
	}
	require.Len(t, filetest.List(t), 3)

	// Where not even the first one is whole, nothing is written.
	for _, stream := range []string{string(data[:1000]), "YUV4MPEG2 W160 H120 C422\nFRAME\n", "YUV4MPEG2 W160 H120 C422\nFRAMES\n"} {
		for _, out := range []string{"-", "out.y4m"} {
			status, stdout, stderr := withStdin(t, strings.NewReader(stream), "stabilize", "-", out, "-report", "r.csv", "-path", "p.svg")
			require.Equal(t, 1, status)
			require.Empty(t, stdout)
			require.Regexp(t, `^corners: standard input: .*frame 0.*\n$`, stderr)
			require.Len(t, filetest.List(t), 3)
		}
	}

	status, stdout, stderr := withStdin(t, strings.NewReader("YUV4MPEG2 W160 H120 C444\n"), "stabilize", "-", "-")
	require.Zero(t, status, stderr)
	require.Equal(t, "YUV4MPEG2 W160 H120 C444\n", stdout, "a stream without frames")

	// What cannot be written is an error, and nothing is left.
	for room := range 4 {
		var errs bytes.Buffer
		out := writerFunc(func(p []byte) (int, error) {
			if room--; room < 0 {
				return 0, errors.New("full")
			}
			return len(p), nil
		})
		status := run(t.Context(), []string{"stabilize", "-", "-", "-radius", "2", "-report", "x.csv"}, bytes.NewReader(data), out, &errs)
		require.Equal(t, 1, status)
		require.Equal(t, "corners: standard output: full\n", errs.String())
	}
	require.Len(t, filetest.List(t), 3)
}

// TestStabilizeIgnore checks that what is in regions that are to be ignored does not hold the picture
// still, and that all of them count.
func TestStabilizeIgnore(t *testing.T) {
	const n, w, h = 14, 160, 120
	data := shakyStream(t, n, "mono", 4)
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, w*h)
	for y := range h {
		for x := range w {
			if noise[y*w+x] = byte(random.IntN(256)); x%4+y%4 > 0 {
				noise[y*w+x] = noise[y/4*4*w+x/4*4]
			}
		}
	}
	logo := append(line, '\n')
	for range n {
		line, frame, _ := bytes.Cut(rest, []byte("\n"))
		logo = append(append(logo, line...), '\n')
		copy(frame[:40*w], noise)           // above
		copy(frame[90*w:w*h], noise[40*w:]) // below
		logo = append(logo, frame[:w*h]...)
		rest = frame[w*h:]
	}
	for args, want := range map[string]string{
		"":                                       `shake of 0\.\d\d pixels, now 0\.\d\d`,
		"-ignore 0,0,160,40":                     `shake of 0\.\d\d pixels, now 0\.\d\d`,
		"-ignore 0,0,160,40 -ignore 0,90,160,30": `shake of 1\d\.\d\d pixels, now [01]\.\d\d`,
		"-ignore=0,90,160,30 -ignore=0,0,160,40 ": `shake of 1\d\.\d\d pixels, now [01]\.\d\d`,
	} {
		status, _, stderr := withStdin(t, bytes.NewReader(logo), append([]string{"stabilize", "-", "-", "-radius", "5"}, strings.Fields(args)...)...)
		require.Zero(t, status, stderr)
		require.Regexp(t, `^wrote 14 frames: 0 cuts, \d+ limited by the zoom( by up to \d+\.\d\d pixels)?, `+want+`\n$`, stderr, args)
	}
}

// TestStabilizeErrors checks what corners stabilize refuses.
func TestStabilizeErrors(t *testing.T) {
	inTempDir(t)
	filetest.Write(t, "a.y4m", shakyStream(t, 2, "mono", 4))
	filetest.Write(t, "deep.y4m", []byte("YUV4MPEG2 W160 H120 C411p10\n"))
	filetest.Write(t, "ten.y4m", []byte("YUV4MPEG2 W160 H120 C420p10\n"))
	filetest.Write(t, "woven.y4m", []byte("YUV4MPEG2 W160 H120 Ib\n"))
	filetest.Write(t, "empty", nil)
	require.NoError(t, os.Mkdir("dir", 0o777))
	for _, c := range []struct {
		args, err string
		status    int
	}{
		{"a.y4m", "corners: corners stabilize needs a video to read and one to write, not 1 name (run corners -h for help)\n", 2},
		{"a.y4m - -report -", "corners: flag -report: the video goes to standard output (run corners -h for help)\n", 2},
		{"a.y4m b -format json", "corners: flag -format needs flag -report (run corners -h for help)\n", 2},
		{"a.y4m b -model default", "corners: invalid value \"default\" for flag -model: want homography, affine, similarity, rigid or translation (run corners -h for help)\n", 2},
		{"a.y4m b -zoom 1.2 -max-zoom 1.1", "corners: invalid value 1.1 for flag -max-zoom: want 1.2 (-zoom) to 10 (run corners -h for help)\n", 2},
		{"a.y4m b -zoom 0.5", "corners: invalid value 0.5 for flag -zoom: want 1 to 10 (run corners -h for help)\n", 2},
		{"a.y4m b -ignore 1,2,3", "corners: invalid value \"1,2,3\" for flag -ignore: want four numbers, X,Y,W,H (run corners -h for help)\n", 2},
		{"a.y4m b -ignore 0,0,9,9 -ignore 100,0,61,9", "corners: a.y4m: the region 100,0,61,9 is not within its 160 x 120 pixels\n", 1},
		{"a.y4m b -memory 1.4MiB -ignore 0,0,9,9", "corners: a.y4m: 160 x 120 pixels need 1.501 MiB of memory, more than 1.4 MiB (-memory), of which the frames of flag -radius take 731.25 KiB\n", 1},
		{"none.y4m b", "corners: none.y4m: " + syscall.ENOENT.Error() + "\n", 1},
		{"empty b", "corners: empty: it is empty\n", 1},
		{"deep.y4m b", "corners: deep.y4m: y4m: the color space \"411p10\" is unknown: convert the video before, for example with ffmpeg -pix_fmt yuv420p\n", 1},
		{"woven.y4m b", "corners: woven.y4m: y4m: the video is interlaced (Ib): deinterlace it before\n", 1},
		{"a.y4m a.y4m -f", "corners: a.y4m: this video is read, and never overwritten\n", 1},
		{"a.y4m empty", "corners: empty: corners has not drawn this file, and overwrites it only with -f\n", 1},
		{"a.y4m b -path empty", "corners: empty: corners has not drawn this file, and overwrites it only with -f\n", 1},
		{"a.y4m dir", "corners: dir: a directory is in the way\n", 1},
		{"a.y4m none/b", "corners: none/b: " + syscall.ENOENT.Error() + "\n", 1},
		{"a.y4m b -memory 1MiB", "corners: a.y4m: 160 x 120 pixels need 1.447 MiB of memory, more than 1 MiB (-memory), of which the frames of flag -radius take 731.25 KiB\n", 1},
		{"ten.y4m b -memory 1MiB", "corners: ten.y4m: 160 x 120 pixels need 3.946 MiB of memory, more than 1 MiB (-memory), of which the frames of flag -radius take 3.214 MiB\n", 1},
	} {
		status, _, stderr := corners(t, append([]string{"stabilize"}, strings.Fields(c.args)...)...)
		require.Equal(t, c.err, stderr, c.args)
		require.Equal(t, c.status, status, c.args)
	}
	require.Equal(t, []string{"a.y4m", "deep.y4m", "empty", "ten.y4m", "woven.y4m"}, filetest.List(t))
	status, stdout, stderr := corners(t, "stabilize", "-h")
	require.Zero(t, status)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "-radius N")
}

// TestStabilizeMemory checks that memory does not grow with the length of the video.
func TestStabilizeMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it has many frames")
	}
	data := shakyStream(t, 40, "420jpeg", 6)
	header, frames, _ := strings.Cut(string(data), "\n")
	peak := func(times int) int64 {
		readers := []io.Reader{strings.NewReader(header + "\n")}
		for range times {
			readers = append(readers, strings.NewReader(frames))
		}
		return phototest.Peak(func() {
			var errs bytes.Buffer
			status := run(t.Context(), strings.Fields("stabilize - - -radius 10"), io.MultiReader(readers...), io.Discard, &errs)
			require.Zero(t, status)
			require.Contains(t, errs.String(), fmt.Sprintf("wrote %d frames: ", 40*times))
		})
	}
	limit := peak(2) + 1<<20
	require.Less(t, phototest.Least(limit, func() int64 { return peak(30) }), limit)
}

// TestStabilizeCannotWrite checks that an error of writing ends the program while there is more to
// read, and while it waits for that.
func TestStabilizeCannotWrite(t *testing.T) {
	inTempDir(t)
	data := shakyStream(t, 4, "mono", 4)
	header, frames, _ := strings.Cut(string(data), "\n")
	for _, args := range []string{"stabilize - - -online", "stabilize - - -radius 2"} {
		rest := strings.NewReader(header + "\n" + strings.Repeat(frames, 50))
		var stderr strings.Builder
		require.Equal(t, 1, run(t.Context(), strings.Fields(args), rest, brokenWriter{}, &stderr))
		require.Equal(t, "corners: standard output: no space left\n", stderr.String())
		require.Greater(t, rest.Len(), 40*len(frames), "most of it is not read")

		r, w := io.Pipe()
		go io.WriteString(w, header+"\n"+strings.Repeat(frames, 2)) // and nothing else
		stderr.Reset()
		require.Equal(t, 1, run(t.Context(), strings.Fields(args), r, brokenWriter{}, &stderr))
		require.Equal(t, "corners: standard output: no space left\n", stderr.String())
		r.Close()
	}
}

// TestShakeLog checks that the samples of a long path stay few, are those of the path, one every so
// many frames, and know of all cuts.
func TestShakeLog(t *testing.T) {
	const n = 100_000
	cuts := map[int]bool{1: true, 2: true, 777: true, 4095: true, 4096: true, 9001: true, 9003: true, 65_537: true, 99_990: true}
	limited := map[int]bool{0: true, 5: true, 776: true, 4095: true, 8192: true, 65_539: true, 99_999: true}
	l := newShakeLog(image.Pt(101, 101))
	for i := range n {
		r := stabilize.Result{Frame: i, Status: stabilize.Followed, Limited: limited[i]}
		r.Motion[0], r.Motion[4], r.Motion[8] = 1, 1, 1
		if r.Source = r.Motion; i > 0 {
			r.Motion[2] = 1
		}
		if i == 0 || cuts[i] {
			r.Status = stabilize.Cut
		}
		l.add(&r)
		if i == maxSamples-2 {
			require.Len(t, l.samples, maxSamples-1, "all that there are")
		}
	}
	require.Less(t, len(l.samples), maxSamples)
	require.GreaterOrEqual(t, len(l.samples), maxSamples/2)
	step := l.samples[1].frame
	require.Equal(t, (n-1)/step, len(l.samples)-1)
	for k, s := range l.samples {
		require.Equal(t, k*step, s.frame)
		require.InDelta(t, float64(s.frame), s.before[0], 1e-6)
		require.InDelta(t, float64(s.frame), s.after[0], 1e-6)
		var want marks
		for frame := s.frame - step + 1; frame <= s.frame; frame++ {
			want = want.and(marks{cuts[frame], limited[frame]})
		}
		require.Equal(t, want, s.marks, s.frame)
	}
	require.Equal(t, "wrote 100000 frames: 9 cuts, 7 limited by the zoom by up to 0.00 pixels, shake of 0.00 pixels, now 0.00", l.summary())
}

// TestShake checks the numbers of the summary: a motion that alternates, of which half is left, with
// cuts, whose motion and neighbors do not count.
func TestShake(t *testing.T) {
	l := newShakeLog(image.Pt(101, 101))
	x := 0.0
	for i := range 40 {
		r := stabilize.Result{Frame: i, Status: stabilize.Followed, Limited: i%4 == 0, Departure: float64(30-i) / 4}
		r.Motion[0], r.Motion[4], r.Motion[8] = 1, 1, 1
		r.Source = r.Motion
		switch {
		case i == 0:
			r.Status = stabilize.Cut
		case i%10 == 0: // a cut, which says nothing of the motion
			r.Status = stabilize.Cut
			r.Motion[2], r.Motion[5] = 1000, 2000
			x += 1000
		case i%2 == 0:
			r.Motion[2], x = -3, x-3
		default:
			r.Motion[2], x = 3, x+3
		}
		r.Source[2] = 1.5 * float64(i%2)
		l.add(&r)
	}
	require.InDelta(t, x, l.latest[0].before[0], 1e-9)
	require.Equal(t, 40-2-3*2, l.shakes)
	require.Equal(t, "wrote 40 frames: 3 cuts, 10 limited by the zoom by up to 7.50 pixels, shake of 6.00 pixels, now 3.00", l.summary())

	var picture strings.Builder
	require.NoError(t, l.draw(&picture))
	require.Equal(t, 5*3, strings.Count(picture.String(), `v160" stroke="#ccc"/>`), "the cuts, in all panels")
	require.Equal(t, 5*2*(3+1), strings.Count(picture.String(), "<polyline"), "lines begin at each cut")
	require.Equal(t, 5, strings.Count(picture.String(), "h11.3"), "half of the first frame, which is limited")
	require.Equal(t, 5*9, strings.Count(picture.String(), "h22.6"), "the others")
}

// TestRoom checks how far a picture may be moved, and that what is made does not go beyond that,
// and up to there.
func TestRoom(t *testing.T) {
	l := newShakeLog(image.Pt(101, 81))
	for _, c := range []struct {
		turn, scale float64
		want        position
	}{
		{0, 0.5, position{25, 20}},
		{math.Pi / 2, 0.5, position{30, 15}},
		{-math.Pi / 2, 0.5, position{30, 15}},
		{math.Pi, 0.25, position{37.5, 30}},
		{0.1, 1, position{}},
	} {
		got := l.room(stabilize.Movement{Rotation: c.turn, Scale: c.scale})
		for i, v := range c.want {
			require.InDelta(t, v, got[i], 1e-12)
		}
	}

	const n = 24
	s, err := stabilize.New(stabilize.Options{SmoothingRadius: 8, Zoom: 1.06})
	require.NoError(t, err)
	in, err := y4m.NewReader(bytes.NewReader(shakyStream(t, n, "mono", 4)))
	require.NoError(t, err)
	l = newShakeLog(image.Pt(160, 120))
	var f y4m.Frame
	for range n {
		require.NoError(t, in.Read(&f))
		if r, ok := s.Push(f.Gray()); ok {
			l.add(&r)
		}
	}
	for r, ok := s.Flush(); ok; r, ok = s.Flush() {
		l.add(&r)
	}
	require.Len(t, l.samples, n)
	require.Greater(t, l.limited, 3)
	require.Greater(t, l.departure, 0.5)
	left := math.Inf(1)
	for _, s := range l.samples {
		for i := range shifts {
			left = min(left, s.room[i]-math.Abs(s.after[i]-s.before[i]))
		}
	}
	require.InDelta(t, 0, left, 1e-4)
}
