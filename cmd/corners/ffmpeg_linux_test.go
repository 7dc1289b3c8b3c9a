package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/video"
	"github.com/stretchr/testify/require"
)

// actAs is a program that seems to be ffmpeg or ffprobe, and fails as CORNERS_TEST_FFMPEG says. A
// video that it decodes is Y4M after an x. What it encodes begins with an x and ends with a y.
func actAs(name string) {
	mode := os.Getenv("CORNERS_TEST_FFMPEG")
	fail := func(what string) {
		if mode == what {
			fmt.Fprintf(os.Stderr, "[part @ 0x1] %s\n\nthe end", what)
			os.Exit(3)
		}
	}
	last := os.Args[len(os.Args)-1]
	file := strings.TrimPrefix(last, "file:")
	switch {
	case name == "ffprobe" && slices.Contains(os.Args, "packet=pts,flags"):
		fail("cannot read packets")
	case name == "ffprobe":
		fail("cannot probe")
		order := "progressive"
		if mode == "interlaced" {
			order = "tt"
		}
		for _, line := range []string{
			`index=0`, `codec_type="video"`, `pix_fmt="yuv420p"`, `r_frame_rate="25/1"`, `avg_frame_rate="25/1"`, `field_order="` + order + `"`,
		} {
			fmt.Println("streams.stream.0." + line)
		}
	case last == "pipe:1":
		in := os.Args[slices.Index(os.Args, "-i")+1]
		data, err := os.ReadFile(strings.TrimPrefix(in, "file:"))
		if err != nil {
			panic(err)
		}
		fail("cannot decode")
		if mode == "nothing" {
			break
		}
		if mode == "cannot decode the end" {
			data = data[:len(data)-5]
		}
		os.Stdout.Write(data[1:])
		fail("cannot decode the end")
		if mode == "goes on" || mode == "never ends" {
			os.WriteFile("decoded", nil, 0o666)
			time.Sleep(time.Hour)
		}
	default:
		fail("cannot encode")
		os.WriteFile("encoder", []byte(strconv.Itoa(os.Getpid())), 0o666)
		data, _ := io.ReadAll(io.LimitReader(os.Stdin, map[bool]int64{true: 50_000, false: 1 << 40}[mode == "cannot encode the end"]))
		fail("cannot encode the end")
		if mode == "never ends" {
			os.WriteFile("read", nil, 0o666)
			time.Sleep(time.Hour)
		}
		os.WriteFile(file, []byte("x"+string(data)+"y"), 0o666)
	}
	os.Exit(0)
}

// seemFFmpeg makes the test program ffmpeg and ffprobe, in a new working directory.
func seemFFmpeg(t *testing.T, mode string, names ...string) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.Symlink(program, filepath.Join(dir, name)))
	}
	t.Setenv("PATH", dir)
	t.Setenv("CORNERS_TEST_FFMPEG", mode)
	inTempDir(t)
}

// TestFFmpegFails checks what is said and what is written when ffmpeg fails, early or late.
func TestFFmpegFails(t *testing.T) {
	const n = 5
	clip := shakyStream(t, n, "420jpeg", 6)
	both := []string{"ffmpeg", "ffprobe"}
	for _, c := range []struct {
		mode    string
		names   []string
		in, out string
		err     string
		frames  int // that are written
	}{
		{"", both, "in.bin", "out.bin", "", n},
		{"", both, "in.bin", "out.y4m", "", n},
		{"", []string{"ffmpeg"}, "in.y4m", "out.bin", "", n},
		{"", nil, "in.y4m", "out.y4m", "", n},
		{"", nil, "in.bin", "out.y4m", "in.bin: ffprobe is not in PATH, which corners needs to read a video that is not Y4M; without it, use Y4M from or for another program: ... | corners stabilize - OUT", 0},
		{"", []string{"ffprobe"}, "in.bin", "out.y4m", "in.bin: ffmpeg is not in PATH, which corners needs to read a video that is not Y4M; without it, use Y4M from or for another program: ... | corners stabilize - OUT", 0},
		{"", nil, "in.y4m", "out.bin", "out.bin: ffmpeg is not in PATH, which corners needs to write a video that is not Y4M; without it, use Y4M from or for another program: corners stabilize IN - | ...", 0},
		{"interlaced", both, "in.bin", "out.bin", "in.bin: the video is interlaced (tt): deinterlace it before, as with ffmpeg -vf yadif", 0},
		{"cannot probe", both, "in.bin", "out.bin", "in.bin: ffprobe: cannot probe; the end", 0},
		{"cannot read packets", both, "in.bin", "out.bin", "in.bin: ffprobe: cannot read packets; the end", 0},
		{"cannot decode", both, "in.bin", "out.bin", "in.bin: ffmpeg: cannot decode; the end", 0},
		{"nothing", both, "in.bin", "out.bin", "in.bin: ffmpeg finds no frame in it", 0},
		{"cannot decode the end", both, "in.bin", "out.bin", "in.bin: ffmpeg: cannot decode the end; the end", n - 1},
		{"cannot encode", both, "in.bin", "out.bin", "out.bin: ffmpeg: cannot encode; the end", 0},
		{"cannot encode the end", both, "in.bin", "out.bin", "out.bin: ffmpeg: cannot encode the end; the end", 0},
	} {
		seemFFmpeg(t, c.mode, c.names...)
		filetest.Write(t, "in.bin", append([]byte("x"), clip...))
		filetest.Write(t, "in.y4m", clip)
		status, _, stderr := corners(t, "stabilize", c.in, c.out, "-radius", "2")
		os.Remove("encoder")
		if c.err == "" {
			require.Zero(t, status, stderr)
			require.Empty(t, stderr)
		} else {
			require.Equal(t, 1, status)
			require.Equal(t, "corners: "+c.err+"\n", stderr)
		}
		left := filetest.List(t)
		if c.frames == 0 {
			require.Equal(t, []string{"in.bin", "in.y4m"}, left, c.mode)
			continue
		}
		require.Equal(t, []string{"in.bin", "in.y4m", c.out}, left, c.mode)
		data, err := os.ReadFile(c.out)
		require.NoError(t, err)
		if video.IsEncoded(c.out) {
			require.Equal(t, "xy", string(data[:1])+string(data[len(data)-1:]))
			data = data[1 : len(data)-1]
		}
		require.Equal(t, c.frames, frameCount(t, bytes.NewReader(data)), c.mode)
	}
}

// TestTrackFFmpeg checks that corners track reads what corners stabilize reads.
func TestTrackFFmpeg(t *testing.T) {
	data := stream(sequence(t, 4))
	for _, c := range []struct {
		mode  string
		names []string
		err   string
	}{
		{"", []string{"ffmpeg", "ffprobe"}, ""},
		{"", nil, "in.bin: ffprobe is not in PATH, which corners needs to read a video that is not Y4M; without it, use Y4M from or for another program: ... | corners track -"},
		{"interlaced", []string{"ffmpeg", "ffprobe"}, "in.bin: the video is interlaced (tt): deinterlace it before, as with ffmpeg -vf yadif"},
		{"cannot decode", []string{"ffmpeg", "ffprobe"}, "in.bin: ffmpeg: cannot decode; the end"},
		{"cannot decode the end", []string{"ffmpeg", "ffprobe"}, "in.bin: ffmpeg: cannot decode the end; the end"},
	} {
		seemFFmpeg(t, c.mode, c.names...)
		filetest.Write(t, "in.bin", append([]byte("x"), data...))
		filetest.Write(t, "in.y4m", data)
		_, want, _ := corners(t, "track", "in.y4m", "-format", "csv")
		status, stdout, stderr := corners(t, "track", "in.bin", "-format", "csv")
		if c.err == "" {
			require.Zero(t, status)
			require.Empty(t, stderr)
			require.Contains(t, want, "\n3,")
			require.Equal(t, want, stdout)
			continue
		}
		require.Equal(t, 1, status)
		require.Equal(t, "corners: "+c.err+"\n", stderr)
		require.True(t, strings.HasPrefix(want, stdout))
		require.Equal(t, c.mode == "cannot decode the end", strings.Contains(stdout, "\n2,"))
	}
}

// TestTagFFmpeg checks what is reported and drawn of a video that ffmpeg decodes, or does not.
func TestTagFFmpeg(t *testing.T) {
	both := []string{"ffmpeg", "ffprobe"}
	data := stream(markerFrames(3))
	for _, c := range []struct {
		mode  string
		names []string
		args  string
		lines int
		err   string
		files []string
	}{
		{"", both, "in.bin", 3, "", nil},
		{"", both, "in.bin -o out.y4m", 3, "wrote out.y4m", []string{"out.y4m"}},
		{"", both, "in.y4m -o out.bin", 3, "wrote out.bin", []string{"out.bin"}},
		{"", nil, "in.bin", 0, "corners: in.bin: ffprobe is not in PATH, which corners needs to read a video that is not Y4M; without it, use Y4M from or for another program: ... | corners tag -", nil},
		{"", nil, "in.y4m -o out.bin", 0, "corners: out.bin: ffmpeg is not in PATH, which corners needs to write a video that is not Y4M; without it, use Y4M from or for another program: corners tag -o OUT.y4m IN", nil},
		{"cannot decode", both, "in.bin -o out.y4m", 0, "corners: in.bin: ffmpeg: cannot decode; the end", nil},
		{"cannot decode the end", both, "in.bin -o out.y4m", 2, "corners: in.bin: ffmpeg: cannot decode the end; the end\nwrote out.y4m", []string{"out.y4m"}},
		{"cannot encode", both, "in.y4m -o out.bin", -1, "corners: out.bin: ffmpeg: cannot encode; the end", nil},
	} {
		seemFFmpeg(t, c.mode, c.names...)
		filetest.Write(t, "in.bin", append([]byte("x"), data...))
		filetest.Write(t, "in.y4m", data)
		_, stdout, stderr := corners(t, append([]string{"tag", "-format", "json"}, strings.Fields(c.args)...)...)
		require.Equal(t, c.err, strings.TrimSpace(stderr))
		if c.lines >= 0 {
			require.Equal(t, c.lines, strings.Count(stdout, "\n"), c.args)
		}
		left := slices.DeleteFunc(filetest.List(t), func(name string) bool { return slices.Contains([]string{"in.bin", "in.y4m", "encoder"}, name) })
		require.ElementsMatch(t, c.files, left)
	}
}

// TestStabilizeDrawsLast checks that the video is complete, by ffmpeg, too, although the report or the
// picture of the path cannot be written.
func TestStabilizeDrawsLast(t *testing.T) {
	const n = 5
	seemFFmpeg(t, "", "ffmpeg", "ffprobe")
	filetest.Write(t, "in.y4m", shakyStream(t, n, "mono", 4))
	for _, out := range []string{"out.y4m", "out.bin"} {
		for full, other := range map[string]string{"-path": "-report", "-report": "-path"} {
			status, stdout, stderr := corners(t, "stabilize", "in.y4m", out, "-radius", "2", full, "/dev/full", other, "other")
			os.Remove("encoder")
			require.Equal(t, 1, status)
			require.Equal(t, "corners: /dev/full: "+syscall.ENOSPC.Error()+"\n", stderr)
			require.Contains(t, stdout, "wrote 5 frames: 0 cuts, ")
			require.Equal(t, []string{"in.y4m", "other", out}, filetest.List(t))
			require.NotEmpty(t, filetest.Read(t, "other"))
			require.Equal(t, n, frameCount(t, bytes.NewReader(bytes.Trim(filetest.Read(t, out), "xy"))))
			require.NoError(t, errors.Join(os.Remove(out), os.Remove("other")))
		}
	}
}

// TestSignalWithFFmpeg checks that a signal of a terminal, which all processes of a group get, ends
// the program with a complete file, and a second one with none, and that no ffmpeg is left.
func TestSignalWithFFmpeg(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	const n = 12
	clip := append([]byte("x"), shakyStream(t, n, "420jpeg", 6)...)
	for _, mode := range []string{"goes on", "never ends"} {
		seemFFmpeg(t, mode, "ffmpeg", "ffprobe")
		filetest.Write(t, "in.bin", clip)
		program, err := os.Executable()
		require.NoError(t, err)
		var stderr bytes.Buffer
		cmd := exec.Command(program, "stabilize", "in.bin", "out.bin", "-radius", "2")
		cmd.Env = append(os.Environ(), "CORNERS_TEST_MAIN="+lifetime.Patience.String())
		cmd.Stderr = &stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		appears := func(name string) {
			require.Eventually(t, func() bool {
				data, err := os.ReadFile(name)
				return err == nil && (name != "encoder" || len(data) > 0)
			}, 5*time.Minute, time.Millisecond, stderr.String())
		}
		appears("decoded")
		appears("encoder") // so that frames are read: the decoder has written them, but for what a pipe holds
		require.NoError(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGINT))
		go func() { ended <- cmd.Wait() }()
		if mode == "never ends" {
			appears("read")
			for running := true; running; {
				require.NoError(t, errorBut(syscall.Kill(-cmd.Process.Pid, syscall.SIGINT), syscall.ESRCH))
				select {
				case <-ended:
					running = false
				case <-time.After(10 * time.Millisecond):
				}
			}
		} else {
			<-ended
		}
		require.Equal(t, 130, cmd.ProcessState.ExitCode(), stderr.String())
		pid, err := os.ReadFile("encoder")
		require.NoError(t, err)
		number, err := strconv.Atoi(string(pid))
		require.NoError(t, err)
		require.Equal(t, syscall.ESRCH, syscall.Kill(number, 0), "ffmpeg is gone")
		for _, name := range []string{"encoder", "decoded", "read"} {
			os.Remove(name)
		}
		if mode == "never ends" {
			require.Equal(t, []string{"in.bin"}, filetest.List(t))
			continue
		}
		data, err := os.ReadFile("out.bin")
		require.NoError(t, err)
		require.Equal(t, "xy", string(data[:1])+string(data[len(data)-1:]), "it is complete")
		frames := frameCount(t, bytes.NewReader(data[1:len(data)-1]))
		require.Contains(t, stderr.String(), fmt.Sprintf("corners: interrupted: %d frames are written\n", frames))
		require.Equal(t, []string{"in.bin", "out.bin"}, filetest.List(t))
	}
}
