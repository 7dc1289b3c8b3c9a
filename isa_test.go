//go:build amd64 && !purego

package fast_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fastcorners/fast"
	"github.com/stretchr/testify/require"
)

// TestRequiredFeatures compares the CPU features that the assembly functions
// use, as their Requires lines say, with those that are known to be there
// wherever the functions are called.
func TestRequiredFeatures(t *testing.T) {
	code := parseCode(t)
	asm, err := os.ReadFile("simd_amd64.s")
	require.NoError(t, err)
	texts := regexp.MustCompile(`(?m)^TEXT ·(\w+)\(`).FindAllSubmatch(asm, -1)
	require.NotEmpty(t, texts)
	required := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^// Requires: (.*)\nTEXT ·(\w+)\(`).FindAllSubmatch(asm, -1) {
		required[string(m[2])] = string(m[1])
	}
	require.NotEmpty(t, required)
	for _, m := range texts {
		name := string(m[1])
		known, called := code.known(name, nil)
		require.True(t, called, "%s is not called", name)
		for feature := range strings.SplitSeq(required[name], ", ") {
			if feature = fieldName(feature); feature != "" {
				require.Contains(t, known, feature, "%s is called without a look at this feature", name)
			}
		}
	}
}

// fieldName returns the field of cpu.X86 for a feature as avo spells it, or
// nothing if every amd64 processor has the feature.
func fieldName(feature string) string {
	switch feature {
	case "", "CMOV", "MMX", "MMX+", "SSE", "SSE2":
		return ""
	case "BMI":
		return "HasBMI1"
	}
	return "Has" + strings.ReplaceAll(feature, ".", "")
}

// code is what the source says about calls and the features they rely on.
type code struct {
	calls    map[string][]call          // by the name of the function called
	flags    map[string]map[string]bool // the features that haveAVX2 and its like stand for
	isas     map[string]string          // by the name of a kernel
	isaFlags map[string]string          // by the name of an instruction set
}

// A call is the place of a function call.
type call struct {
	caller string     // the function that it is in
	stack  []ast.Node // the nodes around it, outermost first
}

// parseCode parses the package for amd64.
func parseCode(t *testing.T) *code {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	c := &code{map[string][]call{}, map[string]map[string]bool{}, map[string]string{}, map[string]string{}}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_generic.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			c.add(decl)
		}
	}
	require.NotEmpty(t, c.flags)
	require.NotEmpty(t, c.isaFlags)
	require.NotEmpty(t, c.isas)
	return c
}

// add notes what is in a declaration.
func (c *code) add(decl ast.Decl) {
	caller := ""
	if fn, ok := decl.(*ast.FuncDecl); ok {
		caller = fn.Name.Name
	}
	ast.PreorderStack(decl, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch fn := n.Fun.(type) {
			case *ast.Ident:
				name = fn.Name
			case *ast.SelectorExpr:
				name = fn.Sel.Name
			}
			c.calls[name] = append(c.calls[name], call{caller, append(slices.Clone(stack), n)})
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if isFlag(name.Name) && i < len(n.Values) {
					c.flags[name.Name] = c.features(n.Values[i])
				}
			}
		case *ast.KeyValueExpr:
			// An entry of the table of kernels: the isa is an identifier of
			// its own, or the value of a field.
			if kernel, ok := n.Key.(*ast.Ident); ok && isKernel(kernel.Name) {
				for _, elt := range n.Value.(*ast.CompositeLit).Elts {
					if kv, ok := elt.(*ast.KeyValueExpr); ok {
						elt = kv.Value
					}
					if isa, ok := elt.(*ast.Ident); ok {
						c.isas[kernel.Name] = isa.Name
					}
				}
			}
		case *ast.ReturnStmt:
			// case avx2: return haveAVX2
			clause, ok := stack[len(stack)-1].(*ast.CaseClause)
			if !ok || caller != "supported" || len(n.Results) != 1 {
				break
			}
			if flag, ok := n.Results[0].(*ast.Ident); ok {
				for _, isa := range clause.List {
					c.isaFlags[isa.(*ast.Ident).Name] = flag.Name
				}
			}
		}
		return true
	})
}

// isFlag reports whether a variable says which features there are.
func isFlag(name string) bool { return strings.HasPrefix(name, "have") }

// isKernel reports whether name is that of a constant of type Kernel.
func isKernel(name string) bool {
	return regexp.MustCompile(`^[A-Z0-9]+(Block|Sieve)`).MatchString(name)
}

// features returns the features that are there where cond is true. Only
// conjunctions say anything.
func (c *code) features(cond ast.Expr) map[string]bool {
	known := map[string]bool{}
	switch cond := cond.(type) {
	case *ast.ParenExpr:
		return c.features(cond.X)
	case *ast.BinaryExpr:
		switch cond.Op {
		case token.LAND:
			maps.Copy(known, c.features(cond.X))
			maps.Copy(known, c.features(cond.Y))
		case token.EQL:
			maps.Copy(known, c.features(cond.Y))
		}
	case *ast.SelectorExpr:
		known[cond.Sel.Name] = true
	case *ast.Ident:
		switch {
		case isFlag(cond.Name):
			maps.Copy(known, c.flags[cond.Name])
		case isKernel(cond.Name):
			maps.Copy(known, c.flags[c.isaFlags[c.isas[cond.Name]]])
		default: // an instruction set, or nothing of interest
			maps.Copy(known, c.flags[c.isaFlags[cond.Name]])
		}
	}
	return known
}

// clauseFeatures returns the features that are there in a clause of a switch.
// Where the clause names no instruction set but others do, it is for those of
// the sieve kernels that are left.
func (c *code) clauseFeatures(clause *ast.CaseClause, body *ast.BlockStmt) map[string]bool {
	if len(clause.List) > 0 {
		known := c.features(clause.List[0])
		for _, other := range clause.List[1:] {
			intersect(known, c.features(other))
		}
		if len(known) > 0 {
			return known
		}
	}
	named, namesOne := map[string]bool{}, false
	for _, other := range body.List {
		for _, expr := range other.(*ast.CaseClause).List {
			ast.Inspect(expr, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && c.isaFlags[id.Name] != "" {
					named[id.Name] = true
					namesOne = namesOne || other == clause
				}
				return true
			})
		}
	}
	var known map[string]bool
	for kernel, isa := range c.isas {
		if len(named) == 0 || namesOne || named[isa] || !strings.HasSuffix(kernel, "Sieve") {
			continue
		}
		if known == nil {
			known = maps.Clone(c.flags[c.isaFlags[isa]])
		}
		intersect(known, c.flags[c.isaFlags[isa]])
	}
	return known
}

// intersect removes from a what is not in b.
func intersect(a, b map[string]bool) {
	maps.DeleteFunc(a, func(key string, _ bool) bool { return !b[key] })
}

// known returns the features that are there at every call of a function, by
// the conditions around the calls and around those of the callers, and whether
// there is a call. Calls by the functions in callers, which lead back to
// themselves, do not count.
func (c *code) known(name string, callers []string) (features map[string]bool, called bool) {
	callers = append(slices.Clip(callers), name)
	for _, call := range c.calls[name] {
		if slices.Contains(callers, call.caller) {
			continue
		}
		here, _ := c.known(call.caller, callers)
		here = maps.Clone(here)
		if here == nil {
			here = map[string]bool{}
		}
		for i, n := range call.stack[:len(call.stack)-1] {
			switch n := n.(type) {
			case *ast.IfStmt:
				if call.stack[i+1] == n.Body {
					maps.Copy(here, c.features(n.Cond))
				}
			case *ast.CaseClause:
				maps.Copy(here, c.clauseFeatures(n, call.stack[i-1].(*ast.BlockStmt)))
			}
		}
		if !called {
			features = here
		}
		called = true
		intersect(features, here)
	}
	return features, called
}

// absentEnv holds, in a child process of TestFeaturesOff, the prefixes of the
// kernels that must be missing.
const absentEnv = "FAST_TEST_ABSENT"

// TestAbsent checks that the kernels are missing that TestFeaturesOff
// took the features from.
func TestAbsent(t *testing.T) {
	prefixes := os.Getenv(absentEnv)
	if prefixes == "" {
		t.Skip("only for child processes of TestFeaturesOff")
	}
	for prefix := range strings.SplitSeq(prefixes, ",") {
		require.Empty(t, kernelsOf(prefix))
	}
}

// kernelsOf returns the kernels of this processor with a prefix.
func kernelsOf(prefix string) []fast.Kernel {
	return slices.DeleteFunc(fast.Kernels(), func(k fast.Kernel) bool { return !strings.HasPrefix(k.String(), prefix) })
}

// TestFeaturesOff runs tests once more in processes in which CPU features are
// switched off, as on processors without them. Each switch clears one feature
// only, so the kernels must be missing that use others besides.
func TestFeaturesOff(t *testing.T) {
	if raceEnabled() {
		t.Skip("there is no other concurrency than in the other tests")
	}
	exe, err := os.Executable()
	require.NoError(t, err)
	for _, test := range []struct{ feature, absent string }{
		{"avx2", "avx2,avx512"},
		{"avx512f", "avx512"},
		{"avx512bw", "avx512"},
		{"avx512vbmi2", "avx512-sieve"},
	} {
		t.Run(test.feature, func(t *testing.T) {
			if len(kernelsOf("avx")) == 0 {
				t.Skip("this processor has none of these features")
			}
			t.Parallel()
			cmd := exec.Command(exe, "-test.v", "-test.short", "-test.run=^(TestAbsent|TestSizes|TestLarge|TestAuto|TestAllocs|TestGolden)$")
			cmd.Env = append(os.Environ(), absentEnv+"="+test.absent, "GODEBUG=cpu."+test.feature+"=off")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), "--- PASS: TestAbsent")
			require.Contains(t, string(out), "--- PASS: TestSizes")
		})
	}
}
