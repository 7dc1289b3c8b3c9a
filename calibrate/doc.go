// Package calibrate finds chessboards in images and measures cameras with them.
package calibrate
