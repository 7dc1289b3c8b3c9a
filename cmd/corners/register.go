package main

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"

	"github.com/fastcorners/fast/cmd/corners/internal/report"
	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/overlay"
	"github.com/fastcorners/fast/warp"
)

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

// register moves an image onto another one.
func (s *session) register(args []string) error {
	cfg, show, err := parseRegister(args, s.console.Stdout)
	if err != nil {
		return report.Usage(err)
	}
	inputs, images, err := s.beginPair(cfg)
	if err != nil {
		return err
	}
	size := images[0].Size()
	picture := ""
	if cfg.draw {
		// Both images in RGBA, that which is moved, and the picture of at most two.
		need := cli.Memory(size, 4*4) + cli.Memory(images[1].Size(), 4)
		if err := cli.CheckMemory(size, need, s.reader.Memory()); err != nil {
			return fmt.Errorf("%s onto %s: %w", report.Printable(cfg.names[1]), report.Printable(cfg.names[0]), err)
		}
		if picture, err = s.namePair(cfg, inputs, "registered"); err != nil {
			return err
		}
	}
	s.console.Say("matching")
	m := newMatching(cfg, images)
	if m.failed != nil {
		picture = ""
	}
	if picture != "" {
		s.console.Say("drawing")
		drawn, err := m.registered(show, cfg.workers)
		if err != nil {
			return err
		}
		if err := s.drafts.Save(s.life.Early, picture, drawn, cfg.force); err != nil {
			return err
		}
	}
	s.console.EndProgress()
	s.console.Left = ""
	if err := m.write(s.life.Late, s.console.Stdout, cfg, picture); err != nil {
		return err
	}
	if m.failed != nil {
		return fmt.Errorf("%s onto %s: there is no %s", report.Printable(cfg.names[1]), report.Printable(cfg.names[0]), cfg.model)
	}
	if picture == "" {
		return nil
	}
	return s.console.SayWritten(cfg.format, []string{picture})
}

// parseRegister reads the command line of corners register as parseMatch does that of corners
// match.
func parseRegister(args []string, stdout io.Writer) (cfg matchConfig, show string, err error) {
	var f registerFlags
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
