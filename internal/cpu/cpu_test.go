package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHas checks that a set is there only when all of its features are.
func TestHas(t *testing.T) {
	defer func(before Set) { available = before }(available)
	available = VBMI2
	require.True(t, Has(VBMI2))
	for rest := VBMI2; rest != 0; rest &= rest - 1 {
		feature := rest & -rest
		available = VBMI2 &^ feature
		require.False(t, Has(VBMI2), "without %v", feature)
	}
	available = 0
	require.True(t, Has(0))
	require.False(t, Has(SSE2))
}

// TestLimit checks that a limit hides features, adds none and can be undone.
func TestLimit(t *testing.T) {
	before := available
	restore := Limit(SSE2)
	require.Equal(t, before&SSE2, available)
	again := Limit(VBMI2)
	require.Equal(t, before&SSE2, available)
	again()
	restore()
	require.Equal(t, before, available)
}

// TestString checks the names, which come in the order of the constants.
func TestString(t *testing.T) {
	require.Empty(t, Set(0).String())
	require.Equal(t, "SSE2 AVX AVX2 BMI1 POPCNT", AVX2.String())
	require.Equal(t, "AVX512VBMI AVX512VBMI2", (VBMI2 &^ AVX512).String())
	require.Len(t, features, 13)
}
