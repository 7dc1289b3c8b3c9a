package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fastcorners/fast"
	"github.com/fastcorners/fast/cmd/corners/internal/filetest"
	"github.com/fastcorners/fast/cmd/corners/internal/lifetime"
	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/cpu"
	"github.com/fastcorners/fast/internal/program/clockrate"
	"github.com/fastcorners/fast/internal/test/phototest"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
)

func TestBenchTable(t *testing.T) {
	inTempDir(t)
	status, stdout, stderr := corners(t, "bench", "-time", "1ms")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	lines := strings.Split(stdout, "\n")
	kernels := fast.Kernels()
	require.Len(t, lines, len(kernels)+3)
	require.Contains(t, lines[0], "KERNEL")
	require.Equal(t, clockrate.Known, strings.Contains(lines[0], "PX/CYCLE"))
	fastest := 0
	for i, k := range kernels {
		fields := strings.Fields(lines[i+1])
		require.Equal(t, k.String(), fields[0])
		fastest = max(fastest, strings.Count(lines[i+1], "█"))
	}
	require.Regexp(t, `^scalar .* 1\.00  [█▏▎▍▌▋▊▉]+$`, lines[1])
	require.Equal(t, 30, fastest)
	require.Equal(t, "method fast, 32 frames with 2.10 million pixels, median of 9 rounds", lines[len(lines)-2])
	require.Empty(t, filetest.List(t))
}

// All methods are measured, with their own flags, by what the processor has.
func TestBenchMethods(t *testing.T) {
	inTempDir(t)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, filetest.Square(80, 60)))
	for name, args := range map[string]string{
		"fast": "-arc=9", "orb": "-features=50", "harris": "-k=0.05", "shi-tomasi": "-block=5", "lococo": "-kernel-size=5,9", "vpi": "-radius=2", "sift": "-doubling=false",
	} {
		status, stdout, stderr := corners(t, "bench", "a.png", "-time=1ms", "-format=json", "-method", name, args)
		require.Zero(t, status, stderr)
		var speeds []speedObject
		decodeJSON(t, stdout, &speeds)
		require.NotEmpty(t, speeds)
		require.Equal(t, 1.0, speeds[0].Speedup)
		var names []string
		for _, v := range speeds {
			require.Equal(t, name, v.Method)
			require.Equal(t, 4*80*60, v.Pixels)
			names = append(names, v.Kernel)
		}
		if name == "fast" {
			for _, k := range fast.Kernels() {
				block := strings.Contains(k.String(), "x") && !strings.HasSuffix(k.String(), "sieve")
				require.Equal(t, !block, slices.Contains(names, k.String()), k)
			}
			continue
		}
		info := method.Named(name)
		var want []string
		for _, set := range cpu.InstructionSets(info.Packages...) {
			want = append(want, set.Name)
		}
		require.Equal(t, want, names)
		require.Equal(t, cpu.Portable, names[0])
	}
	require.Len(t, method.All, 7, "all are here")

	status, stdout, _ := corners(t, "bench", "a.png", "-time=1ms", "-kernel=scalar")
	require.Zero(t, status)
	require.Equal(t, 3, strings.Count(stdout, "\n"), "one kernel")
}

// An interruption leaves the rounds that are complete.
func TestBenchInterrupted(t *testing.T) {
	images := []*image.Gray{filetest.Square(40, 30), filetest.Square(50, 20)}
	for _, c := range []struct{ until, rounds int }{{1, 0}, {4, 0}, {5, 1}, {8, 1}, {9, 2}, {35, 8}, {36, 8}, {37, 9}} {
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		work := func(*image.Gray) {
			if runs++; runs == c.until {
				cancel()
			}
		}
		r := race{life: lifetime.New(ctx, testPatience), console: report.NewConsole(io.Discard, io.Discard), contenders: []method.Contender{{Name: "a", Run: work}, {Name: "b", Run: work}}, images: images}
		require.Equal(t, c.rounds, r.run(0), c.until)
		require.Equal(t, min(c.until, 36), runs)
		speeds := r.speeds("m", c.rounds)
		require.Equal(t, c.rounds > 0, len(speeds) == 2)
		for _, s := range speeds {
			require.Equal(t, c.rounds, s.Rounds)
		}
		cancel()
	}

	// One that is never done is left alone.
	ctx, cancel := context.WithCancel(t.Context())
	r := race{life: lifetime.New(ctx, lifetime.Patience), console: report.NewConsole(io.Discard, io.Discard), contenders: []method.Contender{{Name: "a", Run: func(*image.Gray) {
		cancel()
		<-t.Context().Done()
	}}}, images: images}
	require.Zero(t, r.run(0))

	// Each says so.
	var stdout, stderr strings.Builder
	require.Equal(t, statusInterrupted, run(ctx, []string{"bench"}, nil, &stdout, &stderr))
	require.Empty(t, stdout.String())
	require.Equal(t, "corners: interrupted: nothing is done\n", stderr.String())
}

// TestBenchShare checks the block to paste into an issue, of all methods or of one.
func TestBenchShare(t *testing.T) {
	inTempDir(t)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, filetest.Square(80, 60)))
	status, stdout, stderr := corners(t, "bench", "-share", "-time=1ms", "a.png")
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	require.Regexp(t, `^`+"```"+`\ncorners .*, go.* for .*\n.+, [0-9]+ CPUs; (used if there: .+|no assembly)\n\nMETHOD +KERNEL +NS/PX +SPEEDUP +\n`, stdout)
	require.True(t, strings.HasSuffix(stdout, "\n4 frames with 0.02 million pixels, median of 9 rounds\n```\n"), stdout)
	require.Equal(t, strings.Contains(stdout, "no assembly"), len(cpu.InstructionSets()) == 1, stdout)
	lines := 0
	for _, m := range method.All {
		require.Contains(t, stdout, "\n"+m.Name+" ")
		lines += strings.Count(stdout, "\n"+m.Name+" ")
	}
	require.Equal(t, lines+7, strings.Count(stdout, "\n"))

	status, stdout, stderr = corners(t, "bench", "-share", "-time=1ms", "-method=orb", "-features=50", "a.png")
	require.Zero(t, status, stderr)
	require.Equal(t, len(cpu.InstructionSets(method.Named("orb").Packages...)), strings.Count(stdout, "\norb "))
	require.NotContains(t, stdout, "\nfast ")

	for _, format := range []string{"csv", "json"} {
		status, _, stderr = corners(t, "bench", "-share", "-format="+format)
		require.Equal(t, 2, status)
		require.Contains(t, stderr, "flag -share is not for format "+format)
	}
	status, _, stderr = corners(t, "bench", "-share", "-features=50")
	require.Equal(t, 2, status)
	require.Contains(t, stderr, "flag -features is not for method fast")
}

func TestBenchFiles(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "d/a.png")
	filetest.WriteSquare(t, "d/b.png")
	filetest.Write(t, "f.pgm", append([]byte("P5 11 10 255\n"), filetest.Square(11, 10).Pix...))

	status, stdout, stderr := corners(t, "bench", "-time", "1ms", "-threshold=40", "-format", "json", "d", "f.pgm")
	require.Zero(t, status, stderr)
	var speeds []speedObject
	decodeJSON(t, stdout, &speeds)
	require.Len(t, speeds, len(fast.Kernels()))
	for i, s := range speeds {
		require.Equal(t, fast.Kernels()[i].String(), s.Kernel)
		require.Equal(t, "fast", s.Method)
		require.Equal(t, benchRounds, s.Rounds)
		require.Equal(t, 3*4, s.Frames)
		require.Equal(t, 4*(2*40*30+11*10), s.Pixels)
		require.Positive(t, s.NsPerPixel)
		require.InEpsilon(t, 1e3, s.NsPerPixel*s.Megapixels, 1e-9)
		require.InEpsilon(t, speeds[0].NsPerPixel, s.NsPerPixel*s.Speedup, 1e-9)
		require.Equal(t, clockrate.Known, s.PerCycle > 0)
	}

	status, stdout, stderr = corners(t, "bench", "-time", "1ms", "-format", "csv", "d/a.png")
	require.Zero(t, status, stderr)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{
		"method", "kernel", "frames", "pixels", "rounds",
		"ns_per_pixel", "megapixels_per_second", "pixels_per_cycle", "speedup",
	}, rows[0])
	require.Len(t, rows, 1+len(fast.Kernels()))
	for i, k := range fast.Kernels() {
		require.Equal(t, []string{"fast", k.String(), "4", fmt.Sprint(4 * 40 * 30), "9"}, rows[1+i][:5])
		for j, value := range rows[1+i][5:] {
			if j == 2 && !clockrate.Known {
				require.Empty(t, value)
				continue
			}
			require.Regexp(t, `^[0-9.e+-]+$`, value)
		}
	}
}

func TestBenchBadFiles(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "a.png")
	filetest.Write(t, "text.png", []byte("not an image\n"))
	status, stdout, stderr := corners(t, "bench", "-time", "1ms", "missing.png", "a.png", "text.png")
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "corners: missing.png: ")
	require.Contains(t, stderr, "corners: text.png: not an image, or of a format that is not read\n")
	require.Contains(t, stdout, "4 frames")

	filetest.Write(t, "none.bmp", filetest.Encode(t, bmp.Encode, image.NewGray(image.Rectangle{})))
	status, stdout, stderr = corners(t, "bench", "none.bmp")
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Equal(t, "corners: none.bmp: an image without pixels\n", stderr)

	header := "method,kernel,frames,pixels,rounds,ns_per_pixel,megapixels_per_second,pixels_per_cycle,speedup\n"
	for format, want := range map[string]string{"table": "", "csv": header, "json": "[]\n"} {
		status, stdout, stderr := corners(t, "bench", "-format", format, "text.png")
		require.Equal(t, 1, status)
		require.Equal(t, want, stdout)
		require.Equal(t, 1, strings.Count(stderr, "\n"))
	}
	for _, format := range []string{"table", "csv", "json"} {
		var stderr strings.Builder
		require.Equal(t, 1, run(context.Background(), []string{"bench", "-time", "1ms", "-format", format, "a.png"}, nil, brokenWriter{}, &stderr))
		require.Equal(t, "corners: standard output: no space left\n", stderr.String())
	}
}

func TestBenchHelp(t *testing.T) {
	status, stdout, stderr := corners(t, "bench", "-h")
	require.Zero(t, status)
	require.Empty(t, stderr)
	for _, text := range []string{"corners bench [-method NAME] [flags]", "\n  -threshold", "\n  -format", "\n  -time"} {
		require.Contains(t, stdout, text)
	}
}

// A file with the name of the command can still be named.
func TestFileNamedBench(t *testing.T) {
	inTempDir(t)
	filetest.WriteSquare(t, "bench.png")
	require.NoError(t, os.Rename("bench.png", "bench"))
	status, stdout, stderr := corners(t, "-no-picture", "./bench")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "\n./bench ")
}

func TestDrawBar(t *testing.T) {
	require.Equal(t, strings.Repeat("█", 30), drawBar(1))
	require.Equal(t, "", drawBar(0))
	require.Equal(t, "███▌", drawBar(3.5/30))
	for eighths, block := range []string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"} {
		require.Equal(t, block, drawBar(float64(eighths)/8/30))
		require.LessOrEqual(t, utf8.RuneCountInString(block), 1)
	}
}

// No more memory is used than -memory says: photos for which it does not suffice are refused,
// and none is flipped where four of them do not fit.
func TestMemoryOfBench(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes long lists")
	}
	inTempDir(t)
	noise := image.NewGray(image.Rect(0, 0, 200, 150))
	rand.NewChaCha8([32]byte{}).Read(noise.Pix)
	filetest.Write(t, "a.png", filetest.Encode(t, filetest.StorePNG, noise))
	args := strings.Fields("bench a.png -method=vpi -arc=1 -nonmax=false -strongest=1000000 -time=1ms -memory")
	status, stdout, stderr := corners(t, append(args, "2.25MiB")...)
	require.Equal(t, 1, status)
	require.Empty(t, stdout)
	require.Regexp(t, `^corners: a\.png: 200 x 150 pixels need [0-9.]+ MiB of memory, more than 2.25 MiB \(-memory\)\n$`, stderr)

	cfg, err := parseBench(slices.Concat(args[1:], []string{"1GiB"}), io.Discard)
	require.NoError(t, err)
	need := int64(cfg.need(noise)) + 200*150
	for frames, memory := range map[int]int64{1: need, 4: need + 4*200*150} {
		limit := memory + 1<<18
		require.Less(t, phototest.Least(limit, func() int64 {
			return phototest.Peak(func() {
				status, stdout, stderr = corners(t, append(args, fmt.Sprint(memory))...)
			})
		}), limit)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, " "+report.Count(frames, "frame", "frames")+" with ")
	}
}
