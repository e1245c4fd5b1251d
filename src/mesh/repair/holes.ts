import { duplicateGroups, isForward } from '../topology/duplicate-triangles.js';
import { buildEdges } from '../topology/edges.js';
import { newellNormal } from '../topology/newell-normal.js';
import { pairTriangles } from '../topology/pair-triangles.js';
import { triangulateRings } from '../topology/triangulate-rings.js';
import { findHoleRings } from './hole-rings.js';
import { nestPlanarRings, type PlanarRing, toPlanarRing } from './planar-rings.js';
import { type RepairMesh, type RepairStep, type StepResult, withAdded, withTriangles } from './step.js';
import { triangulateSpatialRing } from './triangulate-spatial-ring.js';

/** Filling one hole may leave another, where its boundary was not manifold. */
const MOST_ROUNDS = 3;

/**
 * Fills holes. Rings in a plane are filled by their polygon, one inside another as a ring with a hole in it; others by the least area.
 * `changed` counts holes.
 */
export const HOLES: RepairStep = { name: 'holes', run: fillHoles };

function fillHoles(mesh: RepairMesh): StepResult {
  let current = mesh;
  let changed = 0;
  let filledAreaMm2 = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { positions, triangles } = current;
    const twins = pairTriangles(positions, triangles, buildEdges(triangles, positions.length / 3));
    const rings = findHoleRings(triangles, twins);
    if (rings.length === 0) break;
    const filling = fillRings(positions, rings);
    const objects = objectsAt(current);
    current = withAdded(
      current,
      filling,
      Array.from({ length: filling.length / 3 }, (_, i) => objects[filling[i * 3]]),
    );
    for (let at = 0; at < filling.length; at += 3) {
      filledAreaMm2 += Math.hypot(...newellNormal(positions, filling.slice(at, at + 3))) / 2;
    }
    changed += rings.length;
  }
  return { mesh: changed > 0 ? withoutFlaps(current) : current, changed, filledAreaMm2 };
}

/**
 * A triangle that hangs on the rim of a hole is covered by one of the filling, back to back: neither encloses anything, and both go. Where
 * nothing else is left they stay: the mesh is a sheet.
 */
function withoutFlaps(mesh: RepairMesh): RepairMesh {
  const { positions, triangles } = mesh;
  const isKept = new Uint8Array(triangles.length / 3).fill(1);
  for (const group of duplicateGroups(triangles, positions.length / 3, isKept)) {
    const ahead = group.filter((triangle) => isForward(triangles, triangle));
    const back = group.filter((triangle) => !isForward(triangles, triangle));
    const pairs = Math.min(ahead.length, back.length);
    for (const triangle of [...ahead.slice(0, pairs), ...back.slice(0, pairs)]) isKept[triangle] = 0;
  }
  const kept = [...isKept.keys()].filter((triangle) => isKept[triangle] === 1);
  return kept.length === 0 || kept.length === isKept.length ? mesh : withTriangles(mesh, kept);
}

function fillRings(positions: Float64Array, rings: readonly (readonly number[])[]): number[] {
  const filling: number[] = [];
  const planar: PlanarRing[] = [];
  const add = (corners: readonly number[]) => {
    for (const corner of corners) filling.push(corner);
  };
  for (const ring of rings) {
    const flat = toPlanarRing(positions, ring);
    if (flat) planar.push(flat);
    else add(triangulateSpatialRing(positions, ring));
  }
  for (const nest of nestPlanarRings(positions, planar)) {
    const together = triangulateRings(positions, nest);
    if (together) add(together);
    else for (const ring of nest) add(triangulateRings(positions, [ring]) ?? triangulateSpatialRing(positions, ring));
  }
  return filling;
}

/** vertex → the object of a triangle there: what fills a hole belongs to what surrounds it */
function objectsAt({ positions, triangles, objectOf }: RepairMesh): Uint32Array {
  const objects = new Uint32Array(positions.length / 3);
  for (let i = triangles.length - 1; i >= 0; i--) objects[triangles[i]] = objectOf[(i - (i % 3)) / 3];
  return objects;
}
