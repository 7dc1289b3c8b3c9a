package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fastcorners/fast/internal/option"
)

// fieldFlags are the fields of Options that a package may refuse although the value of the
// flag is in its interval, with the flags.
var fieldFlags = [][2]string{
	{"Options.ArcLength", "-arc"},
	{"Options.CircleRadius", "-radius"},
	{"Options.KernelSizes", "-kernel-size"},
	{"Options.Kernel", "-kernel"},
	{"Options.BlockSize", "-window"}, // of method lococo
	{"Options.ScaleFactor", "-scale"},
	{"Options.Levels", "-levels"},
	{"Options.FirstLevel", "-first-level"},
	{"Options.Features", "-features"},
	{"Options.EdgeThreshold", "-edge"},
	{"Options.PatchSize", "-patch"},
	{"Options.Layers", "-layers"},
	{"Options.Edge", "-edge-ratio"},
	{"Options.Sigma", "-sigma"},
	{"Options.Distortion", "-distortion"},
	{"FinderOptions.Columns", "-board"},
	{"FinderOptions.Rows", "-board"},
	{"Chessboard.Columns", "-draw"},
	{"Chessboard.Rows", "-draw"},
	{"Family.Border", "-border"},
	{"Sheet.Columns", "-sheet"},
	{"Sheet.Rows", "-sheet"},
	{"Sheet.Gap", "-gap"},
	{"NoDoubling true", "-doubling=false"},
	{"NoDoubling false", "-doubling"},
}

// Text returns the text of an error of a command line. Where a package has refused a field of its
// Options, that is the flag.
func Text(err error) string {
	var o *option.Error
	if !errors.As(err, &o) {
		return err.Error()
	}
	text := fmt.Sprintf("invalid value %v for flag %s: want %s", o.Value, o.Field, o.Want)
	for _, f := range fieldFlags {
		text = strings.ReplaceAll(text, f[0], f[1])
	}
	return text
}
