package harris

// These methods give tests the fields that only presets set.

func (o Options) QualityOfRange() bool { return o.qualityOfRange }
func (o Options) TopFirst() bool       { return o.topFirst }

func (o Options) WithQualityOfRange() Options {
	o.qualityOfRange = true
	return o
}

func (o Options) WithTopFirst() Options {
	o.topFirst = true
	return o
}
