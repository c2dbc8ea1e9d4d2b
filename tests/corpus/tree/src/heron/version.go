package heron

import (
	"encoding/json"
	"net/http"
	"strings"
)

// Version is the first segment of the path. There is no header for it; Accept-Version is ignored since 2022.
type Version int

const (
	V3 Version = 3
	V4 Version = 4 // beta, batches only
)

// betaTenants may call /v4. One name, on purpose.
var betaTenants = map[string]bool{"brightwheel": true}

type apiError struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func writeError(w http.ResponseWriter, status int, code, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(apiError{code, text})
}

func tenantOf(r *http.Request) string { return r.Header.Get("X-Tenant") }

// SwitchVersion sends a request to the right router, or says that its version is gone.
func SwitchVersion(v3, v4 http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/v3/"):
			v3.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/v4/batches") && betaTenants[tenantOf(r)]:
			v4.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/v1/"), strings.HasPrefix(r.URL.Path, "/v2/"):
			writeError(w, http.StatusGone, "E1020", "this version has been switched off, use /v3")
		default:
			http.NotFound(w, r)
		}
	})
}

// RequireIdempotencyKey guards everything that reserves something. A driver's handset repeats a request whenever a lift
// door closes; without the key the second one would take a second compartment.
func RequireIdempotencyKey(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get("Idempotency-Key") == "" {
			writeError(w, http.StatusBadRequest, "E1014", "Idempotency-Key is missing")
			return
		}
		next.ServeHTTP(w, r)
	})
}
