package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"

	_ "modernc.org/sqlite" // SQLite in Go: nothing to install, nothing to start

	"github.com/segue-go/segue"
)

type note struct {
	ID      int64     `json:"id"`
	Title   string    `json:"title"`
	Text    string    `json:"text"`
	Changed time.Time `json:"changed"`
}

// check says what a client should have sent.
func (n note) check() error {
	switch {
	case n.Title == "":
		return segue.Errorf(http.StatusUnprocessableEntity, "a note needs a title")
	case len(n.Title) > 200:
		return segue.Errorf(http.StatusUnprocessableEntity, "a title has at most 200 bytes, this one has %d", len(n.Title))
	}
	return nil
}

// errNoNote knows nothing of HTTP. The routers' error lists do.
var errNoNote = errors.New("no such note")

// A store keeps the notes in SQLite.
type store struct{ db *sql.DB }

func openStore(ctx context.Context, file string) (*store, error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer, and :memory: is one per connection
	_, err = db.ExecContext(ctx, `
		PRAGMA busy_timeout = 5000;
		CREATE TABLE IF NOT EXISTS notes (
			id      INTEGER PRIMARY KEY,
			title   TEXT    NOT NULL,
			text    TEXT    NOT NULL,
			changed INTEGER NOT NULL -- Unix seconds
		)`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &store{db}, nil
}

func (s *store) Close() error { return s.db.Close() }

// List returns the notes that hold a text, the last changed first, at most
// limit of them.
func (s *store) List(ctx context.Context, text string, limit int) ([]note, error) {
	rows, err := s.db.QueryContext(ctx, `
		SELECT id, title, text, changed FROM notes
		WHERE instr(lower(title || ' ' || text), lower(?)) > 0
		ORDER BY changed DESC, id DESC LIMIT ?`, text, max(limit, 0))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	notes := []note{}
	for rows.Next() {
		n, err := scan(rows)
		if err != nil {
			return nil, err
		}
		notes = append(notes, n)
	}
	return notes, rows.Err()
}

func (s *store) Get(ctx context.Context, id int64) (note, error) {
	return scan(s.db.QueryRowContext(ctx, `SELECT id, title, text, changed FROM notes WHERE id = ?`, id))
}

// Add and Change return the note as it is now kept.
func (s *store) Add(ctx context.Context, n note) (note, error) {
	return scan(s.db.QueryRowContext(ctx, `
		INSERT INTO notes (title, text, changed) VALUES (?, ?, unixepoch())
		RETURNING id, title, text, changed`, n.Title, n.Text))
}

func (s *store) Change(ctx context.Context, n note) (note, error) {
	return scan(s.db.QueryRowContext(ctx, `
		UPDATE notes SET title = ?, text = ?, changed = unixepoch() WHERE id = ?
		RETURNING id, title, text, changed`, n.Title, n.Text, n.ID))
}

func (s *store) Remove(ctx context.Context, id int64) error {
	result, err := s.db.ExecContext(ctx, `DELETE FROM notes WHERE id = ?`, id)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errNoNote)
	}
	return nil
}

// scan reads a note off a row, of one or of several.
func scan(row interface{ Scan(...any) error }) (note, error) {
	var n note
	var changed int64
	err := row.Scan(&n.ID, &n.Title, &n.Text, &changed)
	if errors.Is(err, sql.ErrNoRows) {
		return note{}, errNoNote
	}
	n.Changed = time.Unix(changed, 0).UTC()
	return n, err
}
