import { type AffineTransform, compose, IDENTITY } from '../reading/affine-transform.js';
import { type DeformationLimit, type Influences, skinPoints } from '../reading/deform-points.js';
import { type ColladaDocument, type ColladaElement, findChild, readCount } from './collada-element.js';
import { findInput, findSource, inputsOf, readNames, readNumbers } from './collada-source.js';
import { readMatrix } from './collada-transform.js';

const VALUES_PER_MATRIX = 16;

/** Returns the transform of a joint to mm, or `undefined` if it does not exist. */
export type FindJointTransform = (joint: string, isId: boolean) => AffineTransform | undefined;

/** The joints and weights of a `skin`, read once. */
export interface ColladaSkin {
  /** Applied to the points before the joints. */
  bindShape: AffineTransform;
  joints: { name: string; isId: boolean; inverseBind: AffineTransform }[];
  /** `undefined`: the skin moves no points. */
  influences: Influences | undefined;
}

/** Points that a skin moved. */
export interface SkinnedPoints {
  points: Float64Array;
  /** Whether the joints mirror them. */
  isMirrored: boolean;
  /** Whether they are in mm, where joints placed them. */
  isPlacedByJoints: boolean;
}

const NO_INFLUENCES: Influences = { starts: [], joints: [], weights: [] };

/** Reads a `skin` of a geometry. */
export function readSkin(document: ColladaDocument, skin: ColladaElement): ColladaSkin {
  const matrix = findChild(skin, 'bind_shape_matrix');
  const bindShape = (matrix && readMatrix(matrix.numbers)) ?? IDENTITY;
  const weighting = findChild(skin, 'vertex_weights');
  const { names, areIds } = readNames(findSource(document, inputsOf(weighting), 'JOINT'));
  const inverseBinds = readInverseBinds(document, inputsOf(findChild(skin, 'joints')));
  const joints = names.map((name) => ({ name, isId: areIds, inverseBind: inverseBinds.get(name) ?? IDENTITY }));
  const influences = weighting && names.length > 0 ? readInfluences(document, weighting, names.length) : undefined;
  return { bindShape, joints, influences };
}

/**
 * Moves points to mm: by the bind shape matrix, the inverse bind matrices and the joints (COLLADA 1.4.1, 4-7: skinning).
 * A joint that does not exist, and no weights, leave a point in the bind shape. If no joints are assigned at all, only
 * the bind shape matrix is applied.
 */
export function applySkin(
  { bindShape, joints, influences }: ColladaSkin,
  points: Float64Array,
  rootTransform: AffineTransform,
  findTransform: FindJointTransform,
  limit: DeformationLimit,
): SkinnedPoints {
  if (!influences) return { ...skinPoints(points, NO_INFLUENCES, [], bindShape), isPlacedByJoints: false };
  limit.add(influences.joints.length + points.length / 3);
  const bound = compose(rootTransform, bindShape);
  const transforms = joints.map(({ name, isId, inverseBind }) => {
    const transform = findTransform(name, isId);
    return transform ? compose(transform, compose(inverseBind, bindShape)) : bound;
  });
  return { ...skinPoints(points, influences, [...transforms, bound], bound), isPlacedByJoints: true };
}

/** Returns the inverse bind matrices by the names of their joints. */
function readInverseBinds(document: ColladaDocument, inputs: readonly ColladaElement[]): Map<string, AffineTransform> {
  const source = findSource(document, inputs, 'INV_BIND_MATRIX');
  const numbers = source ? readNumbers(document, source, VALUES_PER_MATRIX) : new Float64Array();
  const { names } = readNames(findSource(document, inputs, 'JOINT'));
  return new Map(
    names.map((name, i) => {
      const matrix = readMatrix(numbers.subarray(i * VALUES_PER_MATRIX, (i + 1) * VALUES_PER_MATRIX));
      return [name, matrix ?? IDENTITY];
    }),
  );
}

/** Reads which joints move each point. The index -1 refers to the bind shape: it becomes the joint after the last one. */
function readInfluences(document: ColladaDocument, weighting: ColladaElement, jointCount: number): Influences {
  const inputs = inputsOf(weighting);
  const stride = Math.max(...inputs.map((input) => readCount(input, 'offset', 0))) + 1;
  const tuples = findChild(weighting, 'v')?.numbers ?? new Float64Array();
  const pick = (semantic: string): Float64Array => {
    const input = findInput(inputs, semantic);
    const offset = input ? readCount(input, 'offset', 0) : 0;
    return Float64Array.from({ length: Math.floor(tuples.length / stride) }, (_, i) => tuples[i * stride + offset]);
  };
  const weightSource = findSource(document, inputs, 'WEIGHT');
  const weights = weightSource ? readNumbers(document, weightSource, 1) : new Float64Array();
  const counts = findChild(weighting, 'vcount')?.numbers ?? new Float64Array();
  const starts = new Float64Array(counts.length + 1);
  // A point whose tuples are missing reads one behind the last, which is no joint.
  const end = Math.floor(tuples.length / stride) + 1;
  for (let point = 0; point < counts.length; point++)
    starts[point + 1] = Math.min(starts[point] + Math.max(0, counts[point]), end);
  return {
    starts,
    joints: pick('JOINT').map((joint) => (joint === -1 ? jointCount : joint)),
    weights: pick('WEIGHT').map((index) => weights[index]),
  };
}
