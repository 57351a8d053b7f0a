package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// A wrkResult is the line that wrk.lua prints.
type wrkResult struct {
	requests float64
	lasted   time.Duration
	errors   int     // connect, read, write, status and timeout together
	p99, max float64 // ms
}

func runWrk(sc scenario, addr string, lasting time.Duration) (wrkResult, error) {
	threads, connections := sc.threadsAndConnections()
	args := []string{"wrk", "-t" + strconv.Itoa(threads), "-c" + strconv.Itoa(connections),
		fmt.Sprintf("-d%ds", max(1, int(lasting.Seconds()))), "--timeout", "30s", "-s", script}
	if sc.closes {
		args = append(args, "-H", "Connection: close")
	}
	args = append(args, "http://"+addr+sc.path(), "--", strconv.Itoa(sc.inTurn()))
	if !sc.unpinned {
		args = pinned(clientCore, args)
	}
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		return wrkResult{}, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return parseWrk(string(out))
}

func parseWrk(out string) (wrkResult, error) {
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) != 10 || words[0] != "e2e" {
			continue
		}
		var n [9]float64
		for i, word := range words[1:] {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return wrkResult{}, fmt.Errorf("wrk: %w", err)
			}
			n[i] = v
		}
		return wrkResult{
			requests: n[0], lasted: time.Duration(n[1]) * time.Microsecond,
			errors: int(n[2] + n[3] + n[4] + n[5] + n[6]), p99: n[7] / 1000, max: n[8] / 1000,
		}, nil
	}
	return wrkResult{}, fmt.Errorf("wrk printed no result:\n%s", out)
}
