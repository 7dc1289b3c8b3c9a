//go:build js && wasm && !boards

package main

import (
	"syscall/js"

	"github.com/fastcorners/fast/border"
	"github.com/fastcorners/fast/warp"
)

// A scenery is what a camera sees that shakes before a photo.
type scenery struct {
	warper *warp.Warper
}

func (s *scenery) build() (err error) {
	s.warper, err = warp.New(warp.Options{Border: border.Reflect101})
	return err
}

// functions returns the functions of the object detector that the other program does not have.
func (s *session) functions() map[string]func(js.Value, []js.Value) any {
	return map[string]func(js.Value, []js.Value) any{
		"shake":    s.shake,
		"share":    s.share,
		"extract":  s.extract,
		"features": s.features,
		"adopt":    s.adopt,
	}
}

func (s *session) shake(_ js.Value, args []js.Value) any {
	p := &s.pictures[0]
	resize(p, args[0].Int(), args[1].Int())
	var a warp.Affine
	for i := range a {
		a[i] = args[2+i].Float()
	}
	s.warper.Gray(&p.gray, &s.pictures[2].gray, a)
	s.changed(0)
	return nil
}
