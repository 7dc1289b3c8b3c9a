package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/stretchr/testify/require"
)

// symlink makes a symbolic link, if the system can.
func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip("there are no symbolic links:", err)
	}
}

// TestOutputsOfStabilize checks that no output takes the place of another one or of the input,
// whatever their names are, and that nothing is written then.
func TestOutputsOfStabilize(t *testing.T) {
	inTempDir(t)
	video := shakyStream(t, 2, "mono", 4)
	filetest.Write(t, "in.y4m", video)
	filetest.Write(t, "old", []byte("old"))
	require.NoError(t, os.Mkdir("d", 0o777))
	require.NoError(t, os.Mkdir("e", 0o777))
	symlink(t, "d", "linked")
	symlink(t, "../in.y4m", "d/input")
	symlink(t, "new", "link")
	symlink(t, "../new", "d/new")
	require.NoError(t, os.Mkdir("e/sub", 0o777))
	symlink(t, "e/sub", "deep")
	symlink(t, "deep/../new", "chain") // .. is the parent of e/sub
	require.NoError(t, os.Link("old", "hard"))
	before := filetest.List(t)
	const usage = " (run corners -h for help)\n"
	for args, want := range map[string]string{
		"in.y4m o -report o":                  "flag -report: the video goes to o" + usage,
		"in.y4m o -path ./o":                  "flag -path: the video goes to ./o" + usage,
		"in.y4m o -report r -path d/../r":     "flag -path: the report goes to d/../r" + usage,
		"in.y4m o -report d/r -path linked/r": "flag -path: the report goes to linked/r" + usage,
		"in.y4m o -report r -path R":          "flag -path: the report goes to R" + usage,
		"in.y4m new -report link":             "flag -report: the video goes to link" + usage,
		"in.y4m link -report d/new":           "flag -report: the video goes to d/new" + usage,
		"in.y4m chain -report e/new":          "flag -report: the video goes to e/new" + usage,
		"in.y4m old -report hard":             "flag -report: the video goes to hard" + usage,
		"in.y4m - -report -":                  "flag -report: the video goes to standard output" + usage,
		"in.y4m - -path -":                    "flag -path: the video goes to standard output" + usage,
		"in.y4m o -report - -path -":          "flag -path: the report goes to standard output" + usage,
		"in.y4m in.y4m":                       "in.y4m: this video is read, and never overwritten\n",
		"in.y4m o -report d/input":            "d/input: this video is read, and never overwritten\n",
		"linked/input o -path in.y4m":         "in.y4m: this video is read, and never overwritten\n",
	} {
		status, stdout, stderr := corners(t, append([]string{"stabilize", "-f"}, strings.Fields(args)...)...)
		require.Equal(t, "corners: "+want, stderr, args)
		require.Equal(t, strings.HasSuffix(want, usage), status == report.StatusUsage, args)
		require.NotZero(t, status)
		require.Empty(t, stdout)
		require.Equal(t, before, filetest.List(t), args)
	}
	require.Equal(t, video, filetest.Read(t, "in.y4m"))
	require.Equal(t, "old", string(filetest.Read(t, "old")))

	// Others are different files.
	for _, args := range []string{"in.y4m o -report d/o -path e/o", "in.y4m o -report " + os.DevNull + " -path " + os.DevNull} {
		status, _, stderr := corners(t, append([]string{"stabilize", "-f"}, strings.Fields(args)...)...)
		require.Zero(t, status, stderr)
		require.Equal(t, len(video), len(filetest.Read(t, "o")))
	}
}

// TestOutputsAndStreams checks that the files of standard input and standard output are not
// replaced.
func TestOutputsAndStreams(t *testing.T) {
	inTempDir(t)
	video := shakyStream(t, 2, "mono", 4)
	filetest.Write(t, "in.y4m", video)
	filetest.WriteSquare(t, "a.png")
	filetest.WriteSquare(t, "b.png")
	require.NoError(t, os.Mkdir("d", 0o777))
	for args, want := range map[string]string{
		"stabilize -f - in.y4m":                   "in.y4m: this video is read, and never overwritten\n",
		"stabilize -f - o -path in.y4m":           "in.y4m: this video is read, and never overwritten\n",
		"stabilize -f - out.png":                  "out.png: standard output goes to this file\n",
		"stabilize -f - - -report out.png":        "flag -report: the video goes to out.png (run corners -h for help)\n",
		"track -f - -o out.png":                   "out.png: standard output goes to this file\n",
		"track -f a.png b.png -o a.png":           "a.png: this image is read, and never overwritten\n",
		"-f a.png -o out.png":                     "out.png: standard output goes to this file\n",
		"match -f a.png b.png -o out.png":         "out.png: standard output goes to this file\n",
		"register -f a.png b.png -o d/../out.png": "out.png: standard output goes to this file\n",
		"register -f a.png b.png -o b.png":        "b.png: this image is read, and never overwritten\n",
	} {
		in, err := os.Open("in.y4m")
		require.NoError(t, err)
		out, err := os.Create("out.png")
		require.NoError(t, err)
		var stderr strings.Builder
		status := run(t.Context(), strings.Fields(args), in, out, &stderr)
		require.Equal(t, "corners: "+want, stderr.String(), args)
		require.NotZero(t, status)
		require.NoError(t, in.Close())
		require.NoError(t, out.Close())
		if strings.HasPrefix(args, "track") || strings.HasPrefix(args, "stab") {
			require.Empty(t, filetest.Read(t, "out.png"), "it is told before any frame is read")
		}
		require.Equal(t, []string{"a.png", "b.png", "in.y4m", "out.png"}, filetest.List(t))
	}
	require.Equal(t, video, filetest.Read(t, "in.y4m"))

	// In a directory, a picture gets another name.
	out, err := os.Create("d/a-corners.png")
	require.NoError(t, err)
	defer out.Close()
	var stderr strings.Builder
	require.Zero(t, run(t.Context(), []string{"-f", "a.png", "-o", "d"}, nil, out, &stderr), stderr.String())
	require.Contains(t, string(filetest.Read(t, "d/a-corners.png")), "wrote "+filepath.Join("d", "a-corners-2.png")+"\n")
	// An image on standard input, too.
	filetest.WriteSquare(t, "e/stdin-corners.png")
	in, err := os.Open("e/stdin-corners.png")
	require.NoError(t, err)
	defer in.Close()
	var stdout strings.Builder
	require.Zero(t, run(t.Context(), []string{"-f", "-", "-o", "e"}, in, &stdout, &stderr), stderr.String())
	require.Contains(t, stdout.String(), "wrote "+filepath.Join("e", "stdin-corners-2.png")+"\n")
}

// TestLinkedOutputs checks that symbolic links stay links, and that the files they lead to are
// written, also those that there are not yet, without drafts that are left.
func TestLinkedOutputs(t *testing.T) {
	inTempDir(t)
	filetest.Write(t, "in.y4m", shakyStream(t, 2, "mono", 4))
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "far/old.y4m", []byte("old"))
	require.NoError(t, os.Mkdir("near", 0o777))
	for to, path := range map[string]string{
		"../far/old.y4m": "near/out.y4m", "hop": "near/report", "../far/new": "near/hop", "../far/x.png": "near/a-corners.png", "loop": "loop",
	} {
		symlink(t, to, path)
	}
	status, _, stderr := corners(t, strings.Fields("stabilize in.y4m near/out.y4m")...)
	require.Equal(t, 1, status)
	require.Equal(t, "corners: near/out.y4m: corners has not drawn this file, and overwrites it only with -f\n", stderr)
	old, err := os.Open("far/old.y4m")
	require.NoError(t, err)
	defer old.Close()
	status, _, stderr = corners(t, strings.Fields("stabilize -f in.y4m near/out.y4m -report near/report")...)
	require.Zero(t, status, stderr)
	status, stdout, stderr := corners(t, "a.png", "-o", "near")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "wrote "+filepath.Join("near", "a-corners.png")+"\n")

	for _, link := range []string{"near/out.y4m", "near/report", "near/hop", "near/a-corners.png"} {
		info, err := os.Lstat(link)
		require.NoError(t, err)
		require.Equal(t, os.ModeSymlink, info.Mode().Type(), link)
	}
	list, err := os.ReadDir("far")
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Len(t, filetest.Read(t, "far/old.y4m"), len(filetest.Read(t, "in.y4m")))
	require.Equal(t, 1+2, bytes.Count(filetest.Read(t, "far/new"), []byte("\n")))
	require.Equal(t, 40, filetest.ReadPNG(t, "far/x.png").Bounds().Dx())
	if runtime.GOOS != "windows" { // the file was replaced, not overwritten
		text := make([]byte, 9)
		n, _ := old.Read(text)
		require.Equal(t, "old", string(text[:n]))
	}

	status, _, stderr = corners(t, strings.Fields("stabilize in.y4m loop")...)
	require.Equal(t, 1, status)
	require.True(t, strings.HasPrefix(stderr, "corners: loop: "), stderr)

	// Pictures of one run never share a file.
	require.NoError(t, os.Mkdir("p", 0o777))
	symlink(t, "b-corners.png", "p/a-corners.png")
	filetest.WriteSquare(t, "b.png")
	status, stdout, stderr = corners(t, "a.png", "b.png", "-o", "p", "-format", "json")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "a-corners.png")
	require.Contains(t, stdout, "b-corners-2.png")
	require.Len(t, filetest.List(t), 14, filetest.List(t))
}

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

// The reports in JSON, as package encoding/json reads them.
type (
	imageObject struct {
		Image   string     `json:"image"`
		Width   int        `json:"width"`
		Height  int        `json:"height"`
		ROI     *roiObject `json:"roi"`
		Picture string     `json:"picture"`
		Method  string     `json:"method"`
	}
	roiObject struct {
		X      int `json:"x"`
		Y      int `json:"y"`
		Width  int `json:"width"`
		Height int `json:"height"`
	}

	fastObject struct {
		imageObject
		Kernel    fast.Kernel  `json:"kernel"`
		Threshold uint8        `json:"threshold"`
		Arc       int          `json:"arc"`
		Nonmax    bool         `json:"nonmax"`
		Corners   []fastCorner `json:"corners"`
	}
	fastCorner struct {
		X     int32 `json:"x"`
		Y     int32 `json:"y"`
		Score uint8 `json:"score"`
	}

	harrisObject struct {
		imageObject
		MaxCorners int            `json:"max_corners"`
		Quality    float64        `json:"quality"`
		Distance   float64        `json:"distance"`
		Block      int            `json:"block"`
		Gradient   string         `json:"gradient"`
		K          float64        `json:"k"`
		Corners    []harrisCorner `json:"corners"`
	}
	harrisCorner struct {
		X        int32   `json:"x"`
		Y        int32   `json:"y"`
		Response float32 `json:"response"`
	}

	lococoObject struct {
		imageObject
		MaxCorners  int            `json:"max_corners"`
		KernelSizes []int          `json:"kernel_sizes"`
		Window      int            `json:"window"`
		Measure     string         `json:"measure"`
		K           float64        `json:"k"`
		Quality     float64        `json:"quality"`
		Radius      int            `json:"radius"`
		Subpixel    bool           `json:"subpixel"`
		Corners     []lococoCorner `json:"corners"`
	}
	lococoCorner struct {
		X          float32 `json:"x"`
		Y          float32 `json:"y"`
		Response   float32 `json:"response"`
		KernelSize int32   `json:"kernel_size"`
	}

	vpiObject struct {
		imageObject
		Radius    int         `json:"radius"`
		Arc       int         `json:"arc"`
		Threshold float64     `json:"threshold"`
		Border    string      `json:"border"`
		Nonmax    bool        `json:"nonmax"`
		Corners   []vpiCorner `json:"corners"`
	}
	vpiCorner struct {
		X     int32  `json:"x"`
		Y     int32  `json:"y"`
		Score uint16 `json:"score"`
	}

	orbObject struct {
		imageObject
		orbValues
		Keypoints []orbKeypoint `json:"keypoints"`
	}
	orbValues struct {
		Features     int     `json:"features"`
		Scale        float64 `json:"scale"`
		Levels       int     `json:"levels"`
		Edge         int     `json:"edge"`
		FirstLevel   int     `json:"first_level"`
		PointsPerBit int     `json:"points_per_bit"`
		Score        string  `json:"score"`
		Patch        int     `json:"patch"`
		Threshold    int     `json:"threshold"`
	}
	orbKeypoint struct {
		X          float32 `json:"x"`
		Y          float32 `json:"y"`
		Size       float32 `json:"size"`
		Angle      float32 `json:"angle"`
		Response   float32 `json:"response"`
		Octave     int32   `json:"octave"`
		Descriptor string  `json:"descriptor"`
	}

	siftObject struct {
		imageObject
		siftValues
		Keypoints []siftKeypoint `json:"keypoints"`
	}
	siftValues struct {
		Features  int     `json:"features"`
		Layers    int     `json:"layers"`
		Contrast  float64 `json:"contrast"`
		EdgeRatio float64 `json:"edge_ratio"`
		Sigma     float64 `json:"sigma"`
		Doubling  bool    `json:"doubling"`
		Upright   bool    `json:"upright"`
		Root      bool    `json:"root"`
	}
	siftKeypoint struct {
		X          float32 `json:"x"`
		Y          float32 `json:"y"`
		Size       float32 `json:"size"`
		Angle      float32 `json:"angle"`
		Response   float32 `json:"response"`
		Octave     int     `json:"octave"`
		Layer      int     `json:"layer"`
		Descriptor string  `json:"descriptor"`
	}

	matchObject struct {
		orbValues
		matchValues
	}
	siftMatchObject struct {
		siftValues
		matchValues
	}
	matchValues struct {
		Query       matchImage   `json:"query"`
		Train       matchImage   `json:"train"`
		Method      string       `json:"method"`
		CrossCheck  bool         `json:"cross_check"`
		Ratio       float64      `json:"ratio"`
		MaxDistance int          `json:"max_distance"`
		Picture     string       `json:"picture"`
		Model       *modelObject `json:"model"`
		Matches     []matchPair  `json:"matches"`
	}
	matchImage struct {
		Image     string `json:"image"`
		Width     int    `json:"width"`
		Height    int    `json:"height"`
		Keypoints int    `json:"keypoints"`
	}
	modelObject struct {
		Kind      string         `json:"kind"`
		Threshold float64        `json:"threshold"`
		Inliers   int            `json:"inliers"`
		Matrix    *[3][3]float64 `json:"matrix"`
		Reason    string         `json:"reason"`

		Pose      *poseObject `json:"pose"`
		Other     *poseObject `json:"other"`
		Turn      bool        `json:"turn"`
		Planar    bool        `json:"planar"`
		Ambiguous bool        `json:"ambiguous"`
		Parallax  int         `json:"parallax"`
		OffPlane  int         `json:"off_plane"`
	}
	poseObject struct {
		Rotation    [3][3]float64 `json:"rotation"`
		Quaternion  [4]float64    `json:"quaternion"`
		Translation [3]float64    `json:"translation"`
	}
	matchPair struct {
		Query    matchPoint `json:"query"`
		Train    matchPoint `json:"train"`
		Distance int32      `json:"distance"`
		Inlier   *bool      `json:"inlier"`
	}
	matchPoint struct {
		Index int32   `json:"index"`
		X     float32 `json:"x"`
		Y     float32 `json:"y"`
	}

	speedObject struct {
		Method     string  `json:"method"`
		Kernel     string  `json:"kernel"`
		Frames     int     `json:"frames"`
		Pixels     int     `json:"pixels"`
		Rounds     int     `json:"rounds"`
		NsPerPixel float64 `json:"ns_per_pixel"`
		Megapixels float64 `json:"megapixels_per_second"`
		PerCycle   float64 `json:"pixels_per_cycle"`
		Speedup    float64 `json:"speedup"`
	}
)

// decodeJSON decodes a report. It must not have anything that v has no field for.
func decodeJSON(t *testing.T, report string, v any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(report))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(v))
	require.False(t, decoder.More())
}
