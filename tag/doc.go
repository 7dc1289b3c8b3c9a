// Package tag finds AprilTag and ArUco markers in images, tells where they are to a few hundredths of
// a pixel, and draws them.
package tag
