package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"

	"github.com/fastcorners/fast/cmd/corners/internal/method"
	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/internal/program/limits"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/warp"
)

const registerIntro = `Usage: corners register [-method NAME] [flags] A B

Corners register moves image B onto image A, so that both show the same things
at the same places. It matches keypoints (-method) as corners match does, and
finds the transform (-model) that most matches agree with; of ORB, it takes
more keypoints.

Flags, before or after the images:
`

const registerRest = `
The report has the format of corners match -model. It is an error if there is
no transform; then nothing is drawn.

The picture A-B-registered.png has the size of A. It shows half of each image,
or with -show side A and beside it B, or B alone with -show moved. Where B
does not reach, it is black, or A in the blend.

Examples:

  corners register before.jpg after.jpg
  corners register -model affine -show side scan1.png scan2.png -o scans.png
  corners register -method sift near.jpg far.jpg

To name a file register, write ./register.
`

// printRegisterHelp writes what corners register -h says.
func printRegisterHelp(w io.Writer, m method.Info) {
	cfg := matchConfig{Info: m, features: registerFeatures}
	cfg.printHelp(w, registerIntro, new(registerFlags).define, registerRest)
}

// What the picture of corners register shows.
const (
	showBlend = "blend" // both images, half of each
	showSide  = "side"  // A, and beside it B as A is seen
	showMoved = "moved" // B as A is seen
)

// registerFlags are the flags of corners register besides those of corners match.
type registerFlags struct {
	show string
}

func (f *registerFlags) define(flags *cli.Set) {
	model := flags.Lookup("model")
	model.Usage = "move B by this `KIND` of transform"
	model.DefValue = models[1]
	model.Value.Set(model.DefValue)
	f.show = showBlend
	flags.Var(cli.OneOf(&f.show, []string{showBlend, showSide, showMoved}), "show", "draw `WHAT`: blend, side or moved")
}

// registerFeatures is the default of -features for ORB, that of package register.
const registerFeatures = "1000"

// runRegister moves an image onto another one.
func runRegister(p *program, args []string) error {
	cfg, show, err := parseRegister(args, p.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	cfg.fits = func(i int, size image.Point) error {
		if i == 0 || !cfg.draw {
			return nil
		}
		return limits.Warp.Check("moving an image", size) // which -no-picture does without
	}
	inputs, images, err := beginPair(p, cfg)
	if err != nil {
		return err
	}
	size := images[0].Size()
	picture := ""
	if cfg.draw {
		// Both images in RGBA, that which is moved, and the picture of at most two.
		need := cli.Memory(size, 4*4) + cli.Memory(images[1].Size(), 4)
		if err := p.reader.Check(size, need); err != nil {
			return fmt.Errorf("%s onto %s: %w", report.Printable(cfg.names[1]), report.Printable(cfg.names[0]), err)
		}
		if picture, err = namePair(p, cfg, inputs, "registered"); err != nil {
			return err
		}
	}
	p.console.Say("matching")
	m := newMatching(cfg, images)
	if m.failed != nil {
		picture = ""
	}
	if picture != "" {
		p.console.Say("drawing")
		drawn, err := m.registered(show, cfg.workers)
		if err != nil {
			return err
		}
		if err := p.drafts.Save(p.life.Early, picture, drawn, cfg.force); err != nil {
			return err
		}
	}
	p.console.EndProgress()
	p.console.Left = ""
	if err := m.write(p.life.Late, p.console.Stdout, cfg, picture); err != nil {
		return err
	}
	if m.failed != nil {
		return fmt.Errorf("%s onto %s: there is no %s", report.Printable(cfg.names[1]), report.Printable(cfg.names[0]), cfg.model)
	}
	if picture == "" {
		return nil
	}
	return p.console.SayWritten(cfg.format, []string{picture})
}

// parseRegister reads the command line of corners register as parseMatch does that of corners
// match.
func parseRegister(args []string, stdout io.Writer) (cfg matchConfig, show string, err error) {
	var f registerFlags
	cfg.features = registerFeatures
	err = cfg.parse("corners register", args, stdout, printRegisterHelp, f.define)
	if err == nil && cfg.model == noModel {
		err = errors.New("flag -model: corners register needs a transform")
	}
	return cfg, f.show, err
}

// registered returns a picture of the query image and the train image moved onto it.
func (m *matching) registered(show string, workers int) (image.Image, error) {
	w, err := warp.New(warp.Options{Workers: workers}) // transparent where there is no pixel
	if err != nil {
		return nil, err
	}
	a, b := overlay.Canvas(m.images[0].Upright()), overlay.Canvas(m.images[1].Upright())
	moved := image.NewRGBA(a.Rect)
	w.RGBA(moved, b, warp.Of(m.Transform))
	switch show {
	case showBlend:
		draw.DrawMask(a, a.Rect, moved, a.Rect.Min, image.NewUniform(color.Alpha{A: 128}), image.Point{}, draw.Over)
		return a, nil
	case showSide:
		both := image.NewRGBA(image.Rect(0, 0, 2*a.Rect.Dx(), a.Rect.Dy()))
		draw.Draw(both, a.Rect, a, a.Rect.Min, draw.Src)
		draw.Draw(both, a.Rect.Add(image.Pt(a.Rect.Dx(), 0)), overlay.Canvas(moved), a.Rect.Min, draw.Src)
		return both, nil
	}
	return overlay.Canvas(moved), nil
}
