package harris

// There is no assembly.
var instructionSets []*kernels
