package main

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/go-chi/httprate"
	"github.com/rs/cors"

	"github.com/segue-go/segue"
)

// api is what programs talk to. Its errors are JSON, and so are the 404s of paths
// below it. Those pass its middleware: without the CORS header a browser would
// see a CORS error in place of the 404.
func api(c config, log *slog.Logger) *segue.Router {
	api := segue.New()
	api.Use(
		cors.New(cors.Options{
			AllowedOrigins: []string{c.origin},
			AllowedMethods: []string{"GET", "POST", "PUT", "DELETE"},
			AllowedHeaders: []string{"Content-Type"},
		}).Handler,
		httprate.LimitBy(c.limit, time.Minute, clientAddr, httprate.WithLimitHandler(tooMany)),
	)
	api.NotFound(segue.Try(nothingHere))
	api.OnError(logFailure(log))
	api.OnError(errorJSON)
	api.Mount("/notes", notesAPI(c.notes))
	return api
}

// clientAddr is what the limit is by. Behind a proxy it would be the proxy's:
// there a client IP middleware comes first.
func clientAddr(r *http.Request) (string, error) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	return httprate.CanonicalizeIP(host), err
}

// tooMany answers as any other error of the API.
func tooMany(w http.ResponseWriter, r *http.Request) {
	segue.Fail(w, r, segue.Errorf(http.StatusTooManyRequests, "too many requests, try again in a minute"))
}

func nothingHere(w http.ResponseWriter, r *http.Request) error {
	return segue.Errorf(http.StatusNotFound, "there is nothing at %s", r.URL.Path)
}

func errorJSON(w http.ResponseWriter, r *http.Request, err error) error {
	status, message := segue.StatusOf(err)
	return segue.JSON(w, status, map[string]string{"error": message})
}

// notesAPI is the notes alone. It does not know that it is below /api/notes.
func notesAPI(s *store) *segue.Router {
	notes := segue.New()
	notes.GET("/", segue.Try(s.listNotes))
	notes.POST("/", segue.Try(s.createNote))
	notes.GET("/{id}", segue.Try(s.getNote))
	notes.PUT("/{id}", segue.Try(s.putNote))
	notes.DELETE("/{id}", segue.Try(s.deleteNote))
	notes.OnError(noteNotFound)
	return notes
}

// noteNotFound gives the store's error a status, for the API and for the pages.
func noteNotFound(w http.ResponseWriter, r *http.Request, err error) error {
	if errors.Is(err, errNoNote) {
		return segue.Errorf(http.StatusNotFound, "no note %s", segue.Param(r, "id"))
	}
	return err
}

func (s *store) listNotes(w http.ResponseWriter, r *http.Request) error {
	limit, err := segue.QueryAs(r, "limit", 100)
	if err != nil {
		return err // 400, and says what is wrong
	}
	notes, err := s.List(r.Context(), r.FormValue("q"), limit)
	if err != nil {
		return err
	}
	return segue.JSON(w, http.StatusOK, notes)
}

func (s *store) createNote(w http.ResponseWriter, r *http.Request) error {
	n, err := decodeNote(w, r)
	if err != nil {
		return err
	}
	if n, err = s.Add(r.Context(), n); err != nil {
		return err
	}
	location, err := segue.PathFor(r.Pattern+"/{id}", n.ID) // r.Pattern has the prefix, wherever this is mounted
	if err != nil {
		return err
	}
	w.Header().Set("Location", location)
	return segue.JSON(w, http.StatusCreated, n)
}

func (s *store) getNote(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int64](r, "id")
	if err != nil {
		return err
	}
	n, err := s.Get(r.Context(), id)
	if err != nil {
		return err
	}
	return segue.JSON(w, http.StatusOK, n)
}

func (s *store) putNote(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int64](r, "id")
	if err != nil {
		return err
	}
	n, err := decodeNote(w, r)
	if err != nil {
		return err
	}
	n.ID = id
	if n, err = s.Change(r.Context(), n); err != nil {
		return err
	}
	return segue.JSON(w, http.StatusOK, n)
}

func (s *store) deleteNote(w http.ResponseWriter, r *http.Request) error {
	id, err := segue.ParamAs[int64](r, "id")
	if err != nil {
		return err
	}
	if err := s.Remove(r.Context(), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func decodeNote(w http.ResponseWriter, r *http.Request) (note, error) {
	n, err := segue.Decode[note](w, r, segue.MaxBytes(64<<10), segue.DisallowUnknownFields())
	if err != nil {
		return note{}, err // 400, 413 or 415
	}
	return n, n.check()
}
