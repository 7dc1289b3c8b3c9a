package main

import (
	"github.com/fastcorners/fast/_asm/internal/layout"
	. "github.com/fastcorners/fast/_asm/internal/wasm"
)

// A metric is a way to measure distances, by words of eight bytes.
type metric struct {
	suffix string
	load   string // what loads a word
	words  int
	cells  bool // two words at a time have a bit each for the same cells
}

const (
	descriptorBytes = 32
	indexBits       = 21 // of a key
	indexMask       = 1<<indexBits - 1
)

// distances emits the functions that compare descriptors one by one, without vectors, which
// count bits more slowly.
func (b builder) distances() {
	metrics := []metric{{"", "i64.load", 4, false}, {"2", "i64.load", 4, true}, {"32", "i64.load32_u", 1, false}}
	for _, m := range metrics {
		b.find(m)
	}
	for _, m := range metrics[:2] {
		b.keys(m)
	}
}

// A comparison is a loop over the query descriptors of a run.
type comparison struct {
	*Function
	metric
	number Value // of the query descriptor
	query  []Value
}

// eachQuery begins a kernel and emits a loop over the query descriptors.
func (b builder) eachQuery(name string, m metric, do func(c *comparison)) {
	f := b.kernel(name+m.suffix, "findRun")
	if size := layout.Size(f.Element("queries")); size != descriptorBytes {
		panic("simd128: a descriptor of another size")
	}
	queries, count := f.Int("queries"), f.Len("queries")
	c := &comparison{Function: f, metric: m, number: f.Let(Int(0))}
	f.While(Do("i32.lt_s", c.number, count), func() {
		c.query = nil
		for i := range m.words {
			c.query = append(c.query, f.Let(Load(m.load, queries, 8*i)))
		}
		do(c)
		f.Advance(queries, descriptorBytes)
		f.Advance(c.number, 1)
	})
}

// eachKey emits a loop over the train descriptors, with the key of each.
func (c *comparison) eachKey(do func(key Value)) {
	packed, index := c.Int("packed"), c.Int("index")
	end := c.Let(sum(index, c.Len("index").Times(4)))
	c.While(Do("i32.ne", index, end), func() {
		differ := func(i int) Value { return Do("i64.xor", c.query[i], Load(c.load, packed, 8*i)) }
		var counts []Value
		for i := 0; i < c.words; i++ {
			bits := differ(i)
			if c.cells {
				i++
				bits = Do("i64.or", bits, differ(i))
			}
			counts = append(counts, Do("i64.popcnt", bits))
		}
		distance := Do("i32.wrap_i64", reduce("i64.add", counts[0], counts[1:]...))
		do(c.Let(Do("i32.or", Do("i32.shl", distance, Int(indexBits)), Load("i32.load", index, 0))))
		c.Advance(packed, descriptorBytes)
		c.Advance(index, 4)
	})
}

// find emits the function that finds the nearest train descriptors.
func (b builder) find(m metric) {
	b.eachQuery("find", m, func(c *comparison) {
		best, second := c.Let(Int(-1)), c.Let(Int(-1))
		columns := c.Int("columns")
		column := c.Let(sum(c.Int("firstQuery"), c.number))
		c.eachKey(func(key Value) {
			less := c.Let(Do("i32.lt_u", key, best))
			most := c.Let(Do("select", best, key, less))
			c.Set(second, Do("select", most, second, Do("i32.lt_u", most, second)))
			c.Set(best, Do("select", key, best, less))
			c.If(columns, func() {
				k := c.Let(Do("i32.or", Do("i32.and", key, Int(^indexMask)), column))
				c.If(Do("i32.lt_u", k, Load("i32.load", columns, 0)), func() { c.Store("i32.store", columns, 0, k) })
				c.Advance(columns, 4)
			})
		})
		c.Store("i32.store", sum(c.Int("best"), c.number.Times(4)), 0, best)
		seconds := c.Int("second")
		c.If(seconds, func() { c.Store("i32.store", sum(seconds, c.number.Times(4)), 0, second) })
	})
}

// keys emits the function that lists the keys of all train descriptors.
func (b builder) keys(m metric) {
	b.eachQuery("keys", m, func(c *comparison) {
		out := c.Let(sum(c.Int("keys"), Do("i32.mul", c.number, c.Len("index")).Times(4)))
		c.eachKey(func(key Value) {
			c.Store("i32.store", out, 0, key)
			c.Advance(out, 4)
		})
	})
}
