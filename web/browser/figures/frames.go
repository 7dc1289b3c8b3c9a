package main

import (
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/chromedp"
	"github.com/fastcorners/fast/web/browser"
)

// rooms are what whole frames are measured in, as the address of the page says it.
var rooms = []string{
	"show=stabilize", "show=track", "show=panorama", "show=matches", "show=keypoints",
	"show=corners", "show=corners&method=harris", "show=corners&method=shi-tomasi", "show=corners&method=lococo", "show=corners&method=vpi",
}

// parts are what the time of a frame consists of, as the page has it, and frame is all of it.
var parts = []string{"waiting", "pixels", "search", "drawing", "frame"}

// runFrames has the page find what it does in the frames of a camera of 640x480, with so many a
// second, for some seconds in each room, and prints a table of medians in Markdown.
func runFrames(dir, url string, rate, seconds int) error {
	_, video, err := loadFrames(120)
	if err != nil {
		return err
	}
	camera := filepath.Join(dir, "camera.y4m")
	if err := writeVideo(camera, video, rate); err != nil {
		return err
	}
	tab, cancel := browser.Start(filepath.Join(dir, "profile"), map[string]any{
		"use-fake-ui-for-media-stream":     true,
		"use-fake-device-for-media-stream": true,
		"use-file-for-fake-video-capture":  camera,
	})
	defer cancel()
	if err := chromedp.Do(tab, chromedp.EmulateViewport(1280, 800)); err != nil {
		return err
	}
	fmt.Println("| ms a frame | start | pixels | search | drawing | whole | whole : search | frames a second |")
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|--:|")
	for _, room := range rooms {
		if err := chromedp.Do(tab, chromedp.Navigate("about:blank"), chromedp.Navigate(url+"#"+room)); err != nil {
			return err
		}
		frames, err := chromedp.Run(tab, chromedp.Evaluate[[]map[string]float64](fmt.Sprintf(watchScript, seconds*1000), chromedp.EvalAwaitPromise))
		if err != nil {
			return err
		}
		fmt.Printf("| %s |", room)
		medians := make(map[string]float64)
		for _, part := range parts {
			list := make([]float64, 0, len(frames))
			for _, f := range frames {
				list = append(list, f[part])
			}
			slices.Sort(list)
			medians[part] = list[len(list)/2]
			fmt.Printf(" %.2f |", medians[part])
		}
		fmt.Printf(" %.1f | %.0f |\n", medians["frame"]/medians["search"], math.Round(float64(len(frames))/float64(seconds)))
	}
	return nil
}

// writeVideo writes a file that Chromium takes for a camera, with so many frames a second.
func writeVideo(file string, video []*image.Gray, rate int) error {
	size := video[0].Rect.Size()
	data := fmt.Appendf(nil, "YUV4MPEG2 W%d H%d F%d:1 Ip A1:1 C420\n", size.X, size.Y, rate)
	colors := slices.Repeat([]byte{128}, size.X*size.Y/2)
	for _, frame := range video {
		data = append(data, "FRAME\n"...)
		for _, v := range frame.Pix {
			data = append(data, uint8(16+(int(v)*219+127)/255))
		}
		data = append(data, colors...)
	}
	return os.WriteFile(file, data, 0o666)
}

// watchScript switches the camera on and returns the times of all frames that are done in some
// milliseconds, after the first ones, since browsers optimize code that has run.
const watchScript = `(async () => {
	const {state} = await import(new URL("page.js", document.baseURI));
	const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
	while (!state.result) {
		await sleep(10);
	}
	document.getElementById("camera").click();
	while (state.live !== "camera" || state.frames.done < 60) {
		await sleep(10);
	}
	const seen = new Map(), until = performance.now() + %d;
	while (performance.now() < until) {
		seen.set(state.frames.done, {...state.result.parts, frame: state.result.frame});
		await sleep(1);
	}
	return [...seen.values()];
})()`
