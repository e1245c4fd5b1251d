import { MeshError } from '../../core/mesh-error.js';
import { type AffineTransform, isReflection } from './affine-transform.js';

/** The joints that move each point of a mesh. */
export interface Influences {
  /** point → its first influence; has one more entry at the end */
  starts: ArrayLike<number>;
  /** influence → its joint. Invalid joints are allowed. */
  joints: ArrayLike<number>;
  /** influence → its weight. The weights of a point add up to any number but 0. */
  weights: ArrayLike<number>;
}

const INVALID: AffineTransform = new Array<number>(12).fill(Number.NaN);
/** About ten million points with eight joints each, and a second of work. */
const MAX_MOVEMENTS = 2 ** 27;

/**
 * Counts how often points are moved by joints and morph targets. Throws `TOO_LARGE` above 134 million: a small file can
 * reference any number.
 */
export class DeformationLimit {
  #count = 0;

  /** Counts movements, before they are computed. */
  add(count: number): void {
    this.#count += count;
    if (this.#count <= MAX_MOVEMENTS) return;
    throw new MeshError(
      'TOO_LARGE',
      `Could not read the file: its skins and morph targets move points more than ${MAX_MOVEMENTS} times. Save it without them.`,
    );
  }
}

/**
 * Moves points by joints (linear blend skinning): to the mean of their images under the transforms of their joints, by
 * their weights, which need not be normalized. A point with an invalid joint gets invalid coordinates.
 *
 * @param transforms joint → its transform, from the space of `points`
 * @param unweighted the transform of points whose weights add up to 0. Default: they get invalid coordinates.
 * @returns the new points, and whether the joints mirror more of them, by weight, than they do not
 */
export function skinPoints(
  points: Float64Array,
  { starts, joints, weights }: Influences,
  transforms: readonly AffineTransform[],
  unweighted: AffineTransform = INVALID,
): { points: Float64Array; isMirrored: boolean } {
  const skinned = new Float64Array(points.length);
  const signs = transforms.map((transform) => (isReflection(transform) ? -1 : 1));
  const unweightedSign = isReflection(unweighted) ? -1 : 1;
  let balance = 0;
  for (let point = 0; point * 3 + 2 < points.length; point++) {
    const offset = point * 3;
    const [x, y, z] = [points[offset], points[offset + 1], points[offset + 2]];
    let [sumX, sumY, sumZ, sum] = [0, 0, 0, 0];
    const add = (weight: number, t: AffineTransform): void => {
      sumX += weight * (x * t[0] + y * t[3] + z * t[6] + t[9]);
      sumY += weight * (x * t[1] + y * t[4] + z * t[7] + t[10]);
      sumZ += weight * (x * t[2] + y * t[5] + z * t[8] + t[11]);
      sum += weight;
    };
    for (let i = starts[point]; i < starts[point + 1]; i++) {
      const weight = weights[i];
      if (weight === 0) continue;
      add(weight, transforms[joints[i]] ?? INVALID);
      balance += weight * (signs[joints[i]] ?? 0);
    }
    if (sum === 0) {
      add(1, unweighted);
      balance += unweightedSign;
    }
    skinned[offset] = sumX / sum;
    skinned[offset + 1] = sumY / sum;
    skinned[offset + 2] = sumZ / sum;
  }
  return { points: skinned, isMirrored: balance < 0 };
}
