package browser_test

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// shared are settings of the page, and what the program corners is asked for the same.
var shared = []struct {
	name  string
	set   map[string]any
	flags string
}{
	{
		"fast",
		map[string]any{"show": "corners", "method": "fast", "threshold": 30, "arc": 9, "suppression": true, "number": 4},
		"-threshold 30 -arc 9 -nonmax -strongest 500",
	},
	{
		"fast",
		map[string]any{"number": 3, "spread": true, "suppression": false},
		"-threshold 30 -arc 9 -spread 200",
	},
	{
		"harris",
		map[string]any{"method": "harris", "quality": 2.3, "distance": 7, "block": 5, "number": allCorners, "spread": false},
		"-method harris -quality 0.023 -distance 7 -block 5",
	},
	{
		"shi-tomasi",
		map[string]any{"method": "shi-tomasi", "number": 3},
		"-method shi-tomasi -quality 0.023 -distance 7 -block 5 -corners 200",
	},
	{
		"lococo",
		map[string]any{"method": "lococo", "kernel": 11, "radius": 5},
		"-method lococo -quality 0.023 -kernel-size 11 -radius 5 -corners 200",
	},
	{
		"vpi",
		map[string]any{"method": "vpi", "circle": 2, "run": 8, "border": "reflect", "suppression": true},
		"-method vpi -threshold 30 -radius 2 -arc 8 -border reflect -strongest 200",
	},
	{
		"keypoints",
		map[string]any{"show": "keypoints", "threshold": 15, "levels": 5, "features": 4},
		"-method orb -threshold 15 -levels 5 -features 500",
	},
	{
		"matches",
		map[string]any{"show": "matches", "ratio": 0.9, "maxDistance": 60, "crossCheck": true},
		"match -threshold 15 -levels 5 -features 500 -ratio 0.9 -max-distance 60",
	},
}

// The files that the page saves are what the program writes, and the code that it shows finds
// the same.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	tool := buildCorners(t, dir)
	photos := []string{"chelsea_451x300.png", "chelsea_turned.png"}
	for i, file := range []string{photo(photos[0]), filepath.Join(root, "testdata", photos[1])} {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		photos[i] = filepath.Join(dir, photos[i])
		require.NoError(t, os.WriteFile(photos[i], data, 0o666))
	}

	p := openDefault(t)
	p.act(p.set(map[string]any{"show": "matches"}))
	p.act(choose("file", photos[0]))
	p.act(choose("second-file", photos[1]))
	for i, test := range shared {
		used := photos
		if test.name != "matches" {
			used = photos[:1]
		}
		p.act(p.set(test.set))
		p.sameFiles(tool, filepath.Join(dir, strconv.Itoa(i)), test.name, test.flags, used)
		p.sameInGo(buildCode(t, p.text("code"), dir), used)
	}
	p.noProblems()
}

// buildCorners compiles the program corners into a directory, and returns its path.
func buildCorners(t *testing.T, dir string) string {
	t.Helper()
	tool := filepath.Join(dir, "corners")
	build := exec.Command("go", "build", "-o", tool, ".")
	build.Dir = filepath.Join(root, "cmd", "corners")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return tool
}

// kernel is how programs name the kernels that they have used.
var kernel = regexp.MustCompile(`"kernel":"[a-z0-9-]+"`)

// sameFiles saves what was found in files, which are in one directory, as files with a name in the
// directory saved, and requires that the program corners writes the same with some flags.
func (p *page) sameFiles(tool, saved, name, flags string, files []string) {
	p.t.Helper()
	for _, form := range []string{"csv", "json"} {
		_, err := chromedp.CallBrowser(p.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
			Behavior:     cdpbrowser.SetDownloadBehaviorBehaviorAllow,
			DownloadPath: saved,
		})
		require.NoError(p.t, err)
		p.do(chromedp.Click(chromedp.CSS("#save-" + form)))
		data := downloaded(p.t, filepath.Join(saved, name+"."+form))
		args := append(strings.Fields(flags), "-format", form)
		for _, file := range files {
			args = append(args, filepath.Base(file))
		}
		run := exec.Command(tool, args...)
		run.Dir = filepath.Dir(files[0])
		want, err := run.Output()
		require.NoError(p.t, err)
		require.Greater(p.t, len(want), 1000)
		require.Equal(p.t, kernel.ReplaceAllString(string(want), ""), kernel.ReplaceAllString(string(data), ""), "%s", flags)
	}
}

// buildCode compiles the code that the page shows, which must be formatted, into a directory, and
// returns the path of the program.
func buildCode(t *testing.T, code, dir string) string {
	t.Helper()
	formatted, err := format.Source([]byte(code))
	require.NoError(t, err)
	require.Equal(t, string(formatted), code)
	file := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(file, []byte(code), 0o666))
	program := filepath.Join(dir, "main")
	build := exec.Command("go", "build", "-o", program, file)
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, code)
	return program
}

// sameInGo requires that a program that buildCode has made prints, for files, what the page
// has found.
func (p *page) sameInGo(program string, files []string) {
	p.t.Helper()
	printed, err := exec.Command(program, files...).Output()
	require.NoError(p.t, err)
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	want := p.result()
	require.NotEmpty(p.t, want.Values)
	require.Len(p.t, lines, len(want.Values)/want.Stride)
	for i, line := range lines {
		for j, field := range strings.Fields(line)[:min(want.Stride, 4)] {
			value, err := strconv.ParseFloat(field, 32)
			require.NoError(p.t, err)
			require.Equal(p.t, want.Values[i*want.Stride+j], float32(value), "%s", line)
		}
	}
}

// The code that the page shows for a method finds the same in the samples, which are files of
// the page.
func TestSamplesInGo(t *testing.T) {
	p := openDefault(t)
	for _, method := range []string{"fast", "harris", "shi-tomasi", "lococo", "vpi", "keypoints", "matches"} {
		set := map[string]any{"show": "corners", "method": method}
		if slices.Contains([]string{"keypoints", "matches"}, method) {
			set = map[string]any{"show": method}
		}
		p.do(p.set(set))
		p.wait(`state.result.method === %q`, method)
		p.settle()
		program := buildCode(t, p.text("code"), t.TempDir())
		for _, sample := range []string{"coffee", "chelsea", "astronaut"} {
			p.act(chromedp.Click(chromedp.CSS("[data-sample=" + sample + "]")))
			files := []string{filepath.Join(root, "web", "page", "samples", sample+".png")}
			if method == "matches" {
				// The outline of the first photo is in the second one.
				require.True(t, eval[bool](p, `(() => {
					const [a, b, c, d, e, f, g, h, i] = state.result.transform, [w, v] = state.result.sizes[0];
					return [[0, 0], [w, 0], [w, v], [0, v]].every(([x, y]) => {
						const z = g * x + h * y + i, inside = (value, length) => value > 0 && value < length;
						return inside((a * x + b * y + c) / z, w) && inside((d * x + e * y + f) / z, v);
					});
				})()`), sample)
				files = append(files, filepath.Join(root, "web", "page", "samples", sample+"-view.png"))
			}
			p.sameInGo(program, files)
		}
	}
	p.noProblems()
}

// A link restores what is found, and a button copies it.
func TestLink(t *testing.T) {
	p := openDefault(t)
	require.Empty(t, eval[string](p, `location.hash.replace("#show=corners", "").replace("&sample=astronaut", "")`))
	p.act(chromedp.Click(chromedp.CSS("[data-sample=coffee]")))
	want := p.act(p.set(map[string]any{"method": "shi-tomasi", "number": 4, "quality": 2.5, "distance": 20}))
	p.do(chromedp.Evaluate[chromedp.Void](`navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; undefined`))
	p.do(chromedp.Click(chromedp.CSS("#copy-link")))
	p.wait(`globalThis.copied`)
	link := eval[string](p, `copied`)
	require.Equal(t, server.URL+"#show=corners&method=shi-tomasi&quality=2.5&distance=20&number=500&sample=coffee", link)
	p.wait(`location.href === %q`, link)
	p.do(chromedp.Click(chromedp.CSS("details summary")), chromedp.Click(chromedp.CSS("#copy-code")))
	p.wait(`copied === document.getElementById("code").textContent`)

	other := open(t, chromium, link)
	other.wait(`state.result`)
	other.settle()
	require.Equal(t, want.Values, other.result().Values)
	require.Equal(t, "shi-tomasi", eval[string](other, `document.getElementById("method").value`))

	// A link that is opened in the same tab, with things that the page does not have.
	other.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#show=matches&ratio=0.9&crossCheck=0&method=best&number=3&x=y&sample=none"; undefined`))
	other.wait(`state.result.kind === "matches"`)
	other.settle()
	require.Equal(t, [][2]int{{512, 512}, {512, 512}}, other.result().Sizes)
	require.False(t, eval[bool](other, `document.forms[0].elements.crossCheck.checked`))
	require.Equal(t, "fast", eval[string](other, `document.getElementById("method").value`))
	other.wait(`location.hash === "#show=matches&ratio=0.9&crossCheck=0&sample=astronaut"`)
	other.noProblems()
	p.noProblems()
}

// Each control says in a sentence what it does, and each method what it takes elsewhere.
func TestExplained(t *testing.T) {
	p := openDefault(t)
	p.do(chromedp.Click(chromedp.CSS("#explain")))
	for _, method := range []string{"fast", "harris", "shi-tomasi", "lococo", "vpi", "keypoints", "matches", "markers", "calibrate"} {
		set := map[string]any{"show": "corners", "method": method}
		if slices.Contains([]string{"keypoints", "matches", "markers", "calibrate"}, method) {
			set = map[string]any{"show": method}
		}
		p.do(p.set(set))
		p.wait(`state.result.method === %q`, method)
		require.Empty(t, eval[[]string](p, `[...document.querySelectorAll(".field, .check")].filter((field) => field.checkVisibility() &&
			![...field.querySelectorAll(".help"), field.nextElementSibling].some((help) => help?.checkVisibility() && help.textContent.endsWith(".")))
			.map((field) => field.textContent)`), method)
		if !slices.Contains([]string{"markers", "calibrate"}, method) {
			require.Regexp(t, `takes [0-9.]+ ms`, p.text("native"))
		}
	}
	p.noProblems()
}
