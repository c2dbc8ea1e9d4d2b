package wicket

import (
	"errors"
	"sync"
	"time"
)

const (
	maxWrong    = 5
	wrongWindow = 10 * time.Minute
	closedFor   = 15 * time.Minute
)

// ErrAccountClosed is E4160. The text does not say how long, Lena's wish.
var ErrAccountClosed = errors.New("E4160: too many wrong passwords, try again later")

// Lockout remembers failed sign-ins in memory. A restart forgives everybody, which has never mattered.
type Lockout struct {
	mu     sync.Mutex
	wrong  map[string][]time.Time
	closed map[string]time.Time
}

func NewLockout() *Lockout {
	return &Lockout{wrong: map[string][]time.Time{}, closed: map[string]time.Time{}}
}

// Allow is asked before the password is even looked at, so that a closed account costs no argon2 time.
func (l *Lockout) Allow(account string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if until, ok := l.closed[account]; ok && now.Before(until) {
		return ErrAccountClosed
	}
	delete(l.closed, account)
	return nil
}

// Failed notes a wrong password and closes the account on the fifth within ten minutes.
func (l *Lockout) Failed(account string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	recent := l.wrong[account][:0]
	for _, at := range l.wrong[account] {
		if now.Sub(at) < wrongWindow {
			recent = append(recent, at)
		}
	}
	recent = append(recent, now)
	l.wrong[account] = recent
	if len(recent) >= maxWrong {
		l.closed[account] = now.Add(closedFor)
		delete(l.wrong, account)
	}
}
