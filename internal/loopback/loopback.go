// Package loopback finds free addresses for tests that start a program which
// listens on a given address.
package loopback

import (
	"fmt"
	"net"
	"os"
)

// Host is an address of this machine that no other process with tests takes.
// On 127.0.0.1 all of them share the ports: one that is free now may be
// somebody else's a moment later. Where 127.0.0.1 is the only one there is,
// it is that.
func Host() string {
	pid := os.Getpid()
	host := fmt.Sprintf("127.%d.%d.%d", 64+pid>>16&63, pid>>8&255, pid&255)
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "127.0.0.1"
	}
	l.Close()
	return host
}

// FreeAddr is an address with a port that nobody listens on.
func FreeAddr() (string, error) {
	l, err := net.Listen("tcp", Host()+":0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
