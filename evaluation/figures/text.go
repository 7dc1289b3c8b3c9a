package main

import (
	"math"
	"regexp"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// An anchored handler draws text in SVG images so that any font will do. A viewer that
// lacks the font takes another one, in which the text is wider or narrower. So what is
// aligned to the right ends, by SVG's text-anchor, where it should, and what is centered
// has its middle there; and there is room for more.
type anchored struct{ text.Plain }

// spare is how much wider than expected text may be.
const spare = 1.15

// The canvas has no anchors. The first character of a text carries it, from a range for
// private use, until setAnchors makes an attribute of it.
const (
	anchorMiddle = "\ue000"
	anchorEnd    = "\ue001"
)

// Box returns what text.Plain does, with room to spare.
func (a anchored) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	width, height, depth = a.Plain.Box(txt, f)
	return spare * width, height, depth
}

// Draw draws text as text.Plain does, but leaves it to the viewer to align its lines.
func (a anchored) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	anchor := map[text.XAlignment]string{text.XCenter: anchorMiddle, text.XRight: anchorEnd}[style.XAlign]
	face := a.Fonts.Lookup(style.Font, style.Font.Size)
	c.SetColor(style.Color)
	if style.Rotation != 0 {
		c.Push()
		defer c.Pop()
		c.Rotate(style.Rotation)
	}
	sin, cos := math.Sincos(-style.Rotation)
	at = vg.Point{X: at.X*vg.Length(cos) - at.Y*vg.Length(sin), Y: at.X*vg.Length(sin) + at.Y*vg.Length(cos)}
	lines := a.Lines(txt)
	at.Y += style.Height(txt)*vg.Length(style.YAlign) - face.Extents().Ascent
	for i, line := range lines {
		at := at.Add(vg.Point{Y: vg.Length(len(lines)-i) * style.Font.Size})
		c.FillString(face, at, anchor+line)
	}
}

// textElement matches the start tag of a text with the anchor that follows it.
var textElement = regexp.MustCompile(`<text ([^>]*>)([` + anchorMiddle + anchorEnd + `])`)

// setAnchors gives the texts of an SVG image their anchors.
func setAnchors(svg []byte) []byte {
	svg = textElement.ReplaceAll(svg, []byte(`<text text-anchor="$2" $1`))
	return []byte(strings.NewReplacer(anchorMiddle, "middle", anchorEnd, "end").Replace(string(svg)))
}
