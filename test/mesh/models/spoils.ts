import { computeBounds, diagonalOf } from '../../../src/mesh/analysis/measure.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { findIntersections } from '../../../src/mesh/intersections/find-intersections.js';
import { createLattice } from '../../../src/mesh/spatial/lattice.js';
import { computeLatticeWindings } from '../../../src/mesh/spatial/lattice-windings.js';
import { buildEdges, findTwins } from '../../../src/mesh/topology/edges.js';
import { joined, turnedOver, without } from './mesh-of.js';
import { createRandom } from './random.js';
import { rotated } from './transform.js';

type Random = () => number;

/** A way to spoil a sound mesh, and how near to the true volume a repair has to come. */
export interface Spoil {
  spoil: (mesh: IndexedMesh, random: Random) => IndexedMesh;
  /** As a share of the volume. */
  tolerance: number;
  /** The volume that is right, where it is not that of the sound mesh. */
  truthMm3?: (spoilt: IndexedMesh) => number;
}

/** Thirteen ways to spoil a sound mesh. */
export const SPOILS: Record<string, Spoil> = {
  'a third turned over': { spoil: (mesh, random) => turnedOver(mesh, ...some(mesh, 0.3, random)), tolerance: 1e-4 },
  'inside out': { spoil: (mesh) => turnedOver(mesh), tolerance: 1e-4 },
  'a hundredth missing': { spoil: (mesh, random) => without(mesh, ...some(mesh, 0.01, random)), tolerance: 0.01 },
  'a large hole': { spoil: withLargeHole, tolerance: 0.05 },
  'every corner a little off': { spoil: loosened, tolerance: 1e-4 },
  'a twentieth twice': {
    spoil: (mesh, random) =>
      withTriangles(
        mesh,
        some(mesh, 0.05, random).flatMap((triangle) => cornersOf(mesh, triangle)),
      ),
    tolerance: 1e-4,
  },
  'every wall from both sides': { spoil: (mesh) => joined(mesh, turnedOver(mesh)), tolerance: 1e-4 },
  'edges split on one side': { spoil: withSplitSides, tolerance: 1e-4 },
  'a membrane inside': { spoil: withMembrane, tolerance: 1e-4 },
  'stray triangles': { spoil: withStrays, tolerance: 1e-4 },
  'a copy that overlaps': { spoil: withCopy, tolerance: 0.01, truthMm3: (spoilt) => coveredMm3(spoilt) },
  spikes: { spoil: withSpikes, tolerance: 0.015, truthMm3: (spoilt) => coveredMm3(spoilt) },
  'several of these': {
    spoil: (mesh, random) => {
      const turned = turnedOver(mesh, ...some(mesh, 0.1, random));
      const doubled = withTriangles(
        turned,
        some(turned, 0.02, random).flatMap((triangle) => cornersOf(turned, triangle)),
      );
      return withStrays(without(doubled, ...some(mesh, 0.005, random)), random);
    },
    tolerance: 0.01,
  },
};

const cornersOf = ({ triangles }: IndexedMesh, triangle: number): number[] => [
  ...triangles.subarray(triangle * 3, triangle * 3 + 3),
];

/** About this share of the triangles, at least one. */
function some(mesh: IndexedMesh, fraction: number, random: Random): number[] {
  const count = mesh.triangles.length / 3;
  const chosen = Array.from({ length: count }, (_, i) => i).filter(() => random() < fraction);
  return chosen.length > 0 ? chosen : [Math.floor(random() * count)];
}

function withTriangles(mesh: IndexedMesh, corners: readonly number[]): IndexedMesh {
  return { ...mesh, triangles: Uint32Array.from([...mesh.triangles, ...corners]) };
}

/** A triangle and all round it up to three neighbours away are missing, at most a fiftieth of the mesh. */
function withLargeHole(mesh: IndexedMesh, random: Random): IndexedMesh {
  const twins = findTwins(mesh.triangles, buildEdges(mesh.triangles, mesh.positions.length / 3));
  const count = mesh.triangles.length / 3;
  const missing = new Set([Math.floor(random() * count)]);
  for (let round = 0; round < 3; round++) {
    for (const triangle of [...missing]) {
      for (let h = triangle * 3; h < triangle * 3 + 3; h++) {
        const twin = twins[h] ?? -1;
        if (twin >= 0 && missing.size < Math.max(2, count / 50)) missing.add(Math.floor(twin / 3));
      }
    }
  }
  return without(mesh, ...missing);
}

/** Each corner of each triangle a vertex of its own, off by less than a millionth of the diagonal. */
function loosened(mesh: IndexedMesh, random: Random): IndexedMesh {
  const offMm = diagonalOf(computeBounds(mesh.positions)) * 4e-7;
  const positions = Float64Array.from(
    [...mesh.triangles].flatMap((vertex) => [...mesh.positions.subarray(vertex * 3, vertex * 3 + 3)]),
    (value) => value + (random() - 0.5) * offMm,
  );
  return { positions, triangles: Uint32Array.from({ length: mesh.triangles.length }, (_, i) => i) };
}

/** One of the two triangles at some edges is divided at its middle, the other is not. */
function withSplitSides(mesh: IndexedMesh, random: Random): IndexedMesh {
  const positions = [...mesh.positions];
  const triangles = [...mesh.triangles];
  for (const triangle of some(mesh, 0.03, random)) {
    const [a = 0, b = 0, c = 0] = cornersOf(mesh, triangle);
    const middle = positions.length / 3;
    for (let k = 0; k < 3; k++) positions.push(((positions[a * 3 + k] ?? 0) + (positions[b * 3 + k] ?? 0)) / 2);
    triangles[triangle * 3 + 1] = middle;
    triangles.push(middle, b, c);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** A wall inside, between the neighbours of a vertex: three triangles meet at each of its outer edges. */
function withMembrane(mesh: IndexedMesh, random: Random): IndexedMesh {
  for (;;) {
    const walled = withMembraneAt(mesh, Math.floor((random() * mesh.positions.length) / 3));
    const { crossing, overlapping } = findIntersections(walled);
    if (crossing.length + overlapping.length === 0) return walled; // not one that lies in the surface, or pokes out of it
  }
}

function withMembraneAt(mesh: IndexedMesh, vertex: number): IndexedMesh {
  const after = new Map<number, number>(); // neighbour → the next one round the vertex
  for (let offset = 0; offset < mesh.triangles.length; offset += 3) {
    const corners = [...mesh.triangles.subarray(offset, offset + 3)];
    const place = corners.indexOf(vertex);
    if (place >= 0) after.set(corners[(place + 1) % 3] ?? 0, corners[(place + 2) % 3] ?? 0);
  }
  const [first = 0] = after.keys();
  const corners: number[] = [];
  let a = after.get(first) ?? first;
  for (let b = after.get(a) ?? first; b !== first; b = after.get(b) ?? first) {
    corners.push(first, a, b);
    a = b;
  }
  return withTriangles(mesh, corners);
}

/** Small triangles round about, joined with nothing. */
function withStrays(mesh: IndexedMesh, random: Random): IndexedMesh {
  const { min, max } = computeBounds(mesh.positions);
  const sizeMm = diagonalOf({ min, max }) * 0.01;
  const places = Array.from({ length: 10 }, () =>
    [0, 1, 2].map((k) => (max[k] ?? 0) + sizeMm * (1 + random()) + random() * ((max[k] ?? 0) - (min[k] ?? 0)) * 0.1),
  );
  const positions = places.flatMap((place) => [0, 1, 2].flatMap(() => place.map((value) => value + random() * sizeMm)));
  const strays = { positions: Float64Array.from(positions), triangles: Uint32Array.from({ length: 30 }, (_, i) => i) };
  return joined(mesh, strays);
}

/** The body once more, a little aside. */
function withCopy(mesh: IndexedMesh, random: Random): IndexedMesh {
  const asideMm = diagonalOf(computeBounds(mesh.positions)) * 0.04;
  const offset = [0, 1, 2].map(() => (0.5 + random() / 2) * asideMm);
  const positions = mesh.positions.map((value, i) => value + (offset[i % 3] ?? 0));
  return joined(mesh, { ...mesh, positions });
}

/** Three vertices far out of the surface. */
function withSpikes(mesh: IndexedMesh, random: Random): IndexedMesh {
  const { min, max } = computeBounds(mesh.positions);
  const positions = mesh.positions.slice();
  const outMm = diagonalOf({ min, max }) * 0.05;
  for (let spike = 0; spike < 3; spike++) {
    const vertex = Math.floor((random() * positions.length) / 3);
    const outward = [0, 1, 2].map((k) => (positions[vertex * 3 + k] ?? 0) - ((min[k] ?? 0) + (max[k] ?? 0)) / 2);
    const length = Math.hypot(...outward) || 1;
    outward.forEach((part, k) => {
      positions[vertex * 3 + k] = (positions[vertex * 3 + k] ?? 0) + (part / length) * outMm;
    });
  }
  return { ...mesh, positions };
}

/** The volume that a closed mesh goes round, either way, by counting the points of a fine lattice that no wall lies along. */
function coveredMm3(upright: IndexedMesh): number {
  const mesh = rotated(upright);
  const { min, max } = computeBounds(mesh.positions);
  const stepMm = diagonalOf({ min, max }) / 400;
  const cells = [0, 1, 2].map((k) => Math.ceil(((max[k] ?? 0) - (min[k] ?? 0)) / stepMm) + 2);
  const lattice = createLattice({
    min: [min[0] - 0.9 * stepMm, min[1] - 0.8 * stepMm, min[2] - 0.7 * stepMm],
    stepMm,
    cells: [cells[0] ?? 0, cells[1] ?? 0, cells[2] ?? 0],
  });
  return (
    computeLatticeWindings(mesh, lattice).reduce((count, winding) => count + (winding === 0 ? 0 : 1), 0) * stepMm ** 3
  );
}

/** The spoilt mesh, the same each time. */
export function spoilt(mesh: IndexedMesh, { spoil }: Spoil, seed: number): IndexedMesh {
  return spoil(mesh, createRandom(seed * 2654435761));
}
