package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

// What is written is what package encoding/json reads.
func TestJSONObject(t *testing.T) {
	texts := []string{"", "plain", `"\/`, "\x00\t\n\x1f\x7f", "äß 漢 😀\u2028\u202e", "\xff\xfe bad"}
	floats := []float64{0, 1, -1.5, 1e300, 5e-324, math.MaxFloat32, 1.0 / 3}
	var text strings.Builder
	require.NoError(t, WriteObject(t.Context(), &text, func(o *Object) {
		o.List("texts", len(texts), func(i int, o *Object) { o.Add(texts[i], texts[i]) })
		o.List("floats", len(floats), func(i int, o *Object) {
			o.Add("double", floats[i])
			o.Add("single", float32(1/(1+math.Abs(floats[i]))))
		})
		o.Object("others", func(o *Object) {
			o.Add("int", math.MinInt32)
			o.Add("int32", int32(math.MaxInt32))
			o.Add("uint8", uint8(200))
			o.Add("bool", true)
			o.Add("null", nil)
			o.Add("stringer", fast.Scalar)
			o.Object("empty", func(*Object) {})
			o.List("none", 0, nil)
			o.Numbers("numbers", floats)
			o.Rows("rows", floats[1:])
		})
	}))
	var got struct {
		Texts  []map[string]string
		Floats []struct {
			Double float64
			Single float32
		}
		Others map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(text.String()), &got))
	for i, text := range texts {
		text = strings.ToValidUTF8(text, "\ufffd")
		if i == len(texts)-1 {
			text = "\ufffd\ufffd bad" // one for each byte
		}
		require.Equal(t, map[string]string{text: text}, got.Texts[i])
	}
	for i, f := range floats {
		require.Equal(t, f, got.Floats[i].Double)
		require.Equal(t, float32(1/(1+math.Abs(f))), got.Floats[i].Single)
	}
	require.Equal(t, map[string]any{
		"int": float64(math.MinInt32), "int32": float64(math.MaxInt32), "uint8": 200.0, "bool": true, "null": nil,
		"stringer": "scalar", "empty": map[string]any{}, "none": []any{},
		"numbers": []any{0.0, 1.0, -1.5, 1e300, 5e-324, math.MaxFloat32, 1.0 / 3}, "rows": []any{[]any{1.0, -1.5, 1e300}, []any{5e-324, math.MaxFloat32, 1.0 / 3}},
	}, got.Others)
}
