package files

// This file counts what a request asks of a file system.

import (
	"io"
	"io/fs"
)

// A counter is a file system that counts its calls. It does what both kinds in
// memory have in common for files; directories are read by its ReadDir alone.
type counter struct {
	fs.FS
	lookups int // Open, Stat, ReadDir and ReadFile: calls with a name
	calls   int // of what Open returned
}

func (c *counter) Open(name string) (fs.File, error) {
	c.lookups++
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return &file{f, c}, nil
}

func (c *counter) Stat(name string) (fs.FileInfo, error) {
	c.lookups++
	return fs.Stat(c.FS, name)
}

func (c *counter) ReadDir(name string) ([]fs.DirEntry, error) {
	c.lookups++
	return fs.ReadDir(c.FS, name)
}

func (c *counter) ReadFile(name string) ([]byte, error) {
	c.lookups++
	return fs.ReadFile(c.FS, name)
}

type file struct {
	fs.File
	counter *counter
}

func (f *file) Stat() (fs.FileInfo, error) {
	f.counter.calls++
	return f.File.Stat()
}

func (f *file) Read(b []byte) (int, error) {
	f.counter.calls++
	return f.File.Read(b)
}

func (f *file) Seek(offset int64, whence int) (int64, error) {
	f.counter.calls++
	return f.File.(io.Seeker).Seek(offset, whence)
}

func (f *file) Close() error {
	f.counter.calls++
	return f.File.Close()
}
