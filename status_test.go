package segue

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// foreignCoded is somebody else's error with a status.
type foreignCoded struct {
	code int
	text string
}

func (e *foreignCoded) Error() string   { return e.text }
func (e *foreignCoded) StatusCode() int { return e.code }

// ownTestError stands for ParamError, which lives in params.go.
type ownTestError struct {
	status  int
	message string
}

func (e *ownTestError) Error() string                { return "own: " + e.message }
func (e *ownTestError) StatusCode() int              { return 418 } // never asked
func (e *ownTestError) statusMessage() (int, string) { return e.status, e.message }

// disguised gives another error by As, as errors.As allows.
type disguised struct{ as error }

func (disguised) Error() string { return "disguised" }
func (d disguised) As(target any) bool {
	if t, ok := target.(*ownError); ok {
		return errors.As(d.as, t)
	}
	return false
}

// formatted is an error that formats itself and shows with which verb it was.
type formatted struct{}

func (formatted) Error() string                 { return "secret" }
func (formatted) Format(f fmt.State, verb rune) { fmt.Fprintf(f, "secret %c %t", verb, f.Flag('+')) }

// unvetted is Errorf for formats that go vet refuses.
var unvetted = Errorf

var (
	errSecret = errors.New("secret")
	errInner  = Errorf(404, "no user 7")
)

// messages are errors of Errorf, each with what the client and the log see.
var messages = []struct {
	name    string
	err     error
	status  int
	message string
	text    string
}{
	{"plain", Errorf(404, "no user %d", 7), 404, "no user 7", "no user 7"},
	{"no verb", Errorf(409, "taken"), 409, "taken", "taken"},
	{"percent", Errorf(400, "100%% wrong"), 400, "100% wrong", "100% wrong"},
	{"wrapped last", Errorf(404, "no user %d: %w", 7, sql.ErrNoRows), 404, "no user 7", "no user 7: sql: no rows in result set"},
	{"wrapped first", Errorf(400, "%w - bad date", errSecret), 400, "bad date", "secret - bad date"},
	{"wrapped alone", Errorf(404, "%w", errSecret), 404, "Not Found", "secret"},
	{"in the middle", Errorf(400, "a %w b", errSecret), 400, "a  b", "a secret b"},
	{"two", Errorf(400, "bad: %w, %w", errSecret, io.EOF), 400, "bad", "bad: secret, EOF"},
	{"flags and width", Errorf(400, "bad: %+10w|", errSecret), 400, "bad: |", "bad:     secret|"},
	{"index", Errorf(400, "%[2]s: %[1]w", errSecret, "bad"), 400, "bad", "bad: secret"},
	{"star", Errorf(400, "%*d: %w", 4, 7, errSecret), 400, "7", "   7: secret"},
	{"formatter", Errorf(400, "bad: %w", formatted{}), 400, "bad", "bad: secret v false"},
	{"formatter in full", Errorf(400, "bad: %+w", formatted{}), 400, "bad", "bad: secret v true"},
	{"nil wrapped", Errorf(400, "bad: %w", nil), 400, "bad", "bad: %!w(<nil>)"},
	{"%v is on purpose", Errorf(400, "bad: %v", errSecret), 400, "bad: secret", "bad: secret"},
	{"%v beside %w", Errorf(400, "%q: %w", io.EOF, errSecret), 400, `"EOF"`, `"EOF": secret`},
	{"nil beside %w", Errorf(400, "%v: %w", nil, errSecret), 400, "<nil>", "<nil>: secret"},
	{"ours wrapped", Errorf(409, "not saved: %w", errInner), 409, "not saved: no user 7", "not saved: no user 7"},
	{"ours deep", Errorf(409, "not saved: %w", fmt.Errorf("secret: %w", errInner)), 409, "not saved: no user 7", "not saved: secret: no user 7"},
	{"foreign with a status wrapped", Errorf(409, "not saved: %w", &foreignCoded{404, "secret"}), 409, "not saved", "not saved: secret"},
	{"not an error", unvetted(400, "bad: %w", 7), 400, "bad: %!ŵ(int=7)", "bad: %!w(int=7)"},
	{"percent at the end", unvetted(400, "bad %w %", errSecret), 400, "bad  %!(NOVERB)", "bad secret %!(NOVERB)"},
	{"empty", Errorf(403, ""), 403, "Forbidden", ""},
	{"without a standard text", Errorf(499, ""), 499, "Bad Request", ""},
	{"399", Errorf(399, "x"), 500, "Internal Server Error", "x"},
	{"400", Errorf(400, "x"), 400, "x", "x"},
	{"599", Errorf(599, "x"), 599, "x", "x"},
	{"600", Errorf(600, "x: %w", errSecret), 500, "Internal Server Error", "x: secret"},
	{"0", Errorf(0, "x"), 500, "Internal Server Error", "x"},
	{"negative", Errorf(-404, "x"), 500, "Internal Server Error", "x"},
}

func TestErrorfMessage(t *testing.T) {
	for _, tt := range messages {
		t.Run(tt.name, func(t *testing.T) {
			status, message := StatusOf(tt.err)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.message, message)
			assert.Equal(t, tt.text, tt.err.Error())
			assert.Equal(t, tt.status, tt.err.(interface{ StatusCode() int }).StatusCode())
		})
	}
}

func TestErrorfUnwrap(t *testing.T) {
	one := Errorf(404, "a: %w", sql.ErrNoRows)
	assert.Equal(t, sql.ErrNoRows, errors.Unwrap(one), "one %%w unwraps to the error itself, as with fmt.Errorf")
	assert.ErrorIs(t, one, sql.ErrNoRows)

	path := &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}
	two := Errorf(404, "a: %w, %w", io.EOF, path)
	assert.NoError(t, errors.Unwrap(two))
	assert.ErrorIs(t, two, io.EOF)
	assert.ErrorIs(t, two, fs.ErrNotExist)
	var found *fs.PathError
	assert.ErrorAs(t, two, &found)

	assert.NoError(t, errors.Unwrap(Errorf(404, "a: %v", io.EOF)))
}

func TestStatusOf(t *testing.T) {
	const text500 = "Internal Server Error"
	own := Errorf(404, "no user")
	var (
		nilOwn    *statusError
		nilTest   *ownTestError
		nilCoded  *foreignCoded
		nilWrap   *fs.PathError
		wrongOwn  = &ownTestError{200, "fine"}
		emptyText = &ownTestError{http.StatusBadRequest, ""}
	)
	for _, tt := range []struct {
		name    string
		err     error
		status  int
		message string
	}{
		{"nil", nil, 200, "OK"},
		{"foreign", errors.New("secret"), 500, text500},
		{"ours", own, 404, "no user"},
		{"ours, wrapped", fmt.Errorf("secret: %w", fmt.Errorf("secret: %w", own)), 404, "no user"},
		{"ours, joined", errors.Join(io.EOF, own), 404, "no user"},
		{"the nearest of ours", Errorf(409, "taken: %w", own), 409, "taken: no user"},
		{"the first in a tree", errors.Join(fmt.Errorf("secret: %w", own), Errorf(409, "taken")), 404, "no user"},
		{"behind several %w", fmt.Errorf("%w, %w", io.EOF, own), 404, "no user"},
		{"by As", disguised{own}, 404, "no user"},
		{"another of ours", fmt.Errorf("secret: %w", &ownTestError{400, "id: not a number"}), 400, "id: not a number"},
		{"ours out of range", wrongOwn, 500, text500},
		{"ours without a text", emptyText, 400, "Bad Request"},
		{"foreign with a status", &foreignCoded{404, "secret"}, 404, "Not Found"},
		{"the same, wrapped", fmt.Errorf("secret: %w", &foreignCoded{404, "secret"}), 404, "Not Found"},
		{"ours goes before foreign", fmt.Errorf("%w, %w", &foreignCoded{409, "secret"}, own), 404, "no user"},
		{"foreign 200", &foreignCoded{200, "secret"}, 500, text500},
		{"foreign 399", &foreignCoded{399, "secret"}, 500, text500},
		{"foreign 600", &foreignCoded{600, "secret"}, 500, text500},
		{"foreign 499", &foreignCoded{499, "secret"}, 499, "Bad Request"},
		{"foreign 599", &foreignCoded{599, "secret"}, 599, text500},
		{"nil of Errorf's type", nilOwn, 500, text500},
		{"nil of our type", nilTest, 500, text500},
		{"nil with a status", nilCoded, 500, text500},
		{"nil that wraps", nilWrap, 500, text500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, message := StatusOf(tt.err)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.message, message)
		})
	}
}

// A panic that is no nil pointer's is the author's to see.
func TestStatusOfPanic(t *testing.T) {
	assert.PanicsWithValue(t, "mine", func() { StatusOf(panickingError{}) })
}

type panickingError struct{}

func (panickingError) Error() string   { return "" }
func (panickingError) StatusCode() int { panic("mine") }

func TestStatusOfConcurrent(t *testing.T) {
	err := fmt.Errorf("a: %w", Errorf(404, "no user: %w", io.EOF))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			status, message := StatusOf(err)
			assert.Equal(t, 404, status)
			assert.Equal(t, "no user", message)
		})
	}
	wg.Wait()
}

var flagsOfVerb = regexp.MustCompile(`^[-+# 0]*[0-9]{0,2}(\.[0-9]{0,2})?$`)

// FuzzErrorf holds that what %w wraps is never shown to the client, whatever
// stands around it, and that the text for the log is fmt.Errorf's.
func FuzzErrorf(f *testing.F) {
	f.Add("no user: ", "", "")      // the usual
	f.Add("", "", "")               // alone
	f.Add("100%: ", "+", " (%w)")   // percent signs around it
	f.Add("a", "-+# 012.3", "\xff") // all that may stand before the verb; not UTF-8
	f.Add("ŵ", "9", "ŵ")            // the verb that stands in for w
	secret := errors.New("hush-hush")
	clean := strings.NewReplacer("%", "%%", "hush", "")
	f.Fuzz(func(t *testing.T, before, flags, after string) {
		if !flagsOfVerb.MatchString(flags) {
			t.Skip("no flags")
		}
		format := clean.Replace(before) + "%" + flags + "w" + clean.Replace(after)
		err, want := Errorf(400, format, secret), fmt.Errorf(format, secret)
		assert.Equal(t, want.Error(), err.Error())
		assert.ErrorIs(t, err, secret)
		status, message := StatusOf(err)
		assert.Equal(t, 400, status)
		assert.NotContains(t, message, "hush")
		assert.NotEmpty(t, message)
	})
}

// Allocations of making and reading an error, beside those of fmt.Errorf.
func TestStatusAllocs(t *testing.T) {
	skipUnderRace(t)
	var err error
	user := "ann"
	for _, tt := range []struct {
		name string
		want float64
		f    func()
	}{
		{"fmt.Errorf, no operand", 1, func() { err = fmt.Errorf("taken") }},
		{"Errorf, no operand", 2, func() { err = Errorf(409, "taken") }},
		{"fmt.Errorf", 2, func() { err = fmt.Errorf("no %s", user) }},
		{"Errorf", 3, func() { err = Errorf(404, "no %s", user) }},
		{"fmt.Errorf with %w", 2, func() { err = fmt.Errorf("no %s: %w", user, io.EOF) }},
		{"Errorf with %w", 8, func() { err = Errorf(404, "no %s: %w", user, io.EOF) }},
		{"StatusOf ours", 0, func() { StatusOf(err) }},
		{"StatusOf foreign", 0, func() { StatusOf(io.EOF) }},
	} {
		assert.Equal(t, tt.want, AllocsPerRun(100, tt.f), tt.name)
	}
}
