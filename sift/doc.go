// Package sift finds and describes the keypoints of D. Lowe.
package sift
