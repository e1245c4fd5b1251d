/** The exponent bits of the float32 2^100. */
const MAX_COORDINATE_BITS = 0x71800000;
/** Larger magnitudes are garbage that happened to parse as a number; squares of areas would overflow. */
const MAX_COORDINATE = 2 ** 100;

/** Returns whether a number is a valid coordinate: finite and below 2^100 (about 10^30) in magnitude. */
export function isValidCoordinate(value: number): boolean {
  return Math.abs(value) < MAX_COORDINATE;
}

/**
 * Tests the bit pattern of a float32 in the same way: the result is negative if the coordinate is valid. Combining nine
 * results with `&` tests nine coordinates with one branch.
 */
export function coordinateOverflowBits(bits: number): number {
  return (bits & 0x7f800000) - MAX_COORDINATE_BITS;
}
