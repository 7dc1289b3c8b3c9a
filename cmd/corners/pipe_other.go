//go:build !unix

package main

func ignoreBrokenPipes() {}

func isBrokenPipe(error) bool { return false }
