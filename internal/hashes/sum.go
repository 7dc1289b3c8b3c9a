package hashes

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
)

// A sum counts and hashes results. Numbers are hashed in an order of bytes that is the same
// on every platform.
type sum struct {
	hash    hash.Hash
	pending []byte // not hashed yet
	results int
}

func newSum() *sum {
	return &sum{hash: sha256.New()}
}

// result begins another result.
func (s *sum) result() *sum {
	s.results++
	if len(s.pending) > 1<<15 {
		s.flush()
	}
	return s
}

func (s *sum) flush() {
	s.hash.Write(s.pending)
	s.pending = s.pending[:0]
}

// hex returns the first 16 digits of the hash of all that was added.
func (s *sum) hex() string {
	s.flush()
	return hex.EncodeToString(s.hash.Sum(nil)[:8])
}

func (s *sum) bytes(list []byte) *sum {
	s.pending = append(s.pending, list...)
	return s
}

func (s *sum) integers(list ...int32) *sum {
	for _, v := range list {
		s.pending = binary.LittleEndian.AppendUint32(s.pending, uint32(v))
	}
	return s
}

// floats adds numbers. All that are not numbers are equal, since their bits mean nothing.
func (s *sum) floats(list ...float32) *sum {
	for _, v := range list {
		s.doubles(float64(v))
	}
	return s
}

// doubles is floats for twice as many bits.
func (s *sum) doubles(list ...float64) *sum {
	for _, v := range list {
		bits := math.Float64bits(v)
		if v != v {
			bits = math.MaxUint64
		}
		s.pending = binary.LittleEndian.AppendUint64(s.pending, bits)
	}
	return s
}

func (s *sum) bool(b bool) *sum {
	if b {
		return s.integers(1)
	}
	return s.integers(0)
}

// each adds every element of a list as a result.
func each[T any](s *sum, list []T, add func(*sum, T)) {
	for _, v := range list {
		add(s.result(), v)
	}
}
