package tag_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/fastcorners/fast/internal/test/tagtest"
	"github.com/fastcorners/fast/tag"
	"github.com/stretchr/testify/require"
)

// kinds are those whose dictionaries package tag has. The module tag/large tests the others.
var kinds = []tag.Kind{
	tag.Tag36h11, tag.Tag25h9, tag.Tag16h5, tag.Standard41h12, tag.ArUco4x4, tag.ArUco5x5, tag.ArUco6x6, tag.ArUco7x7,
	tag.ArUcoMIP36h12, tag.Tag36h10, tag.ArUcoOriginal, tag.Circle21h7,
}

// drawn has the number of markers of each dictionary, and the SHA-256 of the cells of all of them,
// by rows, a byte each that is 1 where it is white. They are those of the images that
// apriltag_to_image of AprilTag 3.3.0 returns, and those that drawMarker of OpenCV 4.6.0 draws with
// a pixel for a cell and borderBits 1, with a white border of one pixel added.
var drawn = []struct {
	kind tag.Kind
	n    int
	hash string
}{
	{tag.Tag36h11, 587, "833ba77db0efcc45dcdc02c15caa42af23a4b81c3823f7f7fdf292dd577a3a5c"},
	{tag.Tag25h9, 35, "7ec8c59b983f960182e0001cb2c5437529b775c011c75a18d52ebe10d6eee618"},
	{tag.Tag16h5, 30, "98d98498968c4d702f8e2e46b66c677d26ecd6415aed323ba10a6851a7279a3c"},
	{tag.Standard41h12, 2115, "78be84423277e1d4f8e87549ee48689544501989b6dec7348c347658719a9d47"},
	{tag.ArUco4x4, 1000, "20967c91a318fea45e41274644644ebf64c3e6ab96d50f31fc74ef6e5bb7d1df"},
	{tag.ArUco5x5, 1000, "ed43ea3245628b82625892b33b80b753b1c740c7d399488eb5909b195eadf012"},
	{tag.ArUco6x6, 1000, "30ae7870dc57a94715338a2b064b7b3920cc0a2c1c1823585a028d9d0978501e"},
	{tag.ArUco7x7, 1000, "ab4aa6671550c1a252775e5235ec4a089bead764369eccce745f68fd48e963b6"},
	{tag.Tag36h10, 2320, "5f50ab3cbd9c9d2844c36bab67c5c093ff13c0eefa7fb679854d0a1b060f9211"},
	{tag.ArUcoOriginal, 1024, "f4fca2b84c8fbf886ad647052dd0eaae89ca3c3f6889de2267955d067360e5da"},
	{tag.Circle21h7, 38, "d1e89b7ef04e218505a59a7e9d2d6f64e475c60723e06906733680b8da6d5cf1"},
}

// TestDrawings compares all markers with those of AprilTag and OpenCV.
func TestDrawings(t *testing.T) {
	for _, d := range drawn {
		tagtest.RequireDrawings(t, d.kind, d.n, d.hash)
	}
	require.Equal(t, 250, tag.Family{Kind: tag.ArUcoMIP36h12}.Len())
}

// TestKinds draws and finds markers of all kinds.
func TestKinds(t *testing.T) {
	for _, kind := range kinds {
		tagtest.RequireKind(t, kind)
	}
}

// TestChance compares the chances with the values of the documentation.
func TestChance(t *testing.T) {
	for _, c := range []struct {
		family    tag.Family
		corrected int
		chance    float64
	}{
		{tag.Family{}, 2, 2.3e-5},
		{tag.Family{Kind: tag.Tag25h9}, 2, 1.4e-3},
		{tag.Family{Kind: tag.Tag16h5}, 0, 1.8e-3},
		{tag.Family{Kind: tag.ArUco4x4}, 0, 6.1e-2},
		{tag.Family{Kind: tag.ArUco4x4, Codes: 50}, 0, 3.1e-3},
	} {
		require.InEpsilon(t, c.chance, c.family.Chance(c.corrected), 0.05, "%+v", c.family)
		require.Zero(t, c.family.Chance(-1))
	}
	require.Equal(t, 30*4.0, tag.Family{Kind: tag.Tag16h5}.Chance(math.MaxInt)) // every pattern, four times each
}

// TestFamilyPanics checks what the panics of wrong families and IDs say.
func TestFamilyPanics(t *testing.T) {
	for _, c := range []struct {
		family tag.Family
		text   string
	}{
		{tag.Family{Kind: 16}, "tag: Family.Kind is Kind(16), not one of default, tag36h11, tag25h9, tag16h5, standard41h12, aruco4x4, " +
			"aruco5x5, aruco6x6, aruco7x7, aruco-mip36h12, tag36h10, aruco-original, standard52h13, custom48h12, circle49h12, circle21h7"},
		{tag.Family{Codes: -1}, "tag: Family.Codes is -1, not 0 to 587 for Kind tag36h11"},
		{tag.Family{Codes: 588}, "tag: Family.Codes is 588, not 0 to 587 for Kind tag36h11"},
		{tag.Family{Border: -1}, "tag: Family.Border is -1, not 0 to 4"},
		{tag.Family{Border: 5}, "tag: Family.Border is 5, not 0 to 4"},
		{tag.Family{Kind: tag.Circle21h7, Border: 2}, "tag: Family.Border is 2, not 0 or 1 for Kind circle21h7"},
	} {
		require.EqualError(t, c.family.Check(), c.text)
		require.PanicsWithValue(t, c.text, func() { c.family.Len() })
		require.PanicsWithValue(t, c.text, func() { c.family.Chance(0) })
		require.PanicsWithValue(t, c.text, func() { c.family.White(0, 0, 0) })
	}
	f := tag.Family{Codes: 7}
	require.NoError(t, f.Check())
	require.Equal(t, 7, f.Len())
	require.PanicsWithValue(t, "tag: ID 7 is not in 0 to 6", func() { f.White(7, 0, 0) })
	require.PanicsWithValue(t, "tag: ID -1 is not in 0 to 6", func() { f.White(-1, 0, 0) })
}

// TestNotImported checks what a program is told that does not import the package of a dictionary.
func TestNotImported(t *testing.T) {
	for _, kind := range []tag.Kind{tag.Standard52h13, tag.Custom48h12, tag.Circle49h12} {
		f := tag.Family{Kind: kind}
		text := fmt.Sprintf("tag: Family.Kind is %v, not known without importing github.com/fastcorners/fast/tag/large/%v", kind, kind)
		require.EqualError(t, f.Check(), text)
		require.PanicsWithValue(t, text, func() { f.Len() })
	}
}

// TestKindNames checks the names of all kinds in JSON.
func TestKindNames(t *testing.T) {
	var all []tag.Kind
	for kind := tag.Tag36h11; kind <= tag.Circle21h7; kind++ {
		all = append(all, kind)
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.JSONEq(t, `["tag36h11","tag25h9","tag16h5","standard41h12","aruco4x4","aruco5x5","aruco6x6","aruco7x7","aruco-mip36h12",`+
		`"tag36h10","aruco-original","standard52h13","custom48h12","circle49h12","circle21h7"]`, string(text))
	var back []tag.Kind
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, all, back)
	require.Error(t, json.Unmarshal([]byte(`["36h11"]`), &back))
}
