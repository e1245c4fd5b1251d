import {
  type AffineTransform,
  compose,
  fromEulerAngles,
  IDENTITY,
  scale,
  translation,
} from '../reading/affine-transform.js';
import { type FbxNode, findChild } from './fbx-node.js';

const ZERO = [0, 0, 0];
const ONE = [1, 1, 1];
/** Value of `RotationOrder` → the axes (0, 1, 2) in the order in which they are applied. */
const ROTATION_ORDERS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 2, 0],
  [1, 0, 2],
  [2, 0, 1],
  [2, 1, 0],
];

/** The transforms of a model: of its node, which its children inherit, and of its geometry alone. */
export interface FbxTransforms {
  node: AffineTransform;
  geometry: AffineTransform;
}

/**
 * Reads the transforms of a model of FBX 6 from its properties (Autodesk FBX SDK, Computing transformation matrices):
 * T · Roff · Rp · Rpre · R · Rpost⁻¹ · Rp⁻¹ · Soff · Sp · S · Sp⁻¹.
 */
export function readFbxTransforms(model: FbxNode): FbxTransforms {
  const properties = findChild(model, 'Properties60')?.children ?? [];
  const values = (name: string, fallback: readonly number[]): readonly number[] => {
    const numbers = properties.find(({ strings }) => strings[0] === name)?.numbers.slice(0, fallback.length);
    return numbers?.length === fallback.length && numbers.every(Number.isFinite) ? numbers : fallback;
  };
  const order = ROTATION_ORDERS[values('RotationOrder', [0])[0]] ?? ROTATION_ORDERS[0];
  const rotationPivot = values('RotationPivot', ZERO);
  const scalingPivot = values('ScalingPivot', ZERO);
  // From outermost to innermost.
  const node = [
    translation(values('Lcl Translation', ZERO)),
    translation(values('RotationOffset', ZERO)),
    translation(rotationPivot),
    rotation(values('PreRotation', ZERO)),
    rotation(values('Lcl Rotation', ZERO), order),
    rotation(negate(values('PostRotation', ZERO)), [2, 1, 0]),
    translation(negate(rotationPivot)),
    translation(values('ScalingOffset', ZERO)),
    translation(scalingPivot),
    scale(values('Lcl Scaling', ONE)),
    translation(negate(scalingPivot)),
  ];
  const geometry = [
    translation(values('GeometricTranslation', ZERO)),
    rotation(values('GeometricRotation', ZERO)),
    scale(values('GeometricScaling', ONE)),
  ];
  return { node: node.reduce(compose, IDENTITY), geometry: geometry.reduce(compose, IDENTITY) };
}

/** Returns the rotation by `degrees` about the axes, applied in this order. */
function rotation(degrees: readonly number[], order: readonly number[] = [0, 1, 2]): AffineTransform {
  return order.reduce<AffineTransform>((inner, axis) => {
    const [x, y, z] = degrees.map((angle, i) => (i === axis ? angle : 0));
    return compose(fromEulerAngles([x, y, z], ZERO), inner);
  }, IDENTITY);
}

function negate(values: readonly number[]): number[] {
  return values.map((value) => -value);
}
