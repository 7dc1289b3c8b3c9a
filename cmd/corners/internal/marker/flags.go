package marker

import (
	"fmt"

	"github.com/fastcorners/fast/internal/program/cli"
	"github.com/fastcorners/fast/tag"
)

// A markerValue is the flag for a marker: its family and its ID.
type markerValue struct {
	kind tag.Kind // 0 if there is none
	id   int
}

func (v *markerValue) String() string {
	if v.kind == 0 {
		return ""
	}
	return fmt.Sprintf("%v:%d", v.kind, v.id)
}

func (v *markerValue) Set(text string) error {
	kind, id, given, err := cli.ParseMarker(text)
	if err != nil {
		return err
	}
	if last := (tag.Family{Kind: kind}).Len() - 1; !given || id < 0 || id > last {
		return fmt.Errorf("want %v, a colon, and an ID of 0 to %d", kind, last)
	}
	*v = markerValue{kind, id}
	return nil
}
