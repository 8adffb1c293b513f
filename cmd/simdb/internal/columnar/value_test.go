package columnar

import (
	"bytes"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// Every type has its own form in JSON. Round trips with other programs are in
// testdata/parquet of the command.
func TestValues(t *testing.T) {
	when := time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.UTC)
	float16 := parquet.FixedLenByteArrayType(2)
	for _, c := range []struct {
		node  parquet.Node
		value parquet.Value
		want  string
	}{
		{parquet.Leaf(parquet.BooleanType), parquet.BooleanValue(true), "true"},
		{parquet.Leaf(parquet.Int32Type), parquet.Int32Value(-7), "-7"},
		{parquet.Uint(32), parquet.Int32Value(-1), "4294967295"},
		{parquet.Uint(64), parquet.Int64Value(-1), "18446744073709551615"},
		{parquet.Int(64), parquet.Int64Value(math.MinInt64), "-9223372036854775808"},
		{parquet.Leaf(parquet.FloatType), parquet.FloatValue(0.1), "0.1"},
		{parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(1e300), "1e+300"},
		{parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(math.NaN()), `NaN`},
		{parquet.Leaf(parquet.DoubleType), parquet.DoubleValue(math.Inf(-1)), `-Infinity`},
		{parquet.String(), parquet.ByteArrayValue([]byte("a\"\n")), `"a\"\n"`},
		{parquet.Enum(), parquet.ByteArrayValue([]byte("RED")), `"RED"`},
		{parquet.JSON(), parquet.ByteArrayValue([]byte(`{"a":1}`)), `{"a":1}`},
		{parquet.JSON(), parquet.ByteArrayValue([]byte(`{"a"`)), `"{\"a\""`},
		{parquet.UUID(), parquet.FixedLenByteArrayValue([]byte("\x01\x23\x45\x67\x89\xab\xcd\xef\x01\x23\x45\x67\x89\xab\xcd\xef")), `"01234567-89ab-cdef-0123-456789abcdef"`},
		{parquet.Date(), parquet.Int32Value(-1), `"1969-12-31"`},
		{parquet.Timestamp(parquet.Millisecond), parquet.Int64Value(when.UnixMilli()), `"2026-01-02T03:04:05.6Z"`},
		{parquet.Timestamp(parquet.Microsecond), parquet.Int64Value(when.UnixMicro()), `"2026-01-02T03:04:05.6Z"`},
		{parquet.Timestamp(parquet.Nanosecond), parquet.Int64Value(-1), `"1969-12-31T23:59:59.999999999Z"`},
		{parquet.Time(parquet.Millisecond), parquet.Int32Value(3_600_001), `"01:00:00.001"`},
		{parquet.Leaf(parquet.Int96Type), parquet.Int96Value(deprecated.Int96{1, 0, 2440589}), `"1970-01-02T00:00:00.000000001Z"`},
		{parquet.Decimal(2, 9, parquet.Int32Type), parquet.Int32Value(-5), "-0.05"},
		{parquet.Decimal(0, 18, parquet.Int64Type), parquet.Int64Value(123), "123"},
		{parquet.Decimal(3, 38, parquet.FixedLenByteArrayType(16)), parquet.FixedLenByteArrayValue(twos("-170141183460469231731687303715884105728", 16)), "-170141183460469231731687303715884105.728"},
		{parquet.Leaf(float16), parquet.FixedLenByteArrayValue([]byte("ab")), `"ab"`},
	} {
		got, err := writerOf(c.node.Type(), format.LogicalType{})(nil, c.value)
		if string(got) != c.want || err != nil {
			t.Errorf("%v of %v = %s, %v, want %s", c.node, c.value, got, err, c.want)
		}
	}
	for bits, want := range map[uint16]string{0: "0", 0x3c00: "1", 0xc000: "-2", 0x0001: "5.9604645e-08", 0x7bff: "65504", 0x7c00: `Infinity`} {
		if got, err := appendFloat16(nil, parquet.FixedLenByteArrayValue([]byte{byte(bits), byte(bits >> 8)})); string(got) != want || err != nil {
			t.Errorf("half %#x = %s, %v, want %s", bits, got, err, want)
		}
	}
	if got, err := appendInterval(nil, parquet.FixedLenByteArrayValue([]byte{1, 0, 0, 0, 2, 0, 0, 0, 0xb8, 0xb, 0, 0})); string(got) != `"P1M2DT3.000S"` || err != nil {
		t.Errorf("interval = %s, %v", got, err)
	}
	if _, err := writerOf(parquet.Date().Type(), format.LogicalType{})(nil, parquet.Int32Value(math.MaxInt32)); err == nil {
		t.Error("a year that RFC 3339 has not is written")
	}
}

// twos is a number in two's complement.
func twos(digits string, size int) []byte {
	n, _ := new(big.Int).SetString(digits, 10)
	if n.Sign() < 0 {
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	}
	return n.FillBytes(make([]byte, size))
}

// An excessive declared count is rejected before an allocation.
func TestAbsurdCounts(t *testing.T) {
	// Three prefixes of 0, 1 and 2 bytes: the widths 1, 0, 0 and 0, then 32 bits.
	prefixes := []byte{0x80, 1, 4, 3, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0}
	for name, err := range map[string]error{
		"a run of 2^40":      checkRuns([]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0}, 1, 1000),
		"many long runs":     checkRuns([]byte{0xfe, 0xf, 0, 0xfe, 0xf, 0, 0xfe, 0xf, 0}, 1, 1000),
		"2^40 deltas":        checkDelta([]byte{0x80, 1, 4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0}, 1000),
		"a block of 2^40":    checkDelta([]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 4, 1, 0}, 1000),
		"prefixes of 300 MB": checkPrefixes([]byte{0x80, 1, 4, 3, 0x80, 0x80, 0x80, 0x60, 0, 0, 0, 0, 0}, 1000, 128<<20),
		"2^40 lengths":       checkPrefixes(append(bytes.Clone(prefixes), 0x80, 1, 4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0), 1000, 128<<20),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := checkPrefixes(append(prefixes, 0x80, 1, 4, 3, 0), 1000, 128<<20); err != nil {
		t.Errorf("three lengths: %v", err)
	}
	if err := checkRuns([]byte{0xd0, 0xf, 1}, 1, 1000); err != nil {
		t.Errorf("a run of 1000 in a page of 1000: %v", err)
	}
	for name, b := range map[string][]byte{
		"a list of 2^31":   {0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0},
		"a string of 2^62": {0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f, 0},
		"a nest of lists":  append([]byte{0x19}, make([]byte, 0)...),
	} {
		if _, _, err := walkThrift(b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
