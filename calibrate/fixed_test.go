package calibrate

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFixed checks the text forms.
func TestFixed(t *testing.T) {
	for f := range allFixed + 1 {
		text, err := f.MarshalText()
		require.NoError(t, err)
		require.Equal(t, f.String(), string(text))
		var again Fixed
		require.NoError(t, again.UnmarshalText(text))
		require.Equal(t, f, again)
	}
	require.Equal(t, "none", Fixed(0).String())
	require.Equal(t, "aspect,center", (FixCenter | FixAspect).String())
	require.Equal(t, "aspect,center,focal,tangential", allFixed.String())
	require.Equal(t, "Fixed(17)", Fixed(17).String())
	_, err := Fixed(17).MarshalText()
	require.EqualError(t, err, "calibrate: unknown Fixed 17")
	f := FixFocal
	require.EqualError(t, f.UnmarshalText([]byte("center,middle")), `calibrate: unknown Fixed "center,middle", not one of none, aspect, center, focal, tangential, or several with commas`)
	require.Error(t, f.UnmarshalText(nil))
	require.Equal(t, FixFocal, f)
	require.NoError(t, f.UnmarshalText([]byte("tangential,center")))
	require.Equal(t, FixCenter|FixTangential, f)
	data, err := json.Marshal(struct{ Fixed Fixed }{FixAspect})
	require.NoError(t, err)
	require.JSONEq(t, `{"Fixed":"aspect"}`, string(data))
}
