package main

import (
	"bytes"
	"fmt"
	"image"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/evaluation/internal/measure"
	"github.com/fastcorners/fast/evaluation/peers"
	"github.com/fastcorners/fast/stabilize"
)

// sampleVideos are where Debian's package opencv-doc has videos.
const sampleVideos = "/usr/share/doc/opencv-doc/examples/data"

// A stabilizedBy is a way to stabilize videos.
type stabilizedBy struct {
	name string
	do   func(v *peers.Video) (*peers.Video, error)
}

// stabilizers returns the ways that there are.
func stabilizers(p *peers.Peers) []stabilizedBy {
	list := []stabilizedBy{
		{"package stabilize", func(v *peers.Video) (*peers.Video, error) { return peers.Stabilized(v), nil }},
		{"online", func(v *peers.Video) (*peers.Video, error) {
			online := *v
			online.Options.Online = true
			return peers.Stabilized(&online), nil
		}},
		{"OpenCV", func(v *peers.Video) (*peers.Video, error) {
			out, _ := p.Stabilized(v)
			return out, nil
		}},
	}
	if hasVidStab() {
		list = append(list, stabilizedBy{"vid.stab", func(v *peers.Video) (*peers.Video, error) {
			out, _, err := vidStab(v)
			return out, err
		}})
	}
	return list
}

// hasVidStab reports whether there is an ffmpeg with vid.stab.
func hasVidStab() bool {
	out, err := exec.Command("ffmpeg", "-hide_banner", "-filters").Output()
	return err == nil && strings.Contains(string(out), "vidstabtransform")
}

// ffmpeg runs the program on a video, with one thread, and returns what it writes and how much
// processor time it took, in seconds.
func ffmpeg(v *peers.Video, args ...string) (out []byte, seconds float64, err error) {
	cmd := exec.Command("ffmpeg", append([]string{
		"-v", "error", "-threads", "1", "-filter_threads", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p",
		"-s", fmt.Sprintf("%dx%d", v.Size.X, v.Size.Y), "-i", "-",
	}, args...)...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	cmd.Stdin = bytes.NewReader(v.Planes())
	var text bytes.Buffer
	cmd.Stderr = &text
	if out, err = cmd.Output(); err != nil {
		return nil, 0, fmt.Errorf("ffmpeg: %w\n%s", err, text.Bytes())
	}
	return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// vidStab stabilizes a video by both passes of vid.stab, and returns how long they take, in
// seconds.
func vidStab(v *peers.Video) (*peers.Video, float64, error) {
	list, seconds, err := vidStabs(v, v.Options.SmoothingRadius)
	if err != nil {
		return nil, 0, err
	}
	_, nothing, err := ffmpeg(v, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
	return list[0], max(seconds-2*nothing, 0), err
}

// vidStabs stabilizes a video by the first pass of vid.stab and, for each smoothing, the second one.
// It returns how long they take, in seconds, with what ffmpeg takes without them.
func vidStabs(v *peers.Video, smoothings ...int) (list []*peers.Video, seconds float64, err error) {
	dir, err := os.MkdirTemp("", "vidstab")
	if err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(dir)
	transforms := filepath.Join(dir, "transforms.trf")
	_, seconds, err = ffmpeg(v, "-vf", "vidstabdetect=shakiness=5:result="+transforms, "-f", "null", "-")
	if err != nil {
		return nil, 0, err
	}
	for _, smoothing := range smoothings {
		filter := fmt.Sprintf("vidstabtransform=input=%s:smoothing=%d:optzoom=0:zoom=%.0f:interpol=bilinear", transforms, smoothing, 100*v.Options.Zoom-100)
		pix, took, err := ffmpeg(v, "-vf", filter, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-")
		if err != nil {
			return nil, 0, err
		}
		out, err := peers.ReadVideo(bytes.NewReader(pix), v.Size, v.Options)
		if err != nil {
			return nil, 0, err
		}
		list, seconds = append(list, out), seconds+took
	}
	return list, seconds, nil
}

// decoded returns up to n frames of a file.
func decoded(file string, n int) (*peers.Video, error) {
	size, err := exec.Command("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of", "csv=p=0", file).Output()
	if err != nil {
		return nil, err
	}
	var at image.Point
	if _, err := fmt.Sscanf(string(size), "%d,%d", &at.X, &at.Y); err != nil {
		return nil, err
	}
	pix, err := exec.Command("ffmpeg", "-v", "error", "-i", file, "-frames:v", fmt.Sprint(n), "-f", "rawvideo", "-pix_fmt", "yuv420p", "-").Output()
	if err != nil {
		return nil, err
	}
	return peers.ReadVideo(bytes.NewReader(pix), at, stabilize.Options{})
}

// remaining returns the median of how far the picture moves from frame to frame, by the mean over
// points all over it.
func remaining(v *peers.Video) float64 {
	var list []float64
	for _, m := range peers.Motions(v)[1:] {
		sum := 0.
		for i := range 25 {
			x, y := (float64(i%5)/4-.5)*float64(v.Size.X), (float64(i/5)/4-.5)*float64(v.Size.Y)
			sin, cos := math.Sincos(m.Rotation)
			sum += math.Hypot(m.Scale*(cos*x-sin*y)+m.DX-x, m.Scale*(sin*x+cos*y)+m.DY-y)
		}
		list = append(list, sum/25)
	}
	return measure.Median(list)
}

// photoOf returns the photo that fits a size best.
func (s *session) photoOf(size image.Point) *image.Gray {
	var best *image.Gray
	for _, p := range s.photos {
		if best == nil || p.Rect.Dx() > best.Rect.Dx() && best.Rect.Dx() < size.X {
			best = p
		}
	}
	return fast.Gray(best.SubImage(image.Rect(0, 0, best.Rect.Dx()&^1, best.Rect.Dy()&^1)))
}

// compareStabilizers compares packages stabilize and warp with OpenCV and vid.stab.
func compareStabilizers(s *session, p *peers.Peers) (map[string][]byte, error) {
	sizes := []spec{{1920, 1080, 24, 5}, {640, 480, 30, 5}}
	slow := []int{200, 600} // frames for vid.stab
	long := 200
	if s.quick {
		sizes, slow, long = []spec{{160, 120, 8, 1}}, []int{16}, 6
	}
	steps := 0
	for _, size := range sizes {
		steps += size.steps()
	}
	s.steps(steps)
	ghz := measure.UsualClock()
	var tables []string
	for i, size := range sizes {
		at := image.Pt(size.W, size.H)
		v := peers.NewShaken(s.photoOf(at), at, size.Frames, stabilize.Options{SmoothingRadius: 8})
		times, clock := compare(s, p.VideoTests(), []*peers.Video{v}, size.Frames, size.Rounds)
		ghz = clock
		var rows [][]string
		for _, t := range times {
			name := t.Name
			if t.Peer {
				name += " *"
			}
			rows = append(rows, []string{name, cell(t, 1e6), fmt.Sprintf("%.0f", 1e9/t.Nanoseconds)})
		}
		if hasVidStab() {
			_, seconds, err := vidStab(peers.NewShaken(s.photoOf(at), at, slow[i], v.Options))
			if err != nil {
				return nil, err
			}
			ms := seconds * 1e3 / float64(slow[i])
			rows = append(rows, []string{fmt.Sprintf("vid.stab, both passes of %d frames *", slow[i]), fmt.Sprintf("%.1f", ms), fmt.Sprintf("%.0f", 1e3/ms)})
		}
		tables = append(tables, fmt.Sprintf("## %s, %d frames", size, size.Frames), table(1, []string{"by", "ms a frame", "frames a second"}, rows))

		ours, theirs := peers.TimedParts(v), peers.Parts{}
		_, theirs = p.Stabilized(v)
		rows = nil
		for i, name := range []string{"corners, every 10th frame", "pyramids, and flow forward and back", "similarity", "warp of three planes"} {
			n := float64(size.Frames) / 1e3
			rows = append(rows, []string{name, fmt.Sprintf("%.3f", ours[i]/n), fmt.Sprintf("%.3f", theirs[i]/n), fmt.Sprintf("%.1f", theirs[i]/ours[i])})
		}
		tables = append(tables, "The parts, in one run each, in milliseconds a frame:", table(1, []string{"part", "packages", "OpenCV", "ratio"}, rows))
	}

	list := stabilizers(p)
	header := []string{"video", "size", "frames", "before"}
	for _, by := range list {
		header = append(header, by.name)
	}
	at := image.Pt(640, 480)
	v := peers.NewShaken(s.photoOf(at), at, long, stabilize.Options{})
	row := []string{"shaken photo", fmt.Sprintf("%dx%d", at.X, at.Y), fmt.Sprint(long), fmt.Sprintf("%.2f", remaining(v))}
	for _, by := range list {
		out, err := by.do(v)
		if err != nil {
			return nil, err
		}
		row = append(row, fmt.Sprintf("%.3f", remaining(out)))
	}
	tables = append(tables, "## What remains\n\n"+
		"How far the picture moves from each frame to the next, in pixels: the median over the frames of the mean over 25 points all over the picture, "+
		"as package stabilize finds it in the frames that come out. The camera does not move but for the shaking. [Another page](../steady.md) has clips in which it does.",
		table(3, header, [][]string{row}))
	about := aboutComparison("Milliseconds per frame: 500 corners, found again every 10 frames, followed forward and back with windows of 15 pixels, a similarity (package stabilize: an affine transform where that fits clearly better), a path that is smoothed over "+
		"frames before and after, and three planes of 4:2:0 that are warped. A photo is shaken by up to 10 pixels and 1° at every frame, with noise of up to 4",
		peers.StabilizePackages, "OpenCV is the same written in C++: goodFeaturesToTrack, buildOpticalFlowPyramid once a frame, calcOpticalFlowPyrLK forward and back, "+
			"estimateAffinePartial2D, and warpAffine of three planes, with one thread. With 2 workers, frames are also warped while the next ones are followed. "+
			"vid.stab is vidstabdetect and vidstabtransform of Debian's package ("+peers.VersionOfFFmpeg()+"), with one thread: the processor time of both passes, "+
			"without that of ffmpeg when it only copies the frames; it is measured once, in processes of its own.")
	return map[string][]byte{"stabilize.md": s.page("Stabilized video beside OpenCV and vid.stab", ghz, append([]string{about}, tables...)...)}, nil
}
