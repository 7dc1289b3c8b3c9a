package calibrate

import (
	"fmt"
	"strings"
)

// Fixed is a set of fields of the camera that a calibration does not change. Combine the constants
// with |. 0 is none of them.
type Fixed uint8

const (
	// FixAspect keeps the ratio of Fy to Fx: that of Options.Start, or 1 without it.
	FixAspect Fixed = 1 << iota
	// FixCenter keeps Cx and Cy: those of Options.Start, or the middle of the image without it.
	FixCenter
	// FixFocal keeps Fx and Fy of Options.Start, which it requires.
	FixFocal
	// FixTangential keeps P1 and P2: those of Options.Start, or 0 without it.
	FixTangential
)

// fixedNames are the names of the bits of Fixed, in their order.
var fixedNames = [...]string{"aspect", "center", "focal", "tangential"}

// noneFixed is the name of the empty set.
const noneFixed = "none"

// allFixed are all bits that have a name.
const allFixed Fixed = 1<<len(fixedNames) - 1

// String returns the names of what is fixed, such as "aspect,center", or "none".
func (f Fixed) String() string {
	if f&^allFixed != 0 {
		return fmt.Sprintf("Fixed(%d)", uint8(f))
	}
	var names []string
	for i, name := range fixedNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return noneFixed
	}
	return strings.Join(names, ",")
}

// MarshalText returns what String returns. It fails if there are bits without a name.
func (f Fixed) MarshalText() ([]byte, error) {
	if f&^allFixed != 0 {
		return nil, fmt.Errorf("calibrate: unknown Fixed %d", uint8(f))
	}
	return []byte(f.String()), nil
}

// UnmarshalText sets f to the set of the names in text, which commas separate, in any order. It fails
// if one of them is unknown.
func (f *Fixed) UnmarshalText(text []byte) error {
	if string(text) == noneFixed {
		*f = 0
		return nil
	}
	var set Fixed
	for name := range strings.SplitSeq(string(text), ",") {
		bit := bitOf(name)
		if bit == 0 {
			return fmt.Errorf("calibrate: unknown Fixed %q, not one of none, %s, or several with commas", text, strings.Join(fixedNames[:], ", "))
		}
		set |= bit
	}
	*f = set
	return nil
}

// bitOf returns the bit with a name, or 0.
func bitOf(name string) Fixed {
	for i, n := range fixedNames {
		if n == name {
			return 1 << i
		}
	}
	return 0
}
