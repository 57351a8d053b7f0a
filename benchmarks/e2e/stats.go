package main

import (
	"math"
	"slices"
)

// quantile is the value that a share of all values do not exceed; 0 of none.
func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// median of an even number is the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// interval is where the true median lies with 95 % confidence, whatever the
// distribution is: between two of the sorted values, chosen by the binomial
// distribution. Fewer than six values have none, and give all they have.
func interval(values []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	k, tail, p := 0, 0.0, math.Pow(0.5, float64(n)) // p is the chance that k of n are below the median
	for tail+p <= 0.025 {
		tail += p
		p *= float64(n-k) / float64(k+1)
		k++
	}
	k = max(k, 1)
	return sorted[k-1], sorted[n-k]
}
