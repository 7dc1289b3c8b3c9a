package option

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestError(t *testing.T) {
	var err error = &Error{"harris", "Options.BlockSize", 40, "1 to 31"}
	require.EqualError(t, err, "harris: Options.BlockSize is 40, not 1 to 31")
	var e *Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, "Options.BlockSize", e.Field)
}

// TestFields checks that the Error of a field names it together with its type.
func TestFields(t *testing.T) {
	err := Fields{"harris", "RefinerOptions"}.OutOfRange("Epsilon", -1.5, "0 to 100")
	require.Equal(t, &Error{"harris", "RefinerOptions.Epsilon", -1.5, "0 to 100"}, err)
}

func TestMade(t *testing.T) {
	Made(true).Require("harris", "Detector", "New")
	require.PanicsWithValue(t, "harris: Refiner not made by NewRefiner", func() { Made(false).Require("harris", "Refiner", "NewRefiner") })
}

// TestEnum checks that names and values belong together, and that others are refused.
func TestEnum(t *testing.T) {
	type color uint8
	colors := Enum[color]{"default", "red", "green"}
	for i, name := range colors {
		require.Equal(t, name, colors.String(color(i)))
		text, err := colors.MarshalText(color(i))
		require.NoError(t, err)
		require.Equal(t, name, string(text))
		var c color
		require.NoError(t, colors.UnmarshalText(&c, text))
		require.Equal(t, color(i), c)
	}
	require.Equal(t, "color(3)", colors.String(3))
	_, err := colors.MarshalText(3)
	require.EqualError(t, err, "option: unknown color 3")
	c := color(2)
	require.EqualError(t, colors.UnmarshalText(&c, []byte("Red")), `option: unknown color "Red", not one of default, red, green`)
	require.Equal(t, color(2), c)
}
