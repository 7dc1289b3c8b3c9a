// Package asmtest has what the tests of packages with assembly share.
package asmtest

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

// RequireFeatures fails the test unless every assembly function in simd_amd64.s of the
// current directory is in a row of the given tables, and unless all rows that have it need
// the features that it uses. It takes these from the Requires lines that the generator
// writes. A table is a [cpu.Table], or any other slice of rows.
func RequireFeatures(t testing.TB, tables ...any) {
	t.Helper()
	needs := map[string][]cpu.Set{}
	for _, table := range tables {
		rows := reflect.ValueOf(table)
		for i := range rows.Len() {
			row := rows.Index(i)
			set := row.FieldByName("Needs").Interface().(cpu.Set)
			for _, name := range functions(row.FieldByName("Kernels")) {
				needs[name] = append(needs[name], set)
			}
		}
	}
	asm, err := os.ReadFile("simd_amd64.s")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^(?:// Requires: (.*)\n)?TEXT ·(\w+)\(`).FindAllStringSubmatch(string(asm), -1)
	require.NotEmpty(t, found)
	for _, m := range found {
		features, name := m[1], m[2]
		require.NotEmpty(t, needs[name], "%s is in no table", name)
		for _, set := range needs[name] {
			for feature := range strings.SplitSeq(features, ", ") {
				if feature = featureName(feature); feature != "" {
					require.Contains(t, strings.Fields(set.String()), feature, "%s is called without a look at this feature", name)
				}
			}
		}
	}
}

// RequireFirst fails the test unless the first row of a table has that name, and the
// processor can run it.
func RequireFirst[K any](t testing.TB, name string, table cpu.Table[K]) {
	t.Helper()
	require.Equal(t, name, table[0].Name)
	require.Same(t, &table[0].Kernels, table.Best())
}

// featureName returns what package cpu calls a feature as the generator spells it,
// or nothing if every amd64 processor has the feature.
func featureName(feature string) string {
	switch feature {
	case "", "CMOV", "MMX", "MMX+", "SSE":
		return ""
	case "BMI":
		return "BMI1"
	case "FMA3":
		return "FMA"
	}
	return feature
}

// functions returns the names of the functions in a value.
func functions(v reflect.Value) []string {
	var names []string
	switch v.Kind() {
	case reflect.Func:
		if v.IsNil() {
			break
		}
		path := runtime.FuncForPC(v.Pointer()).Name()
		names = append(names, path[strings.LastIndexByte(path, '.')+1:])
	case reflect.Struct:
		for i := range v.NumField() {
			names = append(names, functions(v.Field(i))...)
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			names = append(names, functions(v.Index(i))...)
		}
	}
	return names
}
