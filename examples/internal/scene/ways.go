package scene

import (
	"fmt"
	"image"
	"math"
	"path/filepath"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/examples/internal/pictures"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
)

// Names returns the names of the scenes:
//
//   - corridor: 15 meters along a corridor, swaying as one who walks
//   - loop: once around a room, 15.7 meters, back to where it began
//   - turn: along the corridor with a stop, where the camera looks to the left and to the right
//   - dark: the loop, where nothing is seen in some frames
//   - shake: along the corridor, where jolts of the camera blur some frames
func Names() []string { return []string{"corridor", "loop", "turn", "dark", "shake"} }

// New returns the scene of a name, 300 frames with noise and motion blur. The photos on its walls
// are those of testdata, in an order that the seed tells.
func New(name string, c camera.Camera, size image.Point, seed uint64) (*Scene, error) {
	s := &Scene{Frames: 300, Way: corridor, Exposure: 0.5, Noise: 3, seed: seed, camera: c, size: size}
	s.min, s.max = pose.Vector{-1.5, -1.6, -3}, pose.Vector{1.5, 1.4, 24}
	switch name {
	case "corridor":
	case "loop", "dark":
		s.Way = loop
		s.min, s.max = pose.Vector{-7.5, -1.6, -5.2}, pose.Vector{2.6, 1.4, 5}
		if name == "dark" {
			s.Dark = func(frame int) bool { return frame%60 >= 55 }
		}
	case "turn":
		s.Way = turn
	case "shake":
		s.Way = shake
	default:
		return nil, fmt.Errorf("scene %s: there are %q", name, Names())
	}
	var pixels []geometry.Point
	for y := range size.Y {
		for x := range size.X {
			pixels = append(pixels, geometry.Point{X: float64(x), Y: float64(y)})
		}
	}
	s.rays = c.Rays(pixels)
	names, err := filepath.Glob("testdata/photos/*.png")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("scene %s: no photos in testdata/photos", name)
	}
	var photos []image.Image
	for _, name := range names {
		photos = append(photos, pictures.Load(name))
	}
	return s, s.cover(photos)
}

// corridor goes forward and sways.
func corridor(time float64) Place {
	return Place{
		X: 0.3 * math.Sin(time/24), Y: 0.03 * math.Sin(time/4), Z: 0.05 * time,
		Yaw: 0.12 * math.Sin(time/31), Pitch: 0.03 * math.Sin(time/13), Roll: 0.03 * math.Sin(time/17),
	}
}

// loop goes around a circle and looks ahead.
func loop(time float64) Place {
	angle := time * 2 * math.Pi / 299
	return Place{
		X: 2.5*math.Cos(angle) - 2.5, Y: 0.03 * math.Sin(4*angle), Z: 2.5 * math.Sin(angle),
		Yaw: -angle, Pitch: 0.03 * math.Sin(3*angle), Roll: 0.03 * math.Sin(2*angle),
	}
}

// turn is corridor but for frames 100 to 200, in which the camera turns on the spot.
func turn(time float64) Place {
	stop := max(0, min(100, time-100))
	p := corridor(time - stop)
	p.Yaw += 0.35 * math.Sin(2*math.Pi*stop/100)
	return p
}

// shake is corridor with a jolt of 12 frames in every 60, by which a picture moves up to a
// twentieth of the focal length from one frame to the next.
func shake(time float64) Place {
	p := corridor(time)
	if jolt := (math.Mod(time, 60) - 40) / 12; jolt > 0 && jolt < 1 {
		strength := math.Pow(math.Sin(math.Pi*jolt), 2)
		p.Pitch += 0.05 * strength * math.Sin(4*math.Pi*jolt)
		p.Yaw += 0.03 * strength * math.Sin(2*math.Pi*jolt)
	}
	return p
}
