//go:build !purego

package fast

import (
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/fastcorners/fast/internal/cpu"
	"github.com/stretchr/testify/require"
)

// TestRequiredFeatures compares the features that the assembly functions use, as
// their Requires lines say, with those that the rows ask for which have them.
func TestRequiredFeatures(t *testing.T) {
	// These are called by name.
	known := map[string][]cpu.Set{
		"widenSSE2":   {sse2Stages.needs, avx2Stages.needs},
		"widenAVX512": {avx512Stages.needs},
	}
	add := func(row any, needs cpu.Set) {
		for _, name := range functions(reflect.ValueOf(row).Elem()) {
			known[name] = append(known[name], needs)
		}
	}
	for _, k := range kernels {
		switch {
		case k.sieve != nil && k.sieve != portableStages:
			add(k.sieve, k.sieve.needs)
		case k.block != nil:
			add(k.block, k.block.needs)
		}
	}

	for _, st := range otherStages() {
		add(st, st.needs)
	}

	asm, err := os.ReadFile("simd_amd64.s")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^(?:// Requires: (.*)\n)?TEXT ·(\w+)\(`).FindAllStringSubmatch(string(asm), -1)
	require.NotEmpty(t, found)
	for _, m := range found {
		required, name := m[1], m[2]
		require.NotEmpty(t, known[name], "%s is in no table", name)
		for _, needs := range known[name] {
			for feature := range strings.SplitSeq(required, ", ") {
				if feature = featureName(feature); feature != "" {
					require.Contains(t, strings.Fields(needs.String()), feature, "%s is called without a look at this feature", name)
				}
			}
		}
		delete(known, name)
	}
	require.Empty(t, known, "there is no assembly for functions of the tables")
}

// otherStages returns the rows as they are on processors that choose differently.
func otherStages() []*stages {
	var list []*stages
	for _, screens := range [][2]func(*run){
		{screenAVX512, screen12AVX512},
		{screenTableAVX512, screenTable12AVX512},
	} {
		st := *avx512Stages
		st.screen, st.screen12 = screens[0], screens[1]
		list = append(list, &st)
	}
	return list
}

// functions returns the names of the functions in a row of a table.
func functions(v reflect.Value) []string {
	var names []string
	switch v.Kind() {
	case reflect.Func:
		path := runtime.FuncForPC(v.Pointer()).Name()
		names = append(names, path[strings.LastIndexByte(path, '.')+1:])
	case reflect.Struct:
		for i := range v.NumField() {
			names = append(names, functions(v.Field(i))...)
		}
	case reflect.Array:
		for i := range v.Len() {
			names = append(names, functions(v.Index(i))...)
		}
	}
	return names
}

// featureName returns what internal/cpu calls a feature as avo spells it, or
// nothing if every amd64 processor has the feature.
func featureName(feature string) string {
	switch feature {
	case "", "CMOV", "MMX", "MMX+", "SSE":
		return ""
	case "BMI":
		return "BMI1"
	}
	return feature
}
