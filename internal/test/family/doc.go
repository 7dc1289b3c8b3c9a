// Package family tests what the public packages have in common: the rules that CONTRIBUTING.md and
// VERSIONING.md state, and one name for one thing. It has tests only.
package family
