//go:build !purego

package harris

//go:generate go -C ../_asm run ./harris

//go:noescape
func sumSSE2(r *sumRun)

//go:noescape
func respondHarrisSSE2(r *respondRun)

//go:noescape
func respondMinEigenvalueSSE2(r *respondRun)

//go:noescape
func respondRatioSSE2(r *respondRun)

//go:noescape
func sumAVX2(r *sumRun)

//go:noescape
func respondHarrisAVX2(r *respondRun)

//go:noescape
func respondMinEigenvalueAVX2(r *respondRun)

//go:noescape
func respondRatioAVX2(r *respondRun)

//go:noescape
func sumAVX512(r *sumRun)

//go:noescape
func respondHarrisAVX512(r *respondRun)

//go:noescape
func respondMinEigenvalueAVX512(r *respondRun)

//go:noescape
func respondRatioAVX512(r *respondRun)

//go:noescape
func peaksSSE2(r *peakRun)

//go:noescape
func peaksAVX2(r *peakRun)

//go:noescape
func peaksAVX512(r *peakRun)
