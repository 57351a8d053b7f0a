package sendfile

// This file makes every file fit for http.ServeContent, which seeks: to know the
// size, after it has guessed the type, and to where a range begins.

import (
	"io"
	"io/fs"
)

// seekable makes a file fit for http.ServeContent. One that can seek is handed
// on as it is, since net/http sends an *os.File without copying it. One that
// cannot even be read is an error now, when it can still be answered.
func seekable(file fs.File, size int64) (io.ReadSeeker, error) {
	if s, ok := file.(io.ReadSeeker); ok {
		if _, err := s.Seek(0, io.SeekStart); err == nil {
			var first [1]byte
			if _, err := s.Read(first[:]); err != nil && err != io.EOF {
				return nil, err
			}
			_, err := s.Seek(0, io.SeekStart)
			return s, err
		}
	}
	s := &stream{file: file, size: size, head: make([]byte, sniffed)}
	n, err := io.ReadFull(file, s.head)
	s.head, s.at = s.head[:n], int64(n)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return s, err
}

// A stream is a file that can only be read from front to back. It seeks forward
// by reading over what is not wanted, and back within its head. That is enough
// for http.ServeContent to guess the type and to send one range.
type stream struct {
	file fs.File
	head []byte // what the type is guessed from
	size int64
	at   int64 // where file stands
	want int64 // what is read next
}

func (s *stream) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += s.want
	case io.SeekEnd:
		offset += s.size
	}
	if offset < 0 {
		return 0, fs.ErrInvalid
	}
	s.want = offset
	return offset, nil
}

func (s *stream) Read(p []byte) (int, error) {
	if s.want < int64(len(s.head)) {
		n := copy(p, s.head[s.want:])
		s.want += int64(n)
		return n, nil
	}
	if s.want < s.at {
		return 0, fs.ErrInvalid // ServeContent does not go back
	}
	n, err := io.CopyN(io.Discard, s.file, s.want-s.at)
	s.at += n
	if err != nil {
		return 0, err
	}
	got, err := s.file.Read(p)
	s.at += int64(got)
	s.want = s.at
	return got, err
}
