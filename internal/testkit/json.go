package testkit

import "encoding/json"

// RepeatsName reports whether an object of the next value has a name twice.
func RepeatsName(tokens *json.Decoder) bool {
	start, err := tokens.Token()
	if err != nil || start != json.Delim('{') && start != json.Delim('[') {
		return false
	}
	repeats, seen := false, map[any]bool{}
	for tokens.More() {
		if start == json.Delim('{') {
			name, _ := tokens.Token()
			repeats = repeats || seen[name]
			seen[name] = true
		}
		if RepeatsName(tokens) {
			repeats = true
		}
	}
	_, _ = tokens.Token()
	return repeats
}
