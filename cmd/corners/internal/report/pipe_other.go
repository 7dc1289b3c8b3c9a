//go:build !unix

package report

func IgnoreBrokenPipes() {}

func isBrokenPipe(error) bool { return false }
