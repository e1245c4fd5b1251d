/** The exponent bits of the float32 2^100. */
const MAX_COORDINATE_BITS = 0x71800000;
const MAX_COORDINATE = 2 ** 100;

/**
 * Whether a number can be a coordinate: finite, and below 2^100 (10^30). Beyond that lies nothing but garbage that happened to be
 * read as a number, and areas of areas would overflow.
 */
export function isValidCoordinate(value: number): boolean {
  return Math.abs(value) < MAX_COORDINATE;
}

/**
 * The same of the bit pattern of a float32, as a sign: negative where it can be one. So nine coordinates are judged at once by `&`, without
 * nine branches.
 */
export function coordinateOverflowBits(bits: number): number {
  return (bits & 0x7f800000) - MAX_COORDINATE_BITS;
}
