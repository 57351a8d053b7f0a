package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// wrk does not tell how each connection fared. This client does: it opens many
// and asks on each, again and again, until the time is up.

// A tally is what all connections saw.
type tally struct {
	Requests   int
	Unanswered int     // connections that never got an answer
	Slowest    float64 // request in ms, one that was still open at the end included
	P99        float64
}

// printClient is the process that e2e starts.
func printClient(target string, connections int, lasting time.Duration) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(drive(u, connections, lasting))
}

// ownClient starts this program again as the client.
func ownClient(sc scenario, addr string, lasting time.Duration) (tally, error) {
	self, err := os.Executable()
	if err != nil {
		return tally{}, err
	}
	args := pinned(clientCore, []string{self, "-client", "http://" + addr + sc.path(),
		"-client-connections", strconv.Itoa(sc.connections), "-client-duration", lasting.String()})
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return tally{}, fmt.Errorf("client: %w", err)
	}
	var t tally
	return t, json.Unmarshal(out, &t)
}

func drive(u *url.URL, connections int, lasting time.Duration) tally {
	request := []byte("GET " + u.Path + " HTTP/1.1\r\nHost: " + u.Host + "\r\n\r\n")
	end := time.Now().Add(lasting)
	seen := make([][]time.Duration, connections)
	open := make([]time.Duration, connections)
	var all sync.WaitGroup
	for i := range connections {
		all.Go(func() { seen[i], open[i] = connection(u.Host, request, end) })
	}
	all.Wait()
	var t tally
	var times []float64
	for i := range connections {
		if len(seen[i]) == 0 {
			t.Unanswered++
		}
		for _, d := range append(seen[i], open[i]) {
			t.Slowest = max(t.Slowest, milliseconds(d))
		}
		for _, d := range seen[i] {
			times = append(times, milliseconds(d))
		}
	}
	t.Requests, t.P99 = len(times), quantile(times, 0.99)
	return t
}

// connection asks until the end. It returns how long each answer took, and for
// how long the last request had been waiting when the end came.
func connection(host string, request []byte, end time.Time) (answered []time.Duration, waiting time.Duration) {
	started := time.Now()
	conn, err := net.DialTimeout("tcp", host, time.Until(end))
	if err != nil {
		return nil, time.Since(started)
	}
	defer conn.Close()
	conn.SetDeadline(end)
	for r := bufio.NewReader(conn); ; {
		started = time.Now()
		if _, err := conn.Write(request); err != nil {
			return answered, time.Since(started)
		}
		if err := readAnswer(r); err != nil {
			return answered, time.Since(started)
		}
		answered = append(answered, time.Since(started))
	}
}

// readAnswer reads a header and the body that it announces.
func readAnswer(r *bufio.Reader) error {
	length, chunked := -1, false
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true // there is no other
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	switch {
	case chunked:
		return readChunks(r)
	case length < 0:
		return fmt.Errorf("an answer without Content-Length")
	}
	_, err := r.Discard(length)
	return err
}

// readChunks reads a chunked body, to its end.
func readChunks(r *bufio.Reader) error {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return err
		}
		if _, err := r.Discard(int(size) + len("\r\n")); err != nil || size == 0 {
			return err
		}
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
