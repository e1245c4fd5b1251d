import { cross, dot, subtract } from '../../core/vec3.js';
import {
  type AffineTransform,
  compose,
  IDENTITY,
  rotation,
  scale,
  scaling,
  translation,
  yUpToZUp,
} from '../reading/affine-transform.js';
import { type ColladaElement, findChild } from './collada-element.js';
import { parseDecimal } from './collada-numbers.js';

const MM_PER_METER = 1000;
const RADIANS_PER_DEGREE = Math.PI / 180;
/** The values of an affine transform in a matrix by rows. */
const MATRIX_ORDER = [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11];
/** Element → the number of its values, and its transform. */
const TRANSFORMS: Record<string, { count: number; create: (values: number[]) => AffineTransform }> = {
  matrix: { count: 16, create: (m) => MATRIX_ORDER.map((i) => m[i]) },
  translate: { count: 3, create: translation },
  rotate: { count: 4, create: ([x, y, z, degrees]) => rotation([x, y, z, degrees * RADIANS_PER_DEGREE]) },
  scale: { count: 3, create: scale },
  skew: { count: 7, create: skew },
  lookat: { count: 9, create: lookAt },
};

/** Returns the transform of a node: its transform elements, the first one outermost. Malformed ones are ignored. */
export function readNodeTransform({ children }: ColladaElement): AffineTransform {
  return children.reduce<AffineTransform>((outer, { name, numbers }) => {
    const transform = Object.hasOwn(TRANSFORMS, name) ? TRANSFORMS[name] : undefined;
    const isValid = transform && numbers.length === transform.count && numbers.every(Number.isFinite);
    return isValid ? compose(outer, transform.create(Array.from(numbers))) : outer;
  }, IDENTITY);
}

/** Returns the transform of a matrix by rows, or `undefined` for other values than 16 finite numbers. */
export function readMatrix(values: Float64Array): AffineTransform | undefined {
  return values.length === 16 && values.every(Number.isFinite) ? MATRIX_ORDER.map((i) => values[i]) : undefined;
}

/** Returns the transform of a document to mm with Z up, by the unit and the axis of its asset (1 m, Y up). */
export function readRootTransform(root: ColladaElement): AffineTransform {
  const asset = findChild(root, 'asset');
  const meter = parseDecimal(findChild(asset, 'unit')?.attributes.get('meter') ?? '1');
  const unitInMm = (meter > 0 && Number.isFinite(meter) ? meter : 1) * MM_PER_METER;
  const upAxis = findChild(asset, 'up_axis')?.text.trim();
  if (upAxis === 'Z_UP') return scaling(unitInMm);
  // X up: Y points to the left, Z to the viewer.
  if (upAxis === 'X_UP') return [0, 0, unitInMm, -unitInMm, 0, 0, 0, -unitInMm, 0, 0, 0, 0];
  return yUpToZUp(unitInMm);
}

/** Returns the transform of an object at a point that looks along -Z at another one, with Y near an up direction. */
function lookAt(values: number[]): AffineTransform {
  const [eye, target, up] = [values.slice(0, 3), values.slice(3, 6), values.slice(6, 9)];
  const z = normalize(subtract(eye, target));
  const x = normalize(cross(up, z));
  return [...x, ...cross(z, x), ...z, ...eye];
}

/**
 * Returns the shear that moves points along an axis, so that it turns another axis by an angle toward that one
 * (COLLADA 1.4, `skew`: the angle in degrees, the axis that turns, the axis of the movement; RenderMan, RiSkew). Returns
 * the identity if the axes are parallel or the angle reaches the other axis.
 */
function skew([degrees, ...axes]: number[]): AffineTransform {
  const [turned, along] = [normalize(axes.slice(0, 3)), normalize(axes.slice(3, 6))];
  const alongPart = dot(turned, along);
  const normal = normalize(turned.map((value, i) => value - alongPart * along[i]));
  const normalPart = dot(turned, normal);
  const angle = Math.atan2(alongPart, normalPart) + degrees * RADIANS_PER_DEGREE;
  if (!(normalPart > 1e-9 && Math.cos(angle) > 1e-9)) return IDENTITY;
  const factor = Math.tan(angle) - alongPart / normalPart;
  const image = (axis: number): number[] =>
    along.map((value, i) => (i === axis ? 1 : 0) + factor * normal[axis] * value);
  return [...image(0), ...image(1), ...image(2), 0, 0, 0];
}

/** Returns the vector scaled to length 1, or unchanged if it is zero. */
function normalize(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => (length > 0 ? value / length : value));
}
