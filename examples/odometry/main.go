// Command odometry finds the path of a camera from what it sees: visual odometry. It writes a line
// for each frame in the format of the TUM RGB-D benchmark, and a picture of the path from above.
//
//	go run ./examples/odometry                  # a loop through a built-in room
//	go run ./examples/odometry -scene corridor
//	go run ./examples/odometry -in frames/ -camera 517.3,516.5,318.6,255.3,0.26,-0.95
//	go run ./examples/odometry -in frames/ -camera camera.yaml
//	ffmpeg -v error -i walk.mp4 -f yuv4mpegpipe - | go run ./examples/odometry -in - -camera ...
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"iter"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/examples/internal/scene"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/pose"
)

func main() {
	in := flag.String("in", "", "a directory of pictures, a Y4M video, or - for a video from standard input, instead of the scene")
	name := flag.String("scene", "loop", "the built-in scene: "+strings.Join(scene.Names(), ", "))
	seed := flag.Uint64("seed", 1, "the photos on the walls of the scene, and the noise")
	lens := flag.String("camera", "450,450,319.5,239.5", "fx,fy,cx,cy[,k1,k2,p1,p2,k3] of the camera, in pixels, or a file of OpenCV, ROS or Kalibr")
	rate := flag.Float64("rate", 30, "frames per second, for the timestamps")
	out := flag.String("out", "way.txt", "the file to write: timestamp tx ty tz qx qy qz qw")
	picture := flag.String("picture", "way.png", "the PNG to write: the path from above")
	flag.Parse()
	c, err := parseCamera(*lens)
	if err != nil {
		log.Fatal(err)
	}

	var frames iter.Seq[*image.Gray]
	var room *scene.Scene // whose truth is known
	if *in != "" {
		frames = pictures.Frames(*in)
	} else {
		if room, err = scene.New(*name, c, image.Pt(640, 480), *seed); err != nil {
			log.Fatal(err)
		}
		frames = room.All()
	}

	o, err := newOdometry(c)
	if err != nil {
		log.Fatal(err)
	}
	var found, truth []pose.Vector
	var lines []string
	var elapsed time.Duration // without decoding
	n := 0
	for frame := range frames {
		before := time.Now()
		p, ok := o.Push(frame)
		elapsed += time.Since(before)
		if ok {
			found = append(found, p.Center())
			lines = append(lines, tum(float64(n) / *rate, p))
			if room != nil {
				truth = append(truth, room.Pose(n).Mul(room.Pose(0).Inverse()).Center())
			}
		}
		n++
	}
	if n == 0 {
		log.Fatal("no frames")
	}
	fmt.Printf("%d frames, the way is known in %d; %.0f frames a second\n", n, len(found), float64(n)/elapsed.Seconds())
	if len(found) < 2 {
		log.Fatal("the camera did not move, or too little is seen")
	}
	if room != nil {
		found = align(found, truth)
		fmt.Printf("%.1f meters, drift %.2f%%, deviation %.2f%% of the way\n", length(truth), 100*drift(found, truth), 100*deviation(found, truth))
	}
	if err := save(*out, lines); err != nil {
		log.Fatal(err)
	}
	pictures.Save(*picture, plan(found, truth))
}

// parseCamera reads the fields of a camera, in their order, or the file of one.
func parseCamera(text string) (c camera.Camera, err error) {
	if !strings.Contains(text, ",") {
		f, err := os.Open(text)
		if err != nil {
			return c, err
		}
		defer f.Close()
		info, err := camera.ReadInfo(f)
		return info.Camera, err
	}
	fields := []*float64{&c.Fx, &c.Fy, &c.Cx, &c.Cy, &c.K1, &c.K2, &c.P1, &c.P2, &c.K3}
	numbers := strings.Split(text, ",")
	if len(numbers) < 4 || len(numbers) > len(fields) {
		return c, fmt.Errorf("camera %s: want 4 to %d numbers", text, len(fields))
	}
	for i, number := range numbers {
		if *fields[i], err = strconv.ParseFloat(strings.TrimSpace(number), 64); err != nil {
			return c, fmt.Errorf("camera %s: %v", text, err)
		}
	}
	return c, c.Check()
}

// tum returns a line of the format: where the camera is and how it is turned, in the world.
func tum(timestamp float64, p pose.Pose) string {
	inverse := p.Inverse()
	w, x, y, z := inverse.Quaternion()
	return fmt.Sprintf("%.6f %.6f %.6f %.6f %.6f %.6f %.6f %.6f", timestamp, inverse.T[0], inverse.T[1], inverse.T[2], x, y, z, w)
}

func save(name string, lines []string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return errors.Join(w.Flush(), f.Close())
}

// plan draws paths as seen from above, with the first view pointing up: the true one in gray, if it
// is known, and over it the one that was found.
func plan(found, truth []pose.Vector) image.Image {
	const side, margin = 640, 40
	low, high := found[0], found[0]
	for _, way := range [][]pose.Vector{found, truth} {
		for _, p := range way {
			for k := range p {
				low[k], high[k] = min(low[k], p[k]), max(high[k], p[k])
			}
		}
	}
	scale := (side - 2*margin) / max(high[0]-low[0], high[2]-low[2])
	project := func(way []pose.Vector) [][]geometry.Point {
		var points []geometry.Point
		for _, p := range way {
			points = append(points, geometry.Point{
				X: side/2 + scale*(p[0]-(low[0]+high[0])/2),
				Y: side/2 - scale*(p[2]-(low[2]+high[2])/2),
			})
		}
		return [][]geometry.Point{points}
	}
	canvas := image.NewRGBA(image.Rect(0, 0, side, side))
	draw.Draw(canvas, canvas.Rect, image.Black, image.Point{}, draw.Src)
	overlay.Lines(canvas, project(truth), overlay.Pen{Color: color.Gray{160}, Width: 5})
	overlay.Tracks(canvas, project(found), overlay.Pen{Color: color.RGBA{255, 160, 0, 255}, Width: 2})
	return canvas
}
