package cpu

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"
)

// TestDetect checks that each feature is that of its name, and is there if only this one is.
func TestDetect(t *testing.T) {
	x86, arm64, found := reflect.ValueOf(&cpu.X86).Elem(), reflect.ValueOf(&cpu.ARM64).Elem(), 0
	for _, f := range features {
		for _, known := range []reflect.Value{x86, arm64} {
			if has := known.FieldByName("Has" + f.name); has.IsValid() {
				require.Same(t, has.Addr().Interface(), f.has, f.name)
				found++
			}
		}
		defer func(before bool) { *f.has = before }(*f.has)
		*f.has = false
	}
	require.Equal(t, len(features)-2, found) // NEON and SIMD128 are not there
	for i, f := range features {
		*f.has = true
		require.Equal(t, Set(1<<i), detect())
		*f.has = false
	}
}

// TestHas checks that a set is there only when all of its features are.
func TestHas(t *testing.T) {
	defer func(before Set) { available = before }(available)
	const all = VBMI2 | VPOPCNTDQ | AVX512VNNI | AVX2FMA | DotProd | SIMD128
	available = all
	require.True(t, Has(all))
	for i := range features {
		available = all &^ (1 << i)
		require.False(t, Has(all), "without %v", Set(1<<i))
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
	require.Equal(t, "BMI2 AVX512F AVX512BW AVX512VL AVX512DQ", (AVX512 &^ AVX2).String())
	require.Equal(t, "FMA", (AVX2FMA &^ AVX2).String())
	require.Equal(t, "AVX512VNNI", (AVX512VNNI &^ AVX512).String())
	require.Equal(t, "AVX512VPOPCNTDQ", (VPOPCNTDQ &^ AVX512).String())
	require.Equal(t, "NEON", NEON.String())
	require.Equal(t, "NEON ASIMDDP", DotProd.String())
	require.Equal(t, "SIMD128", SIMD128.String())
	require.Len(t, features, 18)
}
