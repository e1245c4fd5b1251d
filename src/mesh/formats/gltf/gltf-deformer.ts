import { type AffineTransform, compose, fromMatrix } from '../reading/affine-transform.js';
import { DeformationLimit, type Influences, skinPoints } from '../reading/deform-points.js';
import { reverseCorners } from '../reading/reverse-corners.js';
import type { ScenePart } from '../reading/scene.js';
import type { GltfAccessors } from './gltf-accessors.js';
import { type GltfObject, malformedGltf, readNatural, readNumberList, readObjects } from './gltf-document.js';
import type { GltfPrimitive } from './gltf-mesh-reader.js';
import type { GltfNodes } from './gltf-nodes.js';

const JOINTS_PER_SET = 4;
const VALUES_PER_MATRIX = 16;

/** Deforms primitives by morph targets and skins. Throws `TOO_LARGE` if that is too much work. */
export class GltfDeformer {
  readonly #skins: readonly GltfObject[];
  readonly #nodes: GltfNodes;
  readonly #accessors: GltfAccessors;
  readonly #limit = new DeformationLimit();
  /** skin → the transforms of its joints */
  readonly #jointTransforms = new Map<number, AffineTransform[]>();

  constructor(json: GltfObject, nodes: GltfNodes, accessors: GltfAccessors) {
    this.#skins = readObjects(json, 'skins');
    this.#nodes = nodes;
    this.#accessors = accessors;
  }

  /** Returns a primitive whose points are moved by its morph targets, by their weights (glTF 2.0, 3.7.2.2). */
  morph(primitive: GltfPrimitive, weights: readonly number[]): GltfPrimitive {
    const { elementOf, elementCount, targets } = primitive;
    const active = targets.flatMap((target, i) => {
      const accessor = readNatural(target, 'POSITION', undefined);
      return accessor === undefined || !weights[i] ? [] : { accessor, weight: weights[i] };
    });
    if (active.length === 0) return primitive;
    this.#limit.add(elementCount * active.length);
    const points = primitive.points.slice();
    for (const { accessor, weight } of active) {
      const offsets = this.#accessors.read(accessor, 'VEC3', elementCount);
      for (let i = 0; i < points.length; i++) {
        const element = elementOf ? elementOf[Math.floor(i / 3)] * 3 + (i % 3) : i;
        points[i] += weight * offsets[element];
      }
    }
    return { ...primitive, points };
  }

  /**
   * Returns a primitive whose points are moved to mm by the joints of a skin, in the pose of the nodes (glTF 2.0, 3.7.3).
   * Returns `undefined` if no joints are assigned to its points.
   */
  skin(primitive: GltfPrimitive, skin: number): ScenePart | undefined {
    const influences = this.#readInfluences(primitive);
    if (!influences) return undefined;
    const { points, isMirrored } = skinPoints(primitive.points, influences, this.#transformsOf(skin));
    return { points, corners: isMirrored ? reverseCorners(primitive.corners) : primitive.corners };
  }

  #readInfluences({ points, elementOf, readAttribute }: GltfPrimitive): Influences | undefined {
    const sets: { joints: Float64Array; weights: Float64Array }[] = [];
    for (let set = 0; ; set++) {
      const [joints, weights] = [readAttribute(`JOINTS_${set}`), readAttribute(`WEIGHTS_${set}`)];
      if (!joints || !weights) break;
      sets.push({ joints, weights });
    }
    const width = sets.length * JOINTS_PER_SET;
    if (width === 0) return undefined;
    const pointCount = points.length / 3;
    this.#limit.add(pointCount * width);
    const joints = new Float64Array(pointCount * width);
    const weights = new Float64Array(pointCount * width);
    for (let point = 0; point < pointCount; point++) {
      const source = (elementOf ? elementOf[point] : point) * JOINTS_PER_SET;
      let sum = 0;
      for (let i = 0; i < width; i++) {
        const set = sets[Math.floor(i / JOINTS_PER_SET)];
        joints[point * width + i] = set.joints[source + (i % JOINTS_PER_SET)];
        weights[point * width + i] = set.weights[source + (i % JOINTS_PER_SET)];
        sum += weights[point * width + i];
      }
      // Without any weight, a point belongs to its first joint.
      if (sum === 0) weights[point * width] = 1;
    }
    return { starts: Uint32Array.from({ length: pointCount + 1 }, (_, point) => point * width), joints, weights };
  }

  /** Returns the transforms of the joints of a skin, from the bind pose to mm. */
  #transformsOf(index: number): AffineTransform[] {
    const existing = this.#jointTransforms.get(index);
    if (existing) return existing;
    const skin = this.#skins[index];
    const joints = readNumberList(skin ?? {}, 'joints');
    if (!joints) throw malformedGltf(`there is no skin ${index} with joints`);
    const accessor = readNatural(skin, 'inverseBindMatrices', undefined);
    const matrices = accessor === undefined ? undefined : this.#accessors.read(accessor, 'MAT4');
    if (matrices && matrices.length < joints.length * VALUES_PER_MATRIX)
      throw malformedGltf(`skin ${index} has fewer inverse bind matrices than joints`);
    const transforms = joints.map((joint, i) => {
      const transform = this.#nodes.transformOf(joint);
      return matrices ? compose(transform, fromMatrix(matrices, i * VALUES_PER_MATRIX)) : transform;
    });
    this.#jointTransforms.set(index, transforms);
    return transforms;
  }
}
