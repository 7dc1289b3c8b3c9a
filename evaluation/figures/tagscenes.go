package main

import (
	"image"
	"math"
	"math/rand/v2"

	"github.com/fastcorners/fast/camera"
	"github.com/fastcorners/fast/geometry"
	"github.com/fastcorners/fast/internal/test/prints"
	"github.com/fastcorners/fast/pose"
	"github.com/fastcorners/fast/tag"
)

// A markerKind is images of markers that differ in nothing but where these are.
type markerKind struct {
	blur, noise float64 // standard deviations, in pixels and gray levels
	lines       int     // of a row of subpixels, as prints.Scene.Place has them
	plain       bool    // on gray, not on a photo
	covered     bool    // partly
}

// usualMarkers are what most tables are about.
var usualMarkers = markerKind{blur: .6, noise: 2, lines: 8}

// A marker is one that was rendered: its side is that of the quad, in pixels where the camera looks at it
// straight on.
type marker struct {
	family  tag.Family
	id      int
	side    float64
	corners [4]geometry.Point
	pose    pose.Pose // of one whose side is 1
}

// markerCamera is the camera that sees the markers.
func markerCamera(size image.Point) camera.Camera {
	f := 600 * float64(size.X) / 640
	return camera.Camera{Fx: f, Fy: f, Cx: float64(size.X-1) / 2, Cy: float64(size.Y-1) / 2}
}

// quadCorners are those of a marker whose side is 2.
var quadCorners = [4]geometry.Point{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}}

// turnedMarker returns a marker with its center at p, tilted by up to 65 degrees.
func turnedMarker(rng *rand.Rand, c camera.Camera, family tag.Family, p geometry.Point, side float64) marker {
	m := marker{family: family, id: rng.IntN(family.Len()), side: side}
	sinTilt, cosTilt := math.Sincos(rng.Float64() * 65 * math.Pi / 360)
	sinAxis, cosAxis := math.Sincos(2 * math.Pi * rng.Float64())
	sinRoll, cosRoll := math.Sincos(math.Pi * rng.Float64())
	z := c.Fx / side
	at := pose.Vector{(p.X - c.Cx) / c.Fx * z, (p.Y - c.Cy) / c.Fy * z, z}
	m.pose = pose.FromQuaternion(cosTilt, sinTilt*cosAxis, sinTilt*sinAxis, 0, at).Mul(pose.FromQuaternion(cosRoll, 0, 0, sinRoll, pose.Vector{}))
	t := m.transform(c)
	for i, q := range quadCorners {
		m.corners[i] = t.Apply(q)
	}
	return m
}

// transform returns the one from the coordinates of the marker, -1 to 1, to pixels.
func (m *marker) transform(c camera.Camera) geometry.Transform {
	var t geometry.Transform
	for k := range 3 {
		column := pose.Vector{m.pose.R[k] / 2, m.pose.R[3+k] / 2, m.pose.R[6+k] / 2}
		if k == 2 {
			column = m.pose.T
		}
		t[k] = c.Fx*column[0] + c.Cx*column[2]
		t[3+k] = c.Fy*column[1] + c.Cy*column[2]
		t[6+k] = column[2]
	}
	return t
}

// pattern returns the drawing of the marker.
func (m *marker) pattern() prints.Pattern {
	margin := 1
	if m.family.Kind == tag.Standard41h12 {
		margin = 2
	}
	return prints.Drawn(m.family.Draw(m.id, 1), margin)
}

// background returns one of the frames, or gray.
func background(rng *rand.Rand, photos []*image.Gray, plain bool) *prints.Scene {
	photo := photos[rng.IntN(len(photos))]
	if plain {
		return prints.NewScene(photo.Rect.Dx(), photo.Rect.Dy(), 128)
	}
	return prints.FromGray(photo)
}

// see returns images of a marker of that side before one of the photos: one, or several that differ in
// their noise.
func (k *markerKind) see(rng *rand.Rand, photos []*image.Gray, family tag.Family, side float64, images int) (m marker, list []*image.Gray) {
	size := photos[0].Rect.Size()
	c := markerCamera(size)
	p := geometry.Point{X: float64(size.X) * (.19 + .62*rng.Float64()), Y: float64(size.Y) * (.21 + .58*rng.Float64())}
	m = turnedMarker(rng, c, family, p, side)
	scene := background(rng, photos, k.plain)
	var covers []prints.Cover
	if k.covered {
		sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
		covers = []prints.Cover{{A: cos, B: sin, C: .55 + .75*rng.Float64(), Gray: 255 * rng.Float64()}}
	}
	scene.Place(m.pattern(), m.transform(c), prints.Ink{Black: 15 + 45*rng.Float64(), White: 150 + 85*rng.Float64()}, covers, k.lines)
	seen := scene.Pixels(k.blur)
	for range images {
		list = append(list, seen.Gray(k.noise, rng))
	}
	return m, list
}

// seeMany returns a photo with several markers of 36h11, with sides of 40 to 120 pixels, which do not
// touch each other.
func seeMany(rng *rand.Rand, photo *image.Gray, markers int) *image.Gray {
	size := photo.Rect.Size()
	c := markerCamera(size)
	scene := prints.FromGray(photo)
	columns := int(math.Ceil(math.Sqrt(float64(markers) * float64(size.X) / float64(size.Y))))
	rows := (markers + columns - 1) / columns
	w, h := float64(size.X)/float64(columns), float64(size.Y)/float64(rows)
	for i := range markers {
		p := geometry.Point{X: w * (float64(i%columns) + .5), Y: h * (float64(i/columns) + .5)}
		most := min(120, min(w, h)/1.9)
		m := turnedMarker(rng, c, tag.Family{}, p, min(40, most)+max(0, most-40)*rng.Float64())
		scene.Place(m.pattern(), m.transform(c), prints.Ink{Black: 30, White: 200}, nil, 2)
	}
	return scene.Pixels(usualMarkers.blur).Gray(usualMarkers.noise, rng)
}
