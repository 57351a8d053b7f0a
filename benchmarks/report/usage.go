package report

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A Usage is the processor time that was used until a moment.
type Usage struct {
	at    time.Time
	busy  time.Duration // by all processes
	own   time.Duration // by this one and its children that have ended
	steal time.Duration // by other guests of the hypervisor
}

// UsageNow returns what was used until now. What the system does not tell
// counts as zero.
func UsageNow() Usage {
	u := Usage{at: time.Now()}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if syscall.Getrusage(who, &r) == nil {
			u.own += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	text, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	u.busy, u.steal = parseStat(line)
	return u
}

// Since tells how many cores others have had since then: processes that are
// not this one's, nor its children that have ended, and other guests of the
// hypervisor. What children that still run have had is for the caller to say.
func (u Usage) Since(running time.Duration) (others, steal float64) {
	now := UsageNow()
	wall := max(now.at.Sub(u.at), time.Millisecond)
	cores := func(d time.Duration) float64 { return max(0, math.Round(100*float64(d)/float64(wall))/100) }
	return cores((now.busy - now.own) - (u.busy - u.own) - running), cores(now.steal - u.steal)
}

// parseStat reads the line of all processors in /proc/stat: user, nice,
// system, idle, iowait, irq, softirq and steal, in hundredths of a second.
func parseStat(line string) (busy, steal time.Duration) {
	words := strings.Fields(line)
	if len(words) < 9 || words[0] != "cpu" {
		return 0, 0
	}
	for i, word := range words[1:9] {
		n, _ := strconv.ParseInt(word, 10, 64)
		d := time.Duration(n) * 10 * time.Millisecond
		switch i {
		case 3, 4: // idle
		case 7:
			steal = d
		default:
			busy += d
		}
	}
	return busy, steal
}
