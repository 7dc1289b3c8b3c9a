package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/fastcorners/fast/batch/internal/batch"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// role says what the test program is, if it does not test.
const role = "BATCH_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "batch":
		main()
	case "prism":
		servePrism()
	}
	os.Exit(m.Run())
}

// start starts the test program in another role. It is killed when the test ends, if not
// before.
func start(t *testing.T, as string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd = exec.Command(self, args...)
	cmd.Env = append(os.Environ(), role+"="+as)
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, stdout, stderr
}

// batchProgram runs the program and returns its exit status and what it writes.
func batchProgram(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	cmd, out, errs := start(t, "batch", args...)
	cmd.Wait()
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

const photos = "../../../testdata/photos/*.png"

// rows returns the rows of a table by their names, as text.
func rows[R any](t *testing.T, output, table string) map[string]bool {
	t.Helper()
	m, err := batch.ReadManifest(t.Context(), output)
	require.NoError(t, err)
	all := make(map[string]bool)
	for _, f := range m.Tables[table] {
		list, err := parquet.ReadFile[R](filepath.Join(output, f.Path))
		require.NoError(t, err)
		for _, row := range list {
			all[fmt.Sprint(row)] = true
		}
	}
	return all
}

// reported returns the counts in a report.
func reported(t *testing.T, stdout string) map[string]int {
	t.Helper()
	counts := make(map[string]int)
	for _, line := range regexp.MustCompile(`(?m)^(.*\S) +(\d+)$`).FindAllStringSubmatch(stdout, -1) {
		n, err := strconv.Atoi(line[2])
		require.NoError(t, err)
		counts[line[1]] = n
	}
	return counts
}

// beginning is what the program says before what takes time.
const beginning = "batch: the pipeline starts; the report comes at its end\n"

func TestProgram(t *testing.T) {
	for _, method := range []string{"orb", "sift", "fast", "harris", "shi-tomasi", "lococo", "vpi"} {
		output := t.TempDir()
		status, stdout, stderr := batchProgram(t, "features", "-method", method, "-input", photos, "-output", output, "-shards=4")
		require.Zero(t, status, stderr)
		require.Equal(t, beginning, stderr)
		things := "corners"
		if method == "orb" || method == "sift" {
			things = "keypoints"
		}
		require.Regexp(t, `^images +11\ndead letters +0\nchanged +0\ngone +0\nkept +0\nkept dead letters +0\nadopted +0\nmegapixels +5\.55\n`+things+` +[1-9]\d+\nseconds of decoding +\d+\.\d\d\nseconds of detecting +\d+\.\d\d\nfiles +8\n$`, stdout)
	}

	status, stdout, stderr := batchProgram(t, "features", "-method=tag", "-input", strings.Replace(photos, "*", "c*", 1), "-output", t.TempDir(), "-shards=1")
	require.Zero(t, status, stderr)
	require.Regexp(t, `\ntags +0\n`, stdout)

	features, output := t.TempDir(), t.TempDir()
	status, _, stderr = batchProgram(t, "features", "-input", photos, "-output", features, "-shards=1")
	require.Zero(t, status, stderr)
	status, stdout, stderr = batchProgram(t, "matches", "-features", features, "-output", output)
	require.Zero(t, status, stderr)
	require.Equal(t, beginning, stderr)
	require.Regexp(t, `^pairs +55\ndead letters +0\nmatches +[1-9]\d+\nadopted +0\nseconds of matching +\d+\.\d\d\nfiles +1\n$`, stdout)
	require.Len(t, rows[batch.Matches](t, output, batch.MatchesTable), 55)
}

// Options of matches are those of the features' method: the ratio of SIFT's is 0.8, if none is given,
// and distances are squared.
func TestMatchOptions(t *testing.T) {
	output := t.TempDir()
	for method, want := range map[string]string{
		"orb":  `{"CrossCheck":true,"Ratio":0,"MaxDistance":99,"Hamming2":false,"Length":0,"Workers":0}`,
		"sift": `{"CrossCheck":true,"Ratio":0.8,"MaxDistance":99,"Hamming2":false,"Length":0,"Workers":0}`,
	} {
		features := t.TempDir()
		status, _, stderr := batchProgram(t, "features", "-method", method, "-features=50", "-input", strings.Replace(photos, "*", "c*", 1), "-output", features, "-shards=1")
		require.Zero(t, status, stderr)
		options := func(flags ...string) string {
			status, stdout, stderr := batchProgram(t, append([]string{"matches", "-features", features, "-output", output}, flags...)...)
			require.Zero(t, status, stderr)
			require.Equal(t, 3, reported(t, stdout)["pairs"])
			m, err := batch.ReadManifest(t.Context(), output)
			require.NoError(t, err)
			return string(m.Options)
		}
		require.JSONEq(t, want, options("-max-distance=99"))
		require.Contains(t, options("-ratio=0"), `"Ratio": 0,`)
		require.Contains(t, options("-ratio=0.7"), `"Ratio": 0.7,`)
	}
}

// The flags of each method arrive at its package.
func TestMethodFlags(t *testing.T) {
	input, output := t.TempDir(), t.TempDir()
	photo, err := os.ReadFile(strings.Replace(photos, "*", "camera_512x512", 1))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(input, "a.png"), photo, 0o666))
	var black bytes.Buffer
	mask := image.NewGray(image.Rect(0, 0, 512, 512))
	for i := range 256 * mask.Stride {
		mask.Pix[i] = 1
	}
	require.NoError(t, png.Encode(&black, mask))
	maskFile := filepath.Join(t.TempDir(), "mask.png")
	require.NoError(t, os.WriteFile(maskFile, black.Bytes(), 0o666))
	for args, want := range map[string]string{
		"-method fast -threshold 30 -arc 9 -nonmax -kernel scalar":                                                        `{"Threshold":30,"ArcLength":9,"NonmaxSuppression":true,"Kernel":"scalar"}`,
		"-method=harris -block 5 -gradient scharr -k 0.05 -corners 7 -distance 3 -quality 0.1":                            `{"Measure":"harris","K":0.05,"Gradient":"scharr","BlockSize":5,"Quality":0.1,"MinDistance":3,"MaxCorners":7}`,
		"-method lococo -kernel-size 5,9 -window 7 -measure noble -radius 6 -subpixel":                                    `{"KernelSizes":[5,9],"BlockSize":7,"Measure":"noble","SuppressionRadius":6,"Subpixel":true}`,
		"--method vpi -radius 2 -arc 8 -threshold 0 -border reflect101 -nonmax=false":                                     `{"CircleRadius":2,"ArcLength":8,"Threshold":0,"NoSuppression":true,"Border":"reflect101"}`,
		"-method sift -features 90 -layers 4 -contrast 0 -edge-ratio 12 -sigma 1.7 -doubling=false -upright -root":        `{"Features":90,"Layers":4,"Contrast":0,"Edge":12,"Sigma":1.7,"NoDoubling":true,"Upright":true,"Root":true}`,
		"-method tag -family aruco4x4:50,tag16h5 -border 2 -inverted -contrast 20 -correct 0 -samples 500":                `{"Families":[{"Kind":"aruco4x4","Codes":50,"Border":2,"Inverted":true},{"Kind":"tag16h5","Codes":0,"Border":2,"Inverted":true}],"MinContrast":20,"MaxCorrected":-1,"Samples":500}`,
		"-edge 40 -first-level 1 -levels 4 -points-per-bit 3 -score fast -patch 21 -scale 1.3 -features 90 -threshold 12": `{"Features":90,"ScaleFactor":1.3,"Levels":4,"EdgeThreshold":40,"FirstLevel":1,"PointsPerBit":3,"ScoreType":"fast","PatchSize":21,"FASTThreshold":12}`,
	} {
		status, _, stderr := batchProgram(t, append(strings.Fields(args), "-input", input+"/*", "-output", output)...)
		require.Equal(t, 2, status, stderr) // the command comes first
		status, _, stderr = batchProgram(t, append(append([]string{"features"}, strings.Fields(args)...), "-input", input+"/*", "-output", output)...)
		require.Zero(t, status, stderr)
		m, err := batch.ReadManifest(t.Context(), output)
		require.NoError(t, err)
		var is, should map[string]any
		require.NoError(t, json.Unmarshal(m.Options, &is))
		require.NoError(t, json.Unmarshal([]byte(want), &should))
		for name := range should {
			require.Equal(t, should[name], is[name], "%s: %s", args, name)
		}
	}
	for args, want := range map[string]int{
		"-method vpi -strongest 50":                5,
		"-method fast -strongest 40 -spread 20":    20,
		"-method fast -roi 0,0,256,256 -spread 30": 30,
	} {
		args := append(append([]string{"features"}, strings.Fields(args)...), "-input", input+"/*", "-output", output)
		status, stdout, stderr := batchProgram(t, append(args, "-mask", maskFile)...)
		require.Zero(t, status, stderr)
		require.Regexp(t, fmt.Sprintf(`\ncorners +%d`, want), stdout)
		m, err := batch.ReadManifest(t.Context(), output)
		require.NoError(t, err)
		require.Equal(t, maskFile, m.Selection.Mask)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"features", "-h"}, {"matches", "-h"}, {"clean", "-h"}, {"verify", "-h"}} {
		status, stdout, stderr := batchProgram(t, args...)
		require.Zero(t, status)
		require.Empty(t, stderr)
		require.True(t, strings.HasPrefix(stdout, "Usage: batch "))
		require.Equal(t, !slices.Contains([]string{"clean", "verify"}, args[0]), strings.Contains(stdout, "-runner"))
		require.Less(t, strings.Count(stdout, "\n"), 30, "one screen")
	}
	for want, args := range map[string]string{
		"want features, commit, matches, clean or verify":                  "",
		`"corners": want features, commit, matches, clean or verify`:       "corners -input a",
		"want features, commit, matches, clean or verify before the flags": "-method orb features",
		"flag provided but not defined: -what":                             "features -what",
		"flag -input is missing, or -names in place of it":                 "features -output a",
		"flag -output is missing":                                          "matches -features a",
		"flag -features is missing":                                        "matches -output a",
		`"b" is no flag`:                                                   "features -input a b",
		"flag -arc is not for method orb":                                  "features -input a -output b -arc 9",
		`invalid value "surf" for flag -method: want fast, harris, lococo, orb, shi-tomasi, sift, tag or vpi`: "features -input a -output b -method surf",
		`invalid value 8 for flag -arc: want 9 to 12`:                                                         "features -input a -output b -method fast -arc 8",
		`invalid value 1 for flag -scale: want more than 1`:                                                   "features -input a -output b -scale 1",
		"flag -async is for workers outside":                                                                  "features -input a -output b -async",
		"lococo: Options.KernelSizes is [4], not ":                                                            "features -input a -output b -method lococo -kernel-size 4",
		"invalid value 1.5 for flag -quality: want more than 0, up to 1":                                      "features -input a -output b -method harris -quality 1.5",
		"flag -k is not for method shi-tomasi":                                                                "features -input a -output b -method=shi-tomasi -k 0.1",
		"flag -border is not for method orb":                                                                  "features -input a -output b -runner flink -border constant",
		"flag -root is not for method orb":                                                                    "features -input a -output b -root",
		"sift: Options.Sigma is 0.5, ":                                                                        "features -input a -output b -method sift -sigma 0.5",
		"orb: Options.FirstLevel is 9, not 0 to 7":                                                            "features -input a -output b -first-level 9",
		`invalid value "1,2,3" for flag -roi: want four numbers, X,Y,W,H`:                                     "features -input a -output b -roi 1,2,3",
		`invalid value "round" for flag -border: want limited, constant, replicate, `:                         "features -input a -output b -method vpi -border round",
		`invalid value 0 for flag -shards: want 1 to 99999`:                                                   "features -input a -output b -shards 0",
	} {
		status, stdout, stderr := batchProgram(t, strings.Fields(args)...)
		require.Equal(t, 2, status, args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "batch: "+want)
		require.True(t, strings.HasSuffix(stderr, " (run batch -h for help)\n"))
		require.Equal(t, 1, strings.Count(stderr, "\n"))
	}
	dir := t.TempDir()
	for want, args := range map[string][]string{
		beginning + "batch: " + dir + "/*.jpg: no file matches (-v tells more)\n":        {"features", "-input", dir + "/*.jpg", "-output", dir},
		beginning + "batch: " + dir + "/manifest.json: no such file or directory\n":      {"matches", "-features", dir, "-output", dir},
		beginning + "batch: file system scheme \"ftp\" not registered for \"ftp://a\"\n": {"features", "-input", "ftp://a", "-output", dir},
	} {
		status, stdout, stderr := batchProgram(t, args...)
		require.Equal(t, 1, status)
		require.Empty(t, stdout)
		require.Equal(t, want, stderr)
	}
}

// servePrism serves Prism until the process is killed. It writes its address first.
func servePrism() {
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		panic(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	_, err = prism.CreateJobServer(context.Background(), prism.Options{Port: port})
	if err != nil {
		panic(err)
	}
	fmt.Printf("localhost:%d\n", port)
	select {}
}

// startPrism starts Prism in another process and returns its address.
func startPrism(t *testing.T) (cmd *exec.Cmd, endpoint string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), role+"=prism")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return cmd, strings.TrimSpace(line)
}

// onServer returns the flags for a server whose workers are in the program's process.
func onServer(endpoint string) []string {
	return []string{"-runner=universal", "-endpoint=" + endpoint, "-environment_type=LOOPBACK", "-workers=2"}
}

// Prism in another process gives the same rows.
func TestServer(t *testing.T) {
	_, endpoint := startPrism(t)
	embedded, remote := t.TempDir(), t.TempDir()
	status, _, stderr := batchProgram(t, "features", "-input", photos, "-output", embedded)
	require.Zero(t, status, stderr)
	status, stdout, stderr := batchProgram(t, append([]string{"features", "-input", photos, "-output", remote}, onServer(endpoint)...)...)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "images                11\n")
	want := rows[batch.Keypoints](t, embedded, batch.FeaturesTable)
	require.Len(t, want, 11)
	require.Equal(t, want, rows[batch.Keypoints](t, remote, batch.FeaturesTable))
}

// noise returns an image with keypoints.
func noise(t *testing.T, width, height int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(uint64(width), uint64(height)))
	for i := range img.Pix {
		img.Pix[i] = byte(random.Uint32())
	}
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, img))
	return file.Bytes()
}

// linkImages makes a directory of images, of which 20 are different.
func linkImages(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	name := func(i int) string { return filepath.Join(dir, fmt.Sprintf("%04d.png", i)) }
	for i := range n {
		if i < 20 {
			require.NoError(t, os.WriteFile(name(i), noise(t, 300+i, 300), 0o666))
			continue
		}
		require.NoError(t, os.Link(name(i%20), name(i)))
	}
	return dir
}
