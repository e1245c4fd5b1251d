import type { MeshGeometry } from '../core/mesh.js';
import { measureGroups } from '../geometry/measure-groups.js';
import { emptyBoxes, expandBox } from '../spatial/containing-boxes.js';
import type { MeshIndex } from '../spatial/mesh-index.js';
import { nextOf, triangleOf } from '../topology/half-edge.js';
import type { Shells } from '../topology/shells.js';
import type { TaggedMesh } from '../topology/tagged-mesh.js';

/** A body without boundary edges, or a group of open ones. */
export interface ClosedBody {
  body: number;
  /** Negative if the body faces inward. */
  volumeMm3: number;
  /** min x, y, z, max x, y, z */
  box: Float64Array;
  /** The first triangle of the body. */
  triangle: number;
}

/**
 * Finds the bodies of a mesh, in the form of shells. A body is a shell or, if each object has closed surfaces of its own
 * there, the part of the shell that belongs to an object.
 */
export function findBodies({ objectOf }: TaggedMesh, index: MeshIndex): Shells {
  const { shellOf, count } = index.shells();
  const partOf = new Uint32Array(shellOf.length); // triangle → part of a shell
  const shellOfPart: number[] = [];
  const parts = new Map<number, number>(); // object and shell → part
  for (let triangle = 0; triangle < shellOf.length; triangle++) {
    const key = objectOf[triangle] * count + shellOf[triangle];
    const part = parts.get(key) ?? shellOfPart.push(shellOf[triangle]) - 1;
    parts.set(key, part);
    partOf[triangle] = part;
  }
  if (shellOfPart.length === count) return { shellOf, count };
  const isOpen = markOpen(index, { shellOf: partOf, count: shellOfPart.length });
  const hasSplits = new Uint8Array(count).fill(1); // shell → 1 if each of its parts is closed
  for (const [part, shell] of shellOfPart.entries()) if (isOpen[part] === 1) hasSplits[shell] = 0;
  const bodyOf = shellOf.map((shell, triangle) => (hasSplits[shell] === 1 ? count + partOf[triangle] : shell));
  return { shellOf: bodyOf, count: count + shellOfPart.length };
}

/** Lists the bodies that are not open, the largest first. `isOpen`: the result of `markOpen`. */
export function listClosedBodies(
  mesh: MeshGeometry,
  { shellOf: bodyOf, count }: Shells,
  isOpen: Uint8Array,
): ClosedBody[] {
  const { volumeMm3 } = measureGroups(mesh, bodyOf, count);
  const boxes = emptyBoxes(count);
  const first = new Int32Array(count).fill(-1);
  for (let triangle = 0; triangle < bodyOf.length; triangle++) {
    const body = bodyOf[triangle];
    if (first[body] < 0) first[body] = triangle;
    for (let k = 0; k < 3; k++) expandBox(boxes, body, mesh.positions, mesh.triangles[triangle * 3 + k]);
  }
  return [...first.keys()]
    .filter((body) => isOpen[body] === 0 && Math.abs(volumeMm3[body]) > 0)
    .map((body) => ({
      ...{ body, volumeMm3: volumeMm3[body], triangle: first[body] },
      box: boxes.slice(body * 6, body * 6 + 6),
    }))
    .sort((a, b) => Math.abs(b.volumeMm3) - Math.abs(a.volumeMm3));
}

/**
 * Lists the open bodies of each object as one body, since faces that a file has apart are bodies of their own. Its
 * `volumeMm3` is 0: that of an open surface has no meaning. `isOpen`: the result of
 * `markOpen`. `bodyOf`: triangle → its body, or that group.
 */
export function groupOpenBodies(
  { positions, triangles, objectOf }: TaggedMesh,
  bodies: Shells,
  isOpen: Uint8Array,
): { groups: ClosedBody[]; bodyOf: Uint32Array } {
  const groupOf = new Map<number, number>(); // object → group
  const first: number[] = []; // group → its first triangle
  const bodyOf = bodies.shellOf.map((body, triangle) => {
    if (isOpen[body] === 0) return body;
    const group = groupOf.get(objectOf[triangle]) ?? first.push(triangle) - 1;
    groupOf.set(objectOf[triangle], group);
    return bodies.count + group;
  });
  const boxes = emptyBoxes(first.length);
  for (let corner = 0; corner < triangles.length; corner++) {
    const group = bodyOf[(corner / 3) | 0] - bodies.count;
    if (group >= 0) expandBox(boxes, group, positions, triangles[corner]);
  }
  const groups = first.map((triangle, group) => {
    return { body: bodies.count + group, volumeMm3: 0, triangle, box: boxes.slice(group * 6, group * 6 + 6) };
  });
  return { groups, bodyOf };
}

/** Returns body → 1 if one of its edges has more of its triangles in one direction than in the other. */
export function markOpen(index: MeshIndex, { shellOf: bodyOf, count }: Shells): Uint8Array {
  const isOpen = new Uint8Array(count);
  const { triangles } = index.mesh;
  const { order, starts } = index.edges();
  const balances = new Map<number, number>(); // body → triangles at the edge in one direction minus those in the other
  for (let edge = 0; edge + 1 < starts.length; edge++) {
    balances.clear();
    for (let i = starts[edge]; i < starts[edge + 1]; i++) {
      const body = bodyOf[triangleOf(order[i])];
      const direction = triangles[order[i]] < triangles[nextOf(order[i])] ? 1 : -1;
      balances.set(body, (balances.get(body) ?? 0) + direction);
    }
    for (const [body, balance] of balances) if (balance !== 0) isOpen[body] = 1;
  }
  return isOpen;
}
