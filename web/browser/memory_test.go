package browser_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
	"github.com/fastcorners/fast/web/browser"
	"github.com/stretchr/testify/require"
)

// anonymous is the line of smaps_rollup with the memory that a process alone has.
var anonymous = regexp.MustCompile(`(?m)^Pss_Anon: *(\d+) kB$`)

// memory returns the number of megabytes that the processes of a browser have. It leaves out
// what they share: without a GPU, Chromium caches frames of the camera there, up to some
// hundred megabytes, which it frees when memory is short.
func memory(t *testing.T, in context.Context) int {
	t.Helper()
	list, err := chromedp.CallBrowser(in, systeminfo.GetProcessInfo, cdp.Empty{})
	require.NoError(t, err)
	kilobytes := 0
	for _, process := range list.ProcessInfo {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", process.ID))
		if err != nil {
			continue // it has ended, or the one that starts others does not show its memory
		}
		if found := anonymous.FindSubmatch(data); found != nil {
			n, err := strconv.Atoi(string(found[1]))
			require.NoError(t, err)
			kilobytes += n
		}
	}
	require.NotZero(t, kilobytes)
	return kilobytes / 1000
}

// resident is the line of smaps_rollup with all the memory of a process, and with what it shares.
var resident = regexp.MustCompile(`(?m)^Rss: *(\d+) kB$`)

// largest returns the number of megabytes of the largest process that shows a page.
func largest(t *testing.T, in context.Context) int {
	t.Helper()
	list, err := chromedp.CallBrowser(in, systeminfo.GetProcessInfo, cdp.Empty{})
	require.NoError(t, err)
	most := 0
	for _, process := range list.ProcessInfo {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", process.ID))
		if err != nil || process.Type != "renderer" {
			continue
		}
		if found := resident.FindSubmatch(data); found != nil {
			n, err := strconv.Atoi(string(found[1]))
			require.NoError(t, err)
			most = max(most, n)
		}
	}
	require.NotZero(t, most)
	return most / 1000
}

// browserAlone returns the context of a browser for one test of memory, with some flags and a camera
// that need not be allowed. Short tests are skipped.
func browserAlone(t *testing.T, flags map[string]any) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	if _, err := os.Stat("/proc/self/smaps_rollup"); err != nil {
		t.Skip("this system does not tell the memory of processes")
	}
	flags["use-fake-ui-for-media-stream"] = true
	ctx, cancel := browser.Start(t.TempDir(), flags)
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	return ctx
}

var long = flag.Bool("long", false, "look at the memory of rooms with the camera for a minute and a half")

// Matches and markers of the camera, and a calibration that finds no board, take no more memory after
// half a minute, or with -long after a minute and a half, although nothing has the browser collect
// garbage.
func TestCameraMemory(t *testing.T) {
	const most = 300 // megabytes
	for _, room := range []string{"matches", "markers", "calibrate"} {
		t.Run(room, func(t *testing.T) {
			other := browserAlone(t, map[string]any{"use-fake-device-for-media-stream": "fps=30"})
			p := open(t, other, server.URL+"#show="+room)
			p.wait(`state.result`)
			p.do(chromedp.Click(chromedp.CSS("#camera")))
			tens := 3
			if *long {
				tens = 9
			}
			for range tens {
				time.Sleep(10 * time.Second)
				now := largest(t, other)
				t.Logf("%d MB after %d frames", now, eval[int](p, `state.frames.done`))
				require.Less(t, now, most)
			}
			require.Greater(t, eval[int](p, `state.frames.done`), 20*tens)
			p.noProblems()
		})
	}
}

// A thousand frames and a hundred photos leave nothing behind that the browser cannot free.
func TestMemory(t *testing.T) {
	const most = 50 // megabytes
	other := browserAlone(t, map[string]any{"use-fake-device-for-media-stream": "fps=60", "js-flags": "--expose-gc"})
	// Left alone, browsers wait with freeing until there are a hundred megabytes or so.
	p := open(t, other, newProxy(t, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.URL.Path != "/page.js" && r.URL.Path != "/worker.js" {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.Write(append(answer.Body.Bytes(), "\nsetInterval(gc, 300);"...))
	})+corners)
	p.wait(`state.result`)
	p.settle()
	stays := func(before int) {
		t.Helper()
		now := memory(t, other)
		// Browsers take their time to free what is no longer used.
		for deadline := time.Now().Add(patience); now > before+most && time.Now().Before(deadline); now = memory(t, other) {
			time.Sleep(500 * time.Millisecond)
		}
		t.Logf("%d MB at first, and now %d", before, now)
		require.LessOrEqual(t, now, before+most)
	}

	photos := []string{photo("coffee_600x400.png"), photo("aitzgorri_752x480.png"), photo("picos_1241x376.png")}
	var before int
	for i := range 130 {
		p.act(choose("file", photos[i%len(photos)]))
		if i == 29 {
			before = memory(t, other)
		}
	}
	stays(before)

	p.do(chromedp.Click(chromedp.CSS("#camera")))
	p.wait(`state.frames.done >= 50`)
	before = memory(t, other)
	for frames := 150; frames <= 1050; frames += 100 { // each within the patience
		p.wait(`state.frames.done >= %d`, frames)
	}
	stays(before)
	p.noProblems()
}
