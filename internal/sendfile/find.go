package sendfile

// This file finds the file that a name stands for, and says which names can have
// a file. It stands on io/fs alone.

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"
)

// A Found is what a tree has for a name. The name is that of a path without its
// final slash: "." for the tree's root, and "" if there can be no such file.
type Found struct {
	Tree *Tree
	Name string

	file string // what is sent without a final slash, "" for nothing
	page string // what is sent with a final slash, "" for nothing
}

// With returns the file that is sent for the path in one spelling, "" for none.
func (f Found) With(slash bool) string {
	if slash {
		return f.page
	}
	return f.file
}

// Find returns what a name stands for. It calls the file system three times at
// most. A name that the file system fails to tell of counts as found: what becomes
// of it is an error, and not another route's page.
func (t *Tree) Find(name string) Found {
	found := Found{Tree: t, Name: name}
	if name == "" {
		return found
	}
	page, dir := path.Join(name, "index.html"), name == "."
	if !dir {
		info, err := fs.Stat(t.FS, name)
		switch {
		case err != nil && !missing(name, err):
			found.file, found.page = name, page
			return found
		case err == nil && info.Mode().IsRegular():
			found.file = name
			return found
		}
		dir = err == nil && info.IsDir()
		if t.Extension != "" && t.has(name+t.Extension) {
			found.file = name + t.Extension
		}
	}
	if dir && t.has(page) {
		found.page = page
	}
	return found
}

// has reports whether a name is a regular file's, or one that the file system
// fails to tell of.
func (t *Tree) has(name string) bool {
	info, err := fs.Stat(t.FS, name)
	if err != nil {
		return !missing(name, err)
	}
	return info.Mode().IsRegular()
}

// missing reports whether an error of the file system only says that there is
// no such file. Systems have errors of their own for a file where a directory
// should be and for a name that is too long, Windows more than one for the latter.
func missing(name string, err error) bool {
	for _, target := range []error{fs.ErrNotExist, fs.ErrInvalid, syscall.ENOTDIR, syscall.ENAMETOOLONG} {
		if errors.Is(err, target) {
			return true
		}
	}
	return slices.ContainsFunc(strings.Split(name, "/"), func(elem string) bool { return len(elem) > 255 })
}

// Valid reports whether a name can have a file that may be sent. No part of it is
// hidden, leads to another directory, or means another name to the system.
func Valid(name string) bool {
	for elem := range strings.SplitSeq(name, "/") {
		if !servable(elem) {
			return false
		}
	}
	return utf8.ValidString(name)
}

// servable reports whether a part of a name may be sent.
func servable(elem string) bool {
	return elem != "" && elem[0] != '.' && !strings.ContainsAny(elem, "/\\\x00") &&
		(runtime.GOOS != "windows" || servableOnWindows(elem) && filepath.IsLocal(elem)) // IsLocal knows the devices
}

// servableOnWindows refuses what Windows takes for another name than it seems
// to be, and what it fails on.
func servableOnWindows(elem string) bool {
	for i := range len(elem) {
		if elem[i] < ' ' || strings.IndexByte(`:<>"|?*`, elem[i]) >= 0 {
			return false
		}
	}
	if i := strings.LastIndexByte(elem, '~'); i >= 0 && i+1 < len(elem) && elem[i+1] >= '0' && elem[i+1] <= '9' {
		return false // perhaps the short name of another
	}
	return strings.TrimRight(elem, ". ") == elem
}
