package heron

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// bucket is one tenant's allowance. It starts full and refills evenly over a minute.
type bucket struct {
	tokens float64
	last   time.Time
}

// Limiter holds a bucket for each tenant. The state is per replica and in memory only: three replicas may
// together let through a little more than the nominal limit, and we accept that.
type Limiter struct {
	mu        sync.Mutex
	perMinute int
	overrides map[string]int
	buckets   map[string]*bucket
	now       func() time.Time
}

// NewLimiter wants the default allowance per minute and the tenants that have another one.
func NewLimiter(perMinute int, overrides map[string]int) *Limiter {
	return &Limiter{perMinute: perMinute, overrides: overrides, buckets: map[string]*bucket{}, now: time.Now}
}

func (l *Limiter) allowance(tenant string) float64 {
	if n, ok := l.overrides[tenant]; ok {
		return float64(n)
	}
	return float64(l.perMinute)
}

// Take spends one token. When none is left it returns false and how long to wait for the next one.
func (l *Limiter) Take(tenant string) (bool, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	size, now := l.allowance(tenant), l.now()
	b, ok := l.buckets[tenant]
	if !ok {
		b = &bucket{tokens: size, last: now}
		l.buckets[tenant] = b
	}
	b.tokens = math.Min(size, b.tokens+now.Sub(b.last).Minutes()*size)
	b.last = now
	if b.tokens < 1 {
		return false, time.Duration((1 - b.tokens) / size * float64(time.Minute))
	}
	b.tokens--
	return true, 0
}

var unlimited = map[string]bool{"/healthz": true, "/readyz": true, "/v3/webhooks/ack": true}

// Middleware answers 429 with E1009. Health checks and webhook acknowledgements pass freely.
func (l *Limiter) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if unlimited[r.URL.Path] {
			next.ServeHTTP(w, r)
			return
		}
		ok, wait := l.Take(tenantOf(r))
		if !ok {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			writeError(w, http.StatusTooManyRequests, "E1009", "too many requests for this tenant")
			return
		}
		next.ServeHTTP(w, r)
	})
}
