package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/cmd/corners/internal/video"
	"github.com/fastcorners/fast/internal/test/phototest"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestMain is the program itself when a test asks for that, with some patience.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); name == "ffmpeg" || name == "ffprobe" {
		actAs(name)
	}
	if patience, err := time.ParseDuration(os.Getenv("CORNERS_TEST_MAIN")); err == nil {
		runProcess(patience)
	}
	os.Exit(m.Run())
}

// The program, built as anybody builds it, is small for all that it does, from decoding to
// tracking and files of cameras, and needs no libraries.
func TestBinary(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" {
		t.Skip("it is measured for amd64")
	}
	program := filepath.Join(t.TempDir(), "corners")
	cmd := exec.Command("go", "build", "-o", program, ".")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CGO_ENABLED=") && !strings.HasPrefix(v, "GOAMD64=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	info, err := os.Stat(program)
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(11.4e6))
	file, err := elf.Open(program)
	require.NoError(t, err)
	defer file.Close()
	for _, segment := range file.Progs {
		require.NotEqual(t, elf.PT_INTERP, segment.Type, "which static programs have not")
	}
}

// start starts the program as a process of its own.
func start(t *testing.T, stdin io.Reader, stdout, stderr io.Writer, args ...string) *exec.Cmd {
	t.Helper()
	return startWith(t, lifetime.Patience, stdin, stdout, stderr, args...)
}

// startWith is start with another patience than that of the program.
func startWith(t *testing.T, patience time.Duration, stdin io.Reader, stdout, stderr io.Writer, args ...string) *exec.Cmd {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "CORNERS_TEST_MAIN="+patience.String())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd
}

// A signal ends the program with the report of what is done, without temporary files.
func TestSignal(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	for signal, status := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		inTempDir(t)
		var args []string
		file := filetest.Encode(t, png.Encode, filetest.Square(1600, 1200))
		for i := range 200 {
			name := fmt.Sprintf("%03d.png", i)
			filetest.Write(t, name, file)
			args = append(args, name)
		}
		var stdout, stderr bytes.Buffer
		cmd := startWith(t, testPatience, nil, &stdout, &stderr, append([]string{"-o", "out"}, args...)...)
		require.Eventually(t, func() bool {
			drawn, _ := filepath.Glob("out/*-corners.png")
			return len(drawn) > 3
		}, 5*time.Minute, time.Millisecond)
		require.NoError(t, cmd.Process.Signal(signal))
		cmd.Wait()
		require.Equal(t, status, cmd.ProcessState.ExitCode(), stderr.String())

		var done, all int
		_, err := fmt.Sscanf(stderr.String(), "corners: interrupted: %d of %d images are done\n", &done, &all)
		require.NoError(t, err, stderr.String())
		require.Equal(t, 200, all)
		require.Less(t, done, 200)
		require.Equal(t, 1+done+1, strings.Count(stdout.String(), "\n"), stdout.String())
		require.Contains(t, stdout.String(), fmt.Sprintf("wrote %d pictures into out\n", done))
		files, err := os.ReadDir("out")
		require.NoError(t, err)
		require.Len(t, files, done)
		for _, f := range files {
			require.Regexp(t, `^\d{3}-corners\.png$`, f.Name())
			require.Equal(t, 1600, filetest.ReadPNG(t, filepath.Join("out", f.Name())).Bounds().Dx())
		}
	}
}

// waitWorking waits until a process has taken some time of a processor, or has ended.
func waitWorking(t *testing.T, cmd *exec.Cmd, atLeast time.Duration) {
	t.Helper()
	const tick = time.Second / 100 // of the system
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		require.NoError(t, err)
		_, text, _ = bytes.Cut(text, []byte(") "))
		fields := strings.Fields(string(text))
		user, err := strconv.Atoi(fields[11])
		require.NoError(t, err)
		system, err := strconv.Atoi(fields[12])
		require.NoError(t, err)
		return fields[0] == "Z" || time.Duration(user+system)*tick >= atLeast
	}, 5*time.Minute, time.Millisecond)
}

// A signal ends the program soon, before the work that it is doing is done, without temporary files.
func TestSignalSoon(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	inTempDir(t)
	noise := []byte("P5 6000 4000 255\n")
	random := rand.NewChaCha8([32]byte{})
	for range 3_000_000 {
		noise = binary.LittleEndian.AppendUint64(noise, random.Uint64())
	}
	filetest.Write(t, "noise.pgm", noise)
	for i, test := range []struct {
		args    string
		after   time.Duration // of a processor
		stalled bool          // nobody reads standard output
	}{
		{"-threshold 0 -arc 9", 100 * time.Millisecond, false},
		{"-threshold 0 -arc 9 -workers -1", 500 * time.Millisecond, false},
		{"-threshold 0 -arc 9 -format json", 700 * time.Millisecond, true},
		{"-method orb -features 1000000", 500 * time.Millisecond, false},
		{"match noise.pgm -features 1000000", 500 * time.Millisecond, false},
		{"bench -threshold 0", 300 * time.Millisecond, false},
	} {
		signal, status := os.Signal(os.Interrupt), 130
		if i%2 == 1 {
			signal, status = syscall.SIGTERM, 143
		}
		interrupted := false
		for try := 0; try < 5 && !interrupted; try++ { // a busy machine may signal too late
			r, w, err := os.Pipe()
			require.NoError(t, err)
			if !test.stalled {
				go io.Copy(io.Discard, r)
			}
			var stderr bytes.Buffer
			args := append(strings.Fields(test.args), "-memory=8GiB", "noise.pgm")
			if args[0] != "bench" {
				args = append(args, "-o=out")
			}
			cmd := start(t, nil, w, &stderr, args...)
			w.Close()
			waitWorking(t, cmd, test.after)
			require.NoError(t, cmd.Process.Signal(signal))
			cmd.Wait()
			r.Close()
			if cmd.ProcessState.Success() {
				test.after /= 2
				continue
			}
			interrupted = true
			require.Equal(t, status, cmd.ProcessState.ExitCode(), "%s: %s", test.args, stderr.String())
			require.Regexp(t, `^corners: interrupted: .+\n$`, stderr.String(), test.args)
			left, err := filepath.Glob("out/.*")
			require.NoError(t, err)
			require.Empty(t, left)
		}
		require.True(t, interrupted, "%+v", test)
	}
}

// A second signal ends the program at once, without temporary files, when it is no echo of the first.
func TestSecondSignal(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	inTempDir(t)
	stdin, feed, err := os.Pipe()
	require.NoError(t, err)
	defer feed.Close()
	r, w, err := os.Pipe() // which nobody reads
	require.NoError(t, err)
	defer r.Close()
	_, err = unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 1<<12) // less than a frame
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd := start(t, stdin, w, &stderr, "stabilize", "-", "-", "-online", "-report", "report")
	stdin.Close()
	w.Close()
	go feed.Write(shakyStream(t, 30, "420jpeg", 6))
	require.Eventually(t, func() bool { // it writes the first frame, and cannot end that
		waiting, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		return err == nil && waiting > 0
	}, 5*time.Minute, time.Millisecond)
	begin := time.Now()
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for running := true; running; {
		require.NoError(t, errorBut(cmd.Process.Signal(syscall.SIGTERM), os.ErrProcessDone))
		select {
		case <-ended:
			running = false
		case <-time.After(10 * time.Millisecond):
		}
	}
	require.GreaterOrEqual(t, time.Since(begin), lifetime.EchoTime)
	require.Less(t, time.Since(begin), lifetime.DrainTime)
	require.Equal(t, 143, cmd.ProcessState.ExitCode())
	require.Equal(t, "corners: interrupted: the report is not complete\n", stderr.String())
	require.Empty(t, filetest.List(t))
}

// errorBut returns an error that is not another one.
func errorBut(err, other error) error {
	if errors.Is(err, other) {
		return nil
	}
	return err
}

// Nobody reads standard output any longer: there are no temporary files either.
func TestBrokenPipe(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	inTempDir(t)
	var args []string
	for range 50 {
		args = append(args, "a.png")
	}
	filetest.Write(t, "a.png", filetest.Encode(t, png.Encode, filetest.Square(800, 600)))
	r, w, err := os.Pipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd := start(t, nil, w, &stderr, append([]string{"-o", "out", "-format", "csv"}, args...)...)
	w.Close()
	_, err = r.Read(make([]byte, 10))
	require.NoError(t, err)
	r.Close()
	cmd.Wait()
	require.Empty(t, stderr.String())
	require.Equal(t, 1, cmd.ProcessState.ExitCode())
	leftovers, err := filepath.Glob("out/.*")
	require.NoError(t, err)
	require.Empty(t, leftovers)
}

// What is read may be a pipe.
func TestNamedPipe(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	require.NoError(t, syscall.Mkfifo("pipe", 0o600))
	go os.WriteFile("pipe", filetest.Encode(t, png.Encode, filetest.Square(40, 30)), 0o600)
	require.Equal(t, found(t, "a.png"), found(t, "pipe"))

	// Waiting for one ends, too.
	ctx, cancel := context.WithCancel(t.Context())
	hold, err := os.OpenFile("pipe", os.O_RDWR, 0)
	require.NoError(t, err)
	defer hold.Close()
	go func() {
		for drawn := error(nil); ctx.Err() == nil; time.Sleep(time.Millisecond) {
			if _, drawn = os.Stat("out/a-corners.png"); drawn == nil {
				cancel()
			}
		}
	}()
	var stdout, stderr strings.Builder
	require.Equal(t, statusInterrupted, run(ctx, []string{"a.png", "pipe", "-jobs=1", "-o", "out"}, nil, &stdout, &stderr))
	require.Equal(t, "corners: interrupted: 1 of 2 images are done\n", stderr.String())
	require.Contains(t, stdout.String(), "\na.png ")
}

// Lists that wait for an image that takes long are part of the memory. It may drop them, those
// of pipes included.
func TestMemoryOfWaitingLists(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes long lists")
	}
	inTempDir(t)
	noise := func(w, h int) []byte {
		pixels := make([]byte, w*h)
		rand.NewChaCha8([32]byte{}).Read(pixels)
		return append(fmt.Appendf(nil, "P5 %d %d 255\n", w, h), pixels...)
	}
	first, others := noise(170, 160), noise(120, 120)
	args := strings.Fields("-method=vpi -arc=1 -nonmax=false -format=csv -jobs=16 -o=out -memory")
	filetest.Write(t, "a.pgm", others)
	names := append([]string{"first", "pipe"}, slices.Repeat([]string{"a.pgm"}, 10)...)
	find := func(memory string, wait int32) (searches int32, output [32]byte) {
		for _, name := range names[:2] {
			require.NoError(t, syscall.Mkfifo(name, 0o600))
			defer os.Remove(name)
		}
		go os.WriteFile("pipe", others, 0o600)
		cfg, err := parseDetect(slices.Concat(args, []string{memory}, names), io.Discard)
		require.NoError(t, err)
		count := new(atomic.Int32)
		cfg.method = spy{Method: cfg.method, found: func() {
			if count.Add(1) == wait { // lists wait by now
				go os.WriteFile("first", first, 0o600)
			}
		}}
		sum := sha256.New()
		p := newProgram(t.Context(), testPatience, nil, sum, io.Discard)
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
		p.begin(cfg.reporting)
		inputs, err := namePictures(p, cfg, p.reader.Images(cfg.args))
		require.NoError(t, err)
		require.NoError(t, searchInputs(p, cfg, inputs))
		require.Zero(t, p.console.Status())
		drafts, err := filepath.Glob("out/.*")
		require.NoError(t, err)
		require.Empty(t, drafts)
		return count.Load(), [32]byte(sum.Sum(nil))
	}
	searches, want := find("1GiB", 1)
	require.EqualValues(t, len(names), searches)
	const limit = 3<<20 + 1<<20
	require.Less(t, phototest.Least(limit, func() int64 {
		return phototest.Peak(func() {
			var got [32]byte
			searches, got = find("3MiB", 6)
			require.Equal(t, want, got)
		})
	}), int64(limit))
	require.Greater(t, searches, int32(len(names)))
}

// openTerminal returns both ends of a terminal of 40 columns.
func openTerminal(t *testing.T) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no terminals:", err)
	}
	t.Cleanup(func() { user.Close() })
	fd := int(user.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { program.Close() })
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 40}))
	return user, program
}

// Files that take long show that the program is alive, on a terminal, and nothing of that is left.
func TestProgressOfSlowFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits")
	}
	for _, command := range []string{"-no-picture slow", "match slow1 slow2 -no-picture", "bench slow -time=1ms", "-format=csv slow"} {
		inTempDir(t)
		user, terminal := openTerminal(t)
		var shown string
		waiting, shows := make(chan string), make(chan bool, 1) // what is to be shown, and whether it was
		go func() {
			defer close(shows)
			text := make([]byte, 1000)
			want := ""
			for want = <-waiting; ; {
				n, err := user.Read(text)
				if err != nil {
					return
				}
				if shown += string(text[:n]); strings.Contains(shown, want) {
					shows <- true
					if want == "end" {
						return
					}
					want = <-waiting
				}
			}
		}()
		file := filetest.Encode(t, png.Encode, filetest.Square(40, 30))
		var names []string
		for _, name := range strings.Fields(command) {
			if strings.HasPrefix(name, "slow") {
				require.NoError(t, syscall.Mkfifo(name, 0o600))
				names = append(names, name)
			}
		}
		fed := make(chan bool)
		go func() {
			defer close(fed)
			for _, name := range names {
				w, err := os.OpenFile(name, os.O_WRONLY, 0)
				if err != nil {
					return
				}
				w.Write(file[:50])
				waiting <- "reading " + name
				<-shows
				w.Write(file[50:])
				w.Close()
			}
		}()
		var stdout strings.Builder
		require.Zero(t, run(t.Context(), strings.Fields(command), nil, &stdout, terminal))
		<-fed
		fmt.Fprint(terminal, "end")
		waiting <- "end"
		<-shows
		require.Regexp(t, `\r\d+ s  `, shown)
		lines := strings.Split(strings.TrimSuffix(shown, "\rend"), "\r")
		require.Empty(t, strings.TrimSpace(lines[len(lines)-1]), "the line is removed")
		for _, line := range lines {
			require.Less(t, len(strings.TrimRight(line, "\b")), 40, "%q", line)
		}
	}
}

// With csv or json on the same terminal there is none.
func TestNoProgressAmongResults(t *testing.T) {
	_, terminal := openTerminal(t)
	for format, both := range map[string]bool{report.FormatTable: true, report.FormatCSV: false, report.FormatJSON: false} {
		for _, stdout := range []io.Writer{terminal, io.Discard} {
			c := report.NewConsole(stdout, terminal)
			require.Equal(t, both || stdout == io.Discard, c.ShowProgress(format))
			c.EndProgress()
		}
	}
}

// A signal ends corners stabilize with all frames written that have been read.
func TestSignalOfStabilize(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts processes")
	}
	const n = 50
	data := shakyStream(t, n, "420jpeg", 6)
	for signal, status := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		echo := map[os.Signal]os.Signal{os.Interrupt: syscall.SIGTERM, syscall.SIGTERM: syscall.SIGTERM}[signal]
		for _, args := range []string{"stabilize - out.y4m -report r.csv", "stabilize - pipe", "stabilize - - -online"} {
			inTempDir(t)
			require.NoError(t, syscall.Mkfifo("pipe", 0o600))
			piped := make(chan []byte, 1)
			if strings.Contains(args, "pipe") {
				go func() {
					data, _ := os.ReadFile("pipe")
					piped <- data
				}()
			}
			stdin, feed, err := os.Pipe()
			require.NoError(t, err)
			var stdout, stderr bytes.Buffer
			cmd := start(t, stdin, &stdout, &stderr, strings.Fields(args)...)
			stdin.Close()
			_, err = feed.Write(data) // of which a pipe can hold little
			require.NoError(t, err)
			_, err = feed.WriteString("FRAME\nthe begin of another")
			require.NoError(t, err)
			require.Eventually(t, func() bool { // the program waits for the rest
				waiting, err := unix.IoctlGetInt(int(feed.Fd()), unix.TIOCINQ)
				return err == nil && waiting == 0
			}, 5*time.Minute, time.Millisecond)
			require.NoError(t, cmd.Process.Signal(signal))
			require.NoError(t, errorBut(cmd.Process.Signal(echo), os.ErrProcessDone)) // as by timeout
			cmd.Wait()
			require.Contains(t, []int{status, 143}, cmd.ProcessState.ExitCode(), stderr.String()) // they have no order
			feed.Close()
			require.Contains(t, stderr.String(), "corners: interrupted: 50 frames are written\n")
			written := stdout.Bytes()
			switch {
			case strings.Contains(args, "out.y4m"):
				written, err = os.ReadFile("out.y4m")
				require.NoError(t, err)
				report, err := os.ReadFile("r.csv")
				require.NoError(t, err)
				require.Equal(t, 1+n, bytes.Count(report, []byte("\n")))
			case strings.Contains(args, "pipe"):
				written = <-piped
			}
			require.Equal(t, n, frameCount(t, bytes.NewReader(written)))
		}
	}
}

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
