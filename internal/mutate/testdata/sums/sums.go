// Package sums is changed by the tests of mutate: of every kind of change there
// is one, and of every kind of function that has to be called through.
package sums

const limit = 1 << 4

// Count counts what is no zero, up to the limit.
func Count(numbers ...int) (n int) {
	for i := 0; i < len(numbers) && n < limit; i++ {
		if numbers[i] == 0 {
			continue
		}
		n++
	}
	return n
}

// Larger returns the larger one; of two equal ones it does not matter which.
func Larger[T int | string](a, b T) T {
	if a < b {
		return b
	}
	return a
}

// A Sum adds up.
type Sum struct{ total int }

// Add adds, and tells whether the total is even.
func (s *Sum) Add(n int) (even bool) {
	switch {
	case n == 0:
		return !s.odd()
	default:
		s.total += n
	}
	return s.total&1 == 0
}

func (s Sum) odd() bool { return s.total%2 == 1 }

// Safe calls f and tells whether it panicked.
func Safe(f func()) (safe bool, _ error) {
	defer func() {
		if recover() != nil {
			safe = false
		}
	}()
	f()
	return true, nil
}

// Ignore has an argument without a name.
func Ignore(_ int, s string) string { return s }

// Down counts the steps down to 0.
func Down(n int64) (steps int) {
	for n != 0 {
		n--
		steps++
	}
	return steps
}

// Swap names an array's length in its signature, where it is no mutant.
func Swap(pair [2]int) [2]int { return [2]int{pair[1], pair[0]} }
