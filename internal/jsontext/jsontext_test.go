package jsontext

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAppendString checks that package encoding/json reads what AppendString writes.
func TestAppendString(t *testing.T) {
	require.Equal(t, `"a b~ä"`, string(AppendString(nil, "a b~ä")), "what needs no escape has none")
	for _, s := range []string{"", "a", `"\/`, "\x00\x1f\x20\n", "äß€😀", "\u2028<&>", "\xff\xfe", "a\xc0b"} {
		text := AppendString([]byte("x"), s)
		require.Equal(t, byte('x'), text[0])
		var got string
		require.NoError(t, json.Unmarshal(text[1:], &got), "%q", s)
		require.Equal(t, strings.ToValidUTF8(strings.ReplaceAll(s, "\xff\xfe", "\ufffd\ufffd"), "\ufffd"), got)
	}
}
