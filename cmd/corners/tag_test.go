package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/marker"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/y4m"
	"github.com/stretchr/testify/require"
)

// writeMarkers writes markers.png, with two markers of Tag36h11 and one of ArUco4x4, and empty.png.
func writeMarkers(t *testing.T) {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 240, 160))
	filetest.Write(t, "empty.png", filetest.Encode(t, filetest.StorePNG, img))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for i, marker := range []*image.Gray{
		tag.Family{}.Draw(7, 6), tag.Family{}.Draw(300, 6), tag.Family{Kind: tag.ArUco4x4}.Draw(40, 6),
	} {
		at := image.Pt(10+75*i, 20+30*i)
		draw.Draw(img, marker.Rect.Add(at), marker, image.Point{}, draw.Src)
	}
	filetest.Write(t, "markers.png", filetest.Encode(t, filetest.StorePNG, img))
}

func TestTag(t *testing.T) {
	inTempDir(t)
	writeMarkers(t)
	status, stdout, stderr := corners(t, "tag", "markers.png", "empty.png", "-no-picture")
	require.Zero(t, status, stderr)
	require.Equal(t, ""+
		"IMAGE        SIZE     FAMILY    ID   X       Y\n"+
		"markers.png  240x160  tag36h11  7    39.50   49.50\n"+
		"markers.png  240x160  tag36h11  300  114.50  79.50\n"+
		"empty.png    240x160  -         -    -       -\n", stdout)
	for _, c := range []struct {
		flags string
		want  string // families and IDs
	}{
		{"-family tag36h11:300", "tag36h11 7"},
		{"-family aruco4x4,tag36h11", "aruco4x4 40,tag36h11 7,tag36h11 300"},
		{"-family aruco4x4:40", ""},
		{"-family aruco4x4:41 -workers 2", "aruco4x4 40"},
		{"-inverted", ""},
		{"-roi 80,40,100,80", "tag36h11 300"},
		{"-family standard41h12,circle21h7", ""},
		{"-correct 0 -contrast 100 -samples 400", "tag36h11 7,tag36h11 300"},
	} {
		status, stdout, stderr := corners(t, append(strings.Fields("tag markers.png -format csv"), strings.Fields(c.flags)...)...)
		require.Zero(t, status, stderr)
		rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, "image,family,id,x0,y0,x1,y1,x2,y2,x3,y3,corrected,noise,misfit,hidden", strings.Join(rows[0], ","))
		var got []string
		for _, row := range rows[1:] {
			require.Equal(t, "markers.png", row[0])
			require.Equal(t, []string{"0", "0", "false"}, []string{row[11], row[13], row[14]}, "%s %v", c.flags, row)
			x, err := strconv.ParseFloat(row[3], 64)
			require.NoError(t, err)
			want := map[string]float64{"7": 15.5, "300": 90.5, "40": 165.5}[row[2]]
			require.InDelta(t, want, x, 0.02)
			got = append(got, row[1]+" "+row[2])
		}
		require.Equal(t, c.want, strings.Join(got, ","), c.flags)
	}
}

// TestTagPose checks the poses of a marker in the middle of the image, which faces the camera.
func TestTagPose(t *testing.T) {
	inTempDir(t)
	writeMarkers(t)
	var file bytes.Buffer
	require.NoError(t, camera.Info{Camera: camera.Camera{Fx: 200, Fy: 200, Cx: 114.5, Cy: 79.5}, Width: 240, Height: 160}.WriteOpenCV(&file))
	filetest.Write(t, "camera.yaml", file.Bytes())
	filetest.Write(t, "other.yaml", bytes.ReplaceAll(file.Bytes(), []byte("240"), []byte("640")))
	const args = "tag markers.png -roi 80,40,100,80 -camera camera.yaml -size 0.24"
	status, stdout, stderr := corners(t, append(strings.Fields(args), "-no-picture")...)
	require.Zero(t, status, stderr)
	require.Equal(t, "IMAGE        SIZE     FAMILY    ID   X       Y      DISTANCE\n"+
		"markers.png  240x160  tag36h11  300  114.50  79.50  1\n", stdout)

	status, stdout, stderr = corners(t, append(strings.Fields(args), "-format", "csv")...)
	require.Zero(t, status, stderr)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	values := map[string]string{}
	for i, name := range rows[0] {
		values[name] = rows[1][i]
	}
	for name, want := range map[string]float64{"qw": 1, "qx": 0, "qy": 0, "qz": 0, "tx": 0, "ty": 0, "tz": 1, "error": 0, "other_tz": 1} {
		v, err := strconv.ParseFloat(values[name], 64)
		require.NoError(t, err, name)
		require.InDelta(t, want, v, 0.05, name)
	}
	require.Len(t, values, 15+17)

	status, stdout, stderr = corners(t, "tag", "-format", "json", "markers.png", "empty.png", "-camera", "200,200,114.5,79.5", "-o", "out")
	require.Zero(t, status, stderr)
	var report []struct {
		Image, Picture, Families string
		Border, Samples          int
		Size                     float64
		Tags                     []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.Len(t, report, 2)
	require.Equal(t, "tag36h11", report[0].Families)
	require.Equal(t, 1.0, report[0].Size)
	require.Len(t, report[0].Tags, 2)
	require.Equal(t, false, report[0].Tags[1]["hidden"])
	require.InDelta(t, 1/0.24, report[0].Tags[1]["tz"], 0.01)
	require.Empty(t, report[1].Tags)

	// The outline, and the axes of a marker that is seen from the front.
	before, after := filetest.ReadPNG(t, "markers.png"), filetest.ReadPNG(t, "out/markers-tags.png")
	require.Equal(t, before.Bounds(), after.Bounds())
	colored := func(x, y int) bool {
		r, g, b, _ := after.At(x, y).RGBA()
		return r != g || g != b
	}
	for _, p := range []image.Point{{90, 70}, {114, 55}, {138, 80}, {130, 80}, {114, 86}} {
		require.True(t, colored(p.X, p.Y) || colored(p.X+1, p.Y+1), p) // lines are between two pixels
	}
	require.False(t, colored(80, 70))
	require.Equal(t, []string{"camera.yaml", "empty.png", "markers.png", "other.yaml", "out/empty-tags.png", "out/markers-tags.png"}, filetest.List(t))

	filetest.Write(t, "v.y4m", stream(markerFrames(1)))
	for _, name := range []string{"markers.png", "v.y4m"} {
		status, _, stderr = corners(t, "tag", name, "-no-picture", "-camera", "other.yaml")
		require.Equal(t, 1, status)
		require.Equal(t, "corners: "+name+": 240 by 160 pixels, but the file of -camera is for images of 640 by 160\n", stderr)
	}

	// A camera that does not see the corners.
	status, stdout, stderr = corners(t, "tag", "markers.png", "-camera", "20,20,114.5,79.5,-1", "-format", "csv")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, ",false"+strings.Repeat(",", 17)+"\n")
	status, stdout, stderr = corners(t, "tag", "markers.png", "-camera", "20,20,114.5,79.5,-1", "-no-picture")
	require.Zero(t, status, stderr)
	require.Regexp(t, `39\.50 +49\.50 +-\n`, stdout)
}

// markerFrames returns n frames, of which every second one has a marker, which moves to the right.
func markerFrames(n int) []*image.Gray {
	var list []*image.Gray
	for i := range n {
		frame := image.NewGray(image.Rect(0, 0, 240, 160))
		draw.Draw(frame, frame.Rect, image.White, image.Point{}, draw.Src)
		if i%2 == 0 {
			marker := tag.Family{}.Draw(7, 6)
			draw.Draw(frame, marker.Rect.Add(image.Pt(10+i, 20)), marker, image.Point{}, draw.Src)
		}
		list = append(list, frame)
	}
	return list
}

// TestTagVideo finds markers in the frames of a video, from a file and from standard input.
func TestTagVideo(t *testing.T) {
	inTempDir(t)
	data := stream(markerFrames(3))
	filetest.Write(t, "a.y4m", data)
	filetest.Write(t, "b.video", data)
	for _, name := range []string{"a.y4m", "b.video", "-"} {
		status, stdout, stderr := withStdin(t, bytes.NewReader(data), "tag", name)
		require.Zero(t, status, stderr)
		require.Equal(t, ""+
			"FRAME   TIME      FAMILY          ID        X         Y\n"+
			"0       0.000     tag36h11        7         39.50     49.50\n"+
			"1       0.040     -               -         -         -\n"+
			"2       0.080     tag36h11        7         41.50     49.50\n", stdout)
	}
	require.Equal(t, []string{"a.y4m", "b.video"}, filetest.List(t), "nothing is drawn unasked")

	status, stdout, stderr := corners(t, strings.Fields("tag a.y4m -format csv -camera 200,200,119.5,79.5 -size 0.24 -roi 0,0,200,100")...)
	require.Zero(t, status, stderr)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+2)
	require.Equal(t, []string{"frame", "time", "family", "id", "x0", "y0"}, rows[0][:6])
	require.Len(t, rows[0], 2+14+17)
	require.Equal(t, []string{"0", "0", "tag36h11", "7"}, rows[1][:4])
	require.Equal(t, []string{"2", "0.08", "tag36h11", "7"}, rows[2][:4])

	// Without a rate there are no times.
	noRate := bytes.Replace(data, []byte(" F25:1"), nil, 1)
	status, stdout, _ = withStdin(t, bytes.NewReader(noRate), "tag", "-", "-format", "json")
	require.Zero(t, status)
	lines := strings.Split(stdout, "\n")
	require.Len(t, lines, 3+1)
	require.Equal(t, `{"frame":1,"time":null,"tags":[]}`, lines[1])
	var frame struct {
		Frame int
		Time  *float64
		Tags  []struct {
			Family string
			ID     int
			X0     float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(lines[2]), &frame))
	require.Equal(t, 2, frame.Frame)
	require.Nil(t, frame.Time)
	require.Len(t, frame.Tags, 1)
	require.Equal(t, "tag36h11", frame.Tags[0].Family)
	require.InDelta(t, 17.5, frame.Tags[0].X0, 0.02)
	_, stdout, _ = withStdin(t, bytes.NewReader(noRate), "tag", "-")
	require.Contains(t, stdout, "\n1       -         -               -         -         -\n")

	// An image from standard input is no video.
	status, stdout, stderr = withStdin(t, bytes.NewReader(filetest.Encode(t, filetest.StorePNG, markerFrames(1)[0])), "tag", "-", "-format", "csv")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "\n-,tag36h11,7,")
}

// TestTagVideoDrawn checks the video in which markers are drawn.
func TestTagVideoDrawn(t *testing.T) {
	inTempDir(t)
	frames := markerFrames(3)
	data := stream(frames)
	filetest.Write(t, "a.y4m", data)
	for _, args := range []string{"a.y4m -o out/b.y4m", "- -o out/b.y4m -f -format csv"} {
		require.NoError(t, os.MkdirAll("out", 0o777))
		status, stdout, stderr := withStdin(t, bytes.NewReader(data), append([]string{"tag"}, strings.Fields(args)...)...)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout+stderr, "wrote out/b.y4m\n")
		require.Equal(t, []string{"a.y4m", "out/b.y4m"}, filetest.List(t))
		r, err := y4m.NewReader(bytes.NewReader(filetest.Read(t, "out/b.y4m")))
		require.NoError(t, err)
		for i, before := range frames {
			var f y4m.Frame
			require.NoError(t, r.Read(&f))
			if i == 1 {
				require.Equal(t, before, f.Gray())
				continue
			}
			require.NotEqual(t, before, f.Gray())
			img := f.Image().(*image.YCbCr)
			require.NotEqual(t, color.YCbCr{Y: 255, Cb: 128, Cr: 128}, img.YCbCrAt(16+i, 40), "the outline")
			require.Equal(t, color.YCbCr{Y: 255, Cb: 128, Cr: 128}, img.YCbCrAt(200, 100))
		}
	}
	status, _, stderr := corners(t, strings.Fields("tag a.y4m -o out/b.y4m")...)
	require.Equal(t, 1, status)
	require.Equal(t, "corners: out/b.y4m: corners has not drawn this file, and overwrites it only with -f\n", strings.ReplaceAll(stderr, `\`, "/"))

	// Of a video that ends early, complete frames are reported and drawn, and of one without any nothing.
	status, stdout, stderr := withStdin(t, bytes.NewReader(data[:len(data)-1]), "tag", "-", "-o", "c.y4m")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: standard input: it ends in the middle of frame 2\n", stderr)
	require.Contains(t, stdout, "wrote c.y4m\n")
	require.Equal(t, 2, frameCount(t, bytes.NewReader(filetest.Read(t, "c.y4m"))))
	header, _, _ := strings.Cut(string(data), "\n")
	for rest, c := range map[string]struct {
		status int
		files  []string
	}{"": {0, []string{"d.y4m"}}, "FRAME\nx": {1, nil}} {
		inTempDir(t)
		status, _, _ := withStdin(t, strings.NewReader(header+"\n"+rest), "tag", "-", "-o", "d.y4m")
		require.Equal(t, c.status, status)
		require.Equal(t, c.files, filetest.List(t))
	}
}

// TestTagVideoInterrupted checks that an interruption ends the report and the video with a frame.
func TestTagVideoInterrupted(t *testing.T) {
	inTempDir(t)
	data := string(stream(markerFrames(4)))
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	go func() { // a video that does not go on
		io.WriteString(w, data)
		io.WriteString(w, "FRAME\n")
		cancel()
	}()
	var stdout, stderr strings.Builder
	require.Equal(t, statusInterrupted, run(ctx, []string{"tag", "-", "-o", "a.y4m", "-format", "json"}, r, &stdout, &stderr))
	r.Close()
	lines := strings.Count(stdout.String(), "\n")
	require.GreaterOrEqual(t, lines, 3)
	require.Equal(t, fmt.Sprintf("wrote a.y4m\ncorners: interrupted: the report ends with frame %d\n", lines-1), stderr.String())
	require.Equal(t, lines, frameCount(t, bytes.NewReader(filetest.Read(t, "a.y4m"))))
}

// TestTagDraw draws markers and finds them.
func TestTagDraw(t *testing.T) {
	inTempDir(t)
	for _, c := range []struct {
		args, file string
		sheet      tag.Sheet
	}{
		{"tag36h11:7", "tag36h11-7.svg", tag.Sheet{First: 7, Columns: 1, Rows: 1, Side: 100}},
		{"standard41h12:2114 -size 30 -o a.svg", "a.svg", tag.Sheet{Family: tag.Family{Kind: tag.Standard41h12}, First: 2114, Columns: 1, Rows: 1, Side: 30}},
		{
			"aruco5x5:3 -sheet 4x6 -gap 10 -size 40 -inverted -border 2 -o dir", "dir/aruco5x5-3-4x6.svg",
			tag.Sheet{Family: tag.Family{Kind: tag.ArUco5x5, Border: 2, Inverted: true}, First: 3, Columns: 4, Rows: 6, Side: 40, Gap: 10},
		},
		{"tag36h11:0 -sheet 6x5 -kalibr -size 88 -o b.svg", "b.svg", tag.NewAprilGrid(6, 5, 88, 0.3*88)},
		{"tag36h11:0 -sheet 6x5 -kalibr -gap 30 -o b.svg", "b.svg", tag.NewAprilGrid(6, 5, 100, 30)},
	} {
		status, stdout, stderr := corners(t, append([]string{"tag", "-draw"}, strings.Fields(c.args)...)...)
		require.Zero(t, status, stderr)
		require.Equal(t, "wrote "+c.file+"\n", strings.ReplaceAll(stdout, `\`, "/"))
		comment, file, found := strings.Cut(string(filetest.Read(t, c.file)), "\n")
		require.True(t, found)
		require.Equal(t, "<!-- Software: corners (github.com/fastcorners/fast) -->", comment)
		require.Equal(t, string(c.sheet.SVG()), file)
	}
	for range 2 { // the second one replaces the first one
		status, stdout, stderr := corners(t, strings.Fields("tag -draw aruco4x4:5 -sheet 3x2 -cell 6 -o sheet.png")...)
		require.Zero(t, status, stderr)
		require.Equal(t, "wrote sheet.png\n", stdout)
	}
	want := tag.Sheet{Family: tag.Family{Kind: tag.ArUco4x4}, First: 5, Columns: 3, Rows: 2, Side: 1}.Draw(6)
	require.Equal(t, want, filetest.ReadPNG(t, "sheet.png"))
	_, stdout, _ := corners(t, "tag", "-family", "aruco4x4", "-format", "csv", "sheet.png")
	require.Equal(t, 1+6, strings.Count(stdout, "\n"))

	filetest.Write(t, "mine.svg", []byte("<svg/>"))
	status, _, stderr := corners(t, "tag", "-draw", "tag36h11:1", "-o", "mine.svg")
	require.Equal(t, 1, status)
	require.Equal(t, "corners: mine.svg: corners has not drawn this file, and overwrites it only with -f\n", stderr)
	status, _, _ = corners(t, "tag", "-draw", "tag36h11:1", "-o", "mine.svg", "-f")
	require.Zero(t, status)
}

// TestTagErrors checks what corners tag refuses.
func TestTagErrors(t *testing.T) {
	inTempDir(t)
	writeMarkers(t)
	filetest.Write(t, "v.y4m", stream(markerFrames(1)))
	const usage = " (run corners -h for help)"
	for _, c := range []struct{ args, err string }{
		{"", "corners tag needs an image or more, a video, or flag -draw" + usage},
		{"v.y4m -jobs 2", "flag -jobs is for images, and not for the frames of a video" + usage},
		{"v.y4m -o .", `invalid value "." for flag -o: want the name of a video, such as out.mp4 or out.y4m` + usage},
		{"v.y4m -o out", `invalid value "out" for flag -o: want the name of a video, such as out.mp4 or out.y4m` + usage},
		{"v.y4m -o -", `invalid value "-" for flag -o: want the name of a video, such as out.mp4 or out.y4m` + usage},
		{"v.y4m -o out.png", `invalid value "out.png" for flag -o: want the name of a video, such as out.mp4 or out.y4m` + usage},
		{"v.y4m -o out.y4m -encode -an", "flag -encode is for a video (-o) that ffmpeg encodes" + usage},
		{"v.y4m -encode -an", "flag -encode is for a video (-o) that ffmpeg encodes" + usage},
		{"markers.png -o out.mp4 -encode -an", "flag -encode is for a video (-o) that ffmpeg encodes" + usage},
		{"-draw tag16h5:0 -encode -an", "flag -encode is for images, and -draw reads none" + usage},
		{"x.png -o y.svg", `invalid value "y.svg" for flag -o: pictures are PNG: want a directory, or a name that ends in .png` + usage},
		{"x.png -size 3", "flag -size needs flag -camera or -draw" + usage},
		{"x.png -gap 3", "flag -gap needs flag -draw" + usage},
		{"x.png -family tag36h12", `invalid value "tag36h12" for flag -family: want names of those that corners tag -h lists` + usage},
		{"x.png -family default", `invalid value "default" for flag -family: want names of those that corners tag -h lists` + usage},
		{
			"x.png -family tag36h11,standard52h13",
			`invalid value "tag36h11,standard52h13" for flag -family: standard52h13 is not in this program, but in package github.com/fastcorners/fast/tag/large/standard52h13 for programs of your own` + usage,
		},
		{
			"-draw circle49h12:0",
			`invalid value "circle49h12:0" for flag -draw: circle49h12 is not in this program, but in package github.com/fastcorners/fast/tag/large/circle49h12 for programs of your own` + usage,
		},
		{"x.png -family tag36h11:0", `invalid value "tag36h11:0" for flag -family: want 1 to 587 markers of tag36h11` + usage},
		{"x.png -family tag16h5,aruco4x4:1001", `invalid value "tag16h5,aruco4x4:1001" for flag -family: want 1 to 1000 markers of aruco4x4` + usage},
		{"x.png -family tag36h11:x", `invalid value "tag36h11:x" for flag -family: want a number after tag36h11 and a colon` + usage},
		{"x.png -family standard41h12 -border 2", "invalid value 2 for flag -border: want 0 or 1 for Kind standard41h12" + usage},
		{"x.png -contrast 1", "invalid value 1 for flag -contrast: want 2 to 255" + usage},
		{"-draw tag16h5:30", `invalid value "tag16h5:30" for flag -draw: want tag16h5, a colon, and an ID of 0 to 29` + usage},
		{"-draw tag16h5", `invalid value "tag16h5" for flag -draw: want tag16h5, a colon, and an ID of 0 to 29` + usage},
		{"-draw tag16h5:0 x.png", "x.png: flag -draw reads no images" + usage},
		{"-draw tag16h5:0 -camera 1,1,1,1", "flag -camera is for images, and -draw reads none" + usage},
		{"-draw tag16h5:0 -kalibr", "flag -kalibr needs flag -sheet" + usage},
		{"-draw tag16h5:0 -sheet 3", `invalid value "3" for flag -sheet: want numbers of columns and of rows, as 6x4` + usage},
		{"-draw tag16h5:0 -sheet 0x3", `invalid value "0x3" for flag -sheet: want numbers of columns and of rows, as 6x4` + usage},
		{"-draw tag16h5:0 -sheet 31x1", "invalid value 31 for flag -sheet: want 1 to 30" + usage},
		{"-draw tag16h5:25 -sheet 3x2", "invalid value 2 for flag -sheet: want at least 1 with all IDs below 30" + usage},
		{"-draw tag16h5:0 -sheet 2x2 -gap 1", "invalid value 1 for flag -gap: want 0 or 16.6667 to 3.4e38" + usage},
	} {
		status, _, stderr := corners(t, append([]string{"tag"}, strings.Fields(c.args)...)...)
		require.Equal(t, 2, status, c.args)
		require.Equal(t, "corners: "+c.err+"\n", stderr, c.args)
	}
	for _, c := range []struct{ args, err string }{
		{"none.png", "none.png: " + syscall.ENOENT.Error()},
		{"markers.png -roi 200,0,60,20", "markers.png: the region 200,0,60,20 is not within its 240 x 160 pixels"},
		{"-draw tag16h5:0 -cell 1000 -memory 50MB -o a.png", "a.png: 8000 x 8000 pixels need "},
		{"v.y4m -roi 200,0,60,20", "v.y4m: the region 200,0,60,20 is not within its 240 x 160 pixels"},
		{"v.y4m -memory 1MB", "v.y4m: 240 x 160 pixels need "},
		{"v.y4m -o ./v.y4m -f", "./v.y4m: this video is read, and never overwritten"},
		{"v.y4m -o none/v.y4m", "none/v.y4m: "},
		{"v.y4m markers.png -no-picture", "v.y4m: not an image, or of a format that is not read"},
		{"-draw tag16h5:0 -o markers.png/x", "markers.png/x: drawing cannot be written there: "},
	} {
		status, _, stderr := corners(t, append([]string{"tag"}, strings.Fields(c.args)...)...)
		require.Equal(t, 1, status, c.args)
		require.True(t, strings.HasPrefix(strings.ReplaceAll(stderr, `\`, "/"), "corners: "+c.err), stderr)
	}
	status, stdout, _ := corners(t, "tag", "-h")
	require.Zero(t, status)
	require.Contains(t, stdout, "Usage: corners tag ")
	m := new(marker.Method)
	flags := cli.New(m.Define)
	columns := m.Info().Columns
	require.Contains(t, stdout, "image,"+strings.Join(columns, ","))
	_, err := flags.Parse([]string{"-camera", "1,1,1,1"})
	require.NoError(t, err)
	require.NoError(t, m.Check(flags))
	require.Contains(t, strings.ReplaceAll(stdout, ",\n         ", ","), strings.Join(m.Info().Columns[len(columns):], ","))
}
