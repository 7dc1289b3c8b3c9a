package wasm

import (
	"encoding/hex"
	"math"
	"testing"
)

// TestSigned compares the encoding of signed numbers with examples.
func TestSigned(t *testing.T) {
	for n, want := range map[int64]string{
		0: "00", 63: "3f", 64: "c000", -1: "7f", -64: "40", -65: "bf7f", 128: "8001", -128: "807f",
		math.MaxInt32: "ffffffff07", math.MinInt32: "8080808078",
	} {
		if got := hex.EncodeToString(appendSigned(nil, n)); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// TestEncode compares a module with what the specification says of it.
func TestEncode(t *testing.T) {
	var m Module
	f := m.Function(I32, I32)
	x := f.Let(f.Local(0).Plus(200))
	f.If(x, func() { f.Set(x, Do("i32.and", x, Int(-1))) })
	f.Return(x)
	want := "0061736d01000000" + // magic and version
		"01060160017f017f" + // a type: from i32 to i32
		"020b0102676f036d656d020000" + // memory go.mem
		"03020100" + // a function of that type
		"070100" + // no exports
		"0a1c011a" + "01017f" + // its code, with one i32
		"200041c8016a2101" + "20010440" + "2001417f712101" + "0b" + "2001" + "0b"
	if got := hex.EncodeToString(m.Encode()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestMistakes checks that mistakes in a generator panic.
func TestMistakes(t *testing.T) {
	var m Module
	f := m.Function(none)
	for name, mistake := range map[string]func(){
		"unknown": func() { Do("i32.unknown") },
		"number":  func() { Do("i32.add", Int(1)) },
		"type":    func() { Do("i32.add", Int(1), Int64(1)) },
		"local":   func() { f.Set(Int(1), Int(1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			mistake()
		}()
	}
}
