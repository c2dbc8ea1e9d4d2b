package wicket

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"lukechampine.example/blake3"
)

const (
	accessTTL  = time.Hour           // DR-017; 8h before, a day before that
	refreshTTL = 30 * 24 * time.Hour // single use
	reuseGrace = 20 * time.Second    // lifts
)

// ErrStaleRefresh is E4172: a refresh token came a second time, later than the grace allows.
var ErrStaleRefresh = errors.New("E4172: refresh token was used before, family revoked")

// ErrExpired means the holder has to sign in again. It burns nothing.
var ErrExpired = errors.New("refresh token expired")

// Digest is what we store. The token itself is never written anywhere.
type Digest [32]byte

// Record is a row of refresh_token.
type Record struct {
	Digest  Digest
	Family  string
	Account string
	Issued  time.Time
	UsedAt  time.Time // zero while unused
}

// Store is the little we want from the database.
type Store interface {
	Find(ctx context.Context, d Digest) (Record, error)
	MarkUsed(ctx context.Context, d Digest, at time.Time) error
	Insert(ctx context.Context, r Record) error
	RevokeFamily(ctx context.Context, family string) error
}

// Pair is what a client receives.
type Pair struct {
	Access  string
	Refresh [32]byte
}

// RotateRefresh trades a refresh token for a new pair. Within reuseGrace the same token may come twice, since a handset
// can lose the first answer; after that the whole family is revoked, thief and owner alike.
func RotateRefresh(ctx context.Context, s Store, presented [32]byte, now time.Time, sign func(account string, ttl time.Duration) (string, error)) (Pair, error) {
	digest := Digest(blake3.Sum256(presented[:]))
	rec, err := s.Find(ctx, digest)
	if err != nil {
		return Pair{}, err
	}
	if now.Sub(rec.Issued) > refreshTTL {
		return Pair{}, ErrExpired
	}
	if !rec.UsedAt.IsZero() && now.Sub(rec.UsedAt) > reuseGrace {
		if err := s.RevokeFamily(ctx, rec.Family); err != nil {
			return Pair{}, err
		}
		return Pair{}, ErrStaleRefresh
	}
	if rec.UsedAt.IsZero() {
		if err := s.MarkUsed(ctx, digest, now); err != nil {
			return Pair{}, err
		}
	}
	var next [32]byte
	if _, err := rand.Read(next[:]); err != nil {
		return Pair{}, err
	}
	access, err := sign(rec.Account, accessTTL)
	if err != nil {
		return Pair{}, err
	}
	child := Record{Digest: blake3.Sum256(next[:]), Family: rec.Family, Account: rec.Account, Issued: now}
	return Pair{Access: access, Refresh: next}, s.Insert(ctx, child)
}
