package burrow

import (
	"context"
	"errors"
	"testing"
	"time"
)

type fakeIndex struct {
	objects []Object
	counts  []int
}

func (f fakeIndex) OlderThan(_ context.Context, class string, limit time.Time) ([]Object, error) {
	var old []Object
	for _, o := range f.objects {
		if o.Class == class && o.Uploaded.Before(limit) {
			old = append(old, o)
		}
	}
	return old, nil
}

func (f fakeIndex) LastCounts(context.Context, int) ([]int, error) { return f.counts, nil }

type fakeBucket struct{ removed []string }

func (b *fakeBucket) Remove(_ context.Context, key string) error {
	b.removed = append(b.removed, key)
	return nil
}

var morning = time.Date(2026, 2, 16, 3, 0, 0, 0, time.UTC)

func TestSweepSkipsHeld(t *testing.T) {
	old := morning.AddDate(0, 0, -60)
	ix := fakeIndex{counts: []int{5}, objects: []Object{
		{Key: "free", Class: "door_photo", Uploaded: old},
		{Key: "held", Class: "door_photo", Uploaded: old, Hold: true},
	}}
	b := &fakeBucket{}
	if _, err := Sweep(context.Background(), ix, b, map[string]int{"door_photo": 45}, morning, false); err != nil {
		t.Fatal(err)
	}
	if len(b.removed) != 1 || b.removed[0] != "free" {
		t.Fatalf("removed %v", b.removed)
	}
}

func TestSweepBrakes(t *testing.T) {
	var many []Object
	for i := 0; i < 10; i++ {
		many = append(many, Object{Class: "door_photo", Uploaded: morning.AddDate(-1, 0, 0)})
	}
	_, err := Sweep(context.Background(), fakeIndex{many, []int{6, 6, 6}}, &fakeBucket{}, map[string]int{"door_photo": 45}, morning, false)
	var eager ErrTooEager
	if !errors.As(err, &eager) {
		t.Fatalf("got %v, want E6107", err)
	}
}
