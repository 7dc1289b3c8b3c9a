//go:build !amd64 || purego

package cpu

const intel, prefetchw = false, false
