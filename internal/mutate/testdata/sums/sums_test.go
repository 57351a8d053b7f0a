package sums

import "testing"

func TestCount(t *testing.T) {
	many := make([]int, 2*limit)
	for i := range many {
		many[i] = i
	}
	if Count() != 0 || Count(1, 0, 2) != 2 || Count(many...) != 16 {
		t.Error("wrong count")
	}
}

func TestLarger(t *testing.T) {
	if Larger(1, 2) != 2 || Larger("b", "a") != "b" {
		t.Error("not the larger one")
	}
}

func TestAdd(t *testing.T) {
	var s Sum
	if s.Add(1) || s.Add(0) || !s.Add(1) || !s.Add(0) || s.Add(3) || s.total != 5 {
		t.Error("wrong sum")
	}
}

func TestSafe(t *testing.T) {
	called := false
	if safe, err := Safe(func() { called = true }); !safe || err != nil || !called {
		t.Error("not safe")
	}
	if safe, _ := Safe(func() { panic("no") }); safe {
		t.Error("safe")
	}
}

func TestDown(t *testing.T) {
	if Down(3) != 3 {
		t.Error("wrong number of steps")
	}
}

func TestSwap(t *testing.T) {
	if Swap([2]int{1, 2}) != [2]int{2, 1} {
		t.Error("not swapped")
	}
}
