package main

import (
	"image"
	"image/color"
	"image/draw"
	"log"
	"math"
	"math/rand/v2"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
	"github.com/fastcorners/fast/warp"
)

const (
	tableFrames = 60
	// perCell is the width of a cell of the marker on the table, in pixels of its picture.
	perCell = 24
)

var (
	frameSize   = image.Pt(480, 360)
	tableCamera = camera.From35mm(35, frameSize)
	tableSize   = image.Pt(2000, 1600)
)

// film returns the frames of a camera that circles above a table with a marker.
func film() (frames []image.Image) {
	table := newTable()
	warper, err := warp.New(warp.Options{Border: border.Replicate})
	if err != nil {
		log.Fatal(err)
	}
	// The marker is in the middle of the table, and its quad has 8 cells.
	half := float64(perCell * 8 / 2)
	center := geometry.Point{X: float64(tableSize.X-1) / 2, Y: float64(tableSize.Y-1) / 2}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range tableFrames {
		time := 2 * math.Pi * float64(i) / tableFrames
		at := looking(.8*time, .75+.2*math.Sin(2*time), 8+1.2*math.Cos(time))
		// From the plane of the marker, whose side is 2, to pixels, and from pixels to the picture of
		// the table.
		var toFrame geometry.Transform
		for k := range 3 {
			v := pose.Vector{at.R[k], at.R[3+k], at.R[6+k]}
			if k == 2 {
				v = at.T
			}
			toFrame[k] = tableCamera.Fx*v[0] + tableCamera.Cx*v[2]
			toFrame[3+k] = tableCamera.Fy*v[1] + tableCamera.Cy*v[2]
			toFrame[6+k] = v[2]
		}
		toMarker, ok := toFrame.Inverse()
		if !ok {
			log.Fatal("the camera sees the table from its side")
		}
		toTable := geometry.Transform{half, 0, center.X, 0, half, center.Y, 0, 0, 1}.Mul(toMarker)
		frame := image.NewRGBA(image.Rectangle{Max: frameSize})
		warper.RGBA(frame, table, warp.Of(toTable))
		for k := range frame.Pix {
			if k%4 != 3 {
				frame.Pix[k] = uint8(min(max(float64(frame.Pix[k])+2*rng.NormFloat64(), 0), 255))
			}
		}
		frames = append(frames, frame)
	}
	return frames
}

// looking returns the pose of a camera that looks at the marker: turned around it, tilted from straight
// above, in radians, and at a distance.
func looking(turn, tilt, distance float64) pose.Pose {
	tilted := pose.FromQuaternion(math.Cos(tilt/2), -math.Sin(tilt/2), 0, 0, pose.Vector{0, 0, distance})
	return tilted.Mul(pose.FromQuaternion(math.Cos(turn/2), 0, 0, math.Sin(turn/2), pose.Vector{}))
}

// newTable returns the picture of a wooden table, with a marker on a sheet of paper and some colored
// sheets around it.
func newTable() *image.RGBA {
	table := image.NewRGBA(image.Rectangle{Max: tableSize})
	rng := rand.New(rand.NewPCG(3, 4))
	const boards = 6
	for y := range tableSize.Y {
		board := y * boards / tableSize.Y
		tone := 150 + float64(board*37%41)
		for x := range tableSize.X {
			// Rings of a tree that is cut along its trunk.
			grain := math.Sin(float64(y)/7 + 3*math.Sin(float64(x)/190+float64(board)*2) + math.Sin(float64(x+y)/61))
			light := tone + 14*grain + 4*rng.NormFloat64()
			table.SetRGBA(x, y, color.RGBA{uint8(light), uint8(light * .68), uint8(light * .42), 255})
		}
	}
	sheet := func(r image.Rectangle, c color.Color) {
		draw.Draw(table, r.Add(image.Pt(5, 6)), image.NewUniform(color.NRGBA{0, 0, 0, 70}), image.Point{}, draw.Over)
		draw.Draw(table, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	sheet(image.Rect(430, 390, 690, 760), color.RGBA{60, 120, 180, 255})
	sheet(image.Rect(1290, 360, 1610, 580), color.RGBA{200, 70, 60, 255})
	sheet(image.Rect(1350, 900, 1580, 1240), color.RGBA{70, 150, 90, 255})
	sheet(image.Rect(440, 930, 730, 1160), color.RGBA{240, 200, 90, 255})

	marker := tag.Family{Kind: tag.Tag36h11}.Draw(7, perCell)
	place := marker.Rect.Add(tableSize.Sub(marker.Rect.Size()).Div(2))
	sheet(place.Inset(-40), color.White)
	draw.Draw(table, place, marker, image.Point{}, draw.Src)
	return table
}
