import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { isosurface } from '../../../src/mesh/isosurface/isosurface.js';
import { SparseField } from '../../../src/mesh/isosurface/sparse-field.js';
import { createLattice } from '../../../src/mesh/spatial/lattice.js';
import { makeSoundBracket } from './bracket.js';
import { makeCube } from './cube.js';
import { joined, placed, turnedOver } from './mesh-of.js';
import { makeGlobe, makeLathe, makePlate, makeTube } from './sweeps.js';
import { makeTorus } from './torus.js';
import { makeVoxels } from './voxels.js';

/** Returns the corners of a regular polygon, counterclockwise. */
function createCircle(count: number, radius: number, x = 0, y = 0): [number, number][] {
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * i) / count;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

export function makeBall(rows: number, radius: number): IndexedMesh {
  return makeGlobe(rows, rows * 2, () => radius);
}

/** Returns the point of a trefoil knot at a parameter from 0 to 1. */
function trefoil(parameter: number): [number, number, number] {
  const t = 2 * Math.PI * parameter;
  return [10 * (Math.sin(t) + 2 * Math.sin(2 * t)), 10 * (Math.cos(t) - 2 * Math.cos(2 * t)), -10 * Math.sin(3 * t)];
}

/** Returns the point of a helix of five turns at a parameter from 0 to 1. */
function helix(parameter: number): [number, number, number] {
  return [15 * Math.cos(parameter * 10 * Math.PI), 15 * Math.sin(parameter * 10 * Math.PI), 50 * parameter];
}

/** Creates the intersection of a thickened gyroid and a ball: a solid with many channels. */
function makeGyroid(): IndexedMesh {
  const field = (x: number, y: number, z: number) =>
    Math.max(
      Math.abs(Math.sin(x) * Math.cos(y) + Math.sin(y) * Math.cos(z) + Math.sin(z) * Math.cos(x)) - 0.6,
      Math.hypot(x, y, z) - 4.4,
    );
  const lattice = createLattice({ min: [-5, -5, -5], stepMm: 0.48, cells: [21, 21, 21] });
  const sparse = new SparseField(lattice);
  const [countX, countY, countZ] = lattice.counts;
  for (let z = 0; z < countZ; z++)
    for (let y = 0; y < countY; y++)
      for (let x = 0; x < countX; x++) sparse.set(x, y, z, field(-5 + 0.48 * x, -5 + 0.48 * y, -5 + 0.48 * z));
  return isosurface(sparse, { growingSide: 'inside' });
}

function makeGear(): IndexedMesh {
  const outline = Array.from({ length: 96 }, (_, i): [number, number] => {
    const angle = (2 * Math.PI * i) / 96;
    const radius = i % 4 < 2 ? 40 : 36;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
  return makePlate(outline, [createCircle(40, 12)], 1.2);
}

function makePerforatedPlate(): IndexedMesh {
  const holes = [10, 30, 50, 70].flatMap((x) => [10, 25, 40].map((y) => createCircle(16, 4, x, y)));
  const outline: [number, number][] = [
    [0, 0],
    [80, 0],
    [80, 50],
    [0, 50],
  ];
  return makePlate(outline, holes, 2);
}

function makeStairs(): IndexedMesh {
  const cells: number[][] = [];
  for (let z = 0; z < 5; z++) for (let x = z; x < 10 - z; x++) for (let y = z; y < 10 - z; y++) cells.push([x, y, z]);
  return makeVoxels(cells);
}

/** Thirteen solids by name: smooth and sharp-edged, with through holes, cavities and thin walls. */
export const BODIES: Record<string, () => IndexedMesh> = {
  'bumpy ball': () => makeGlobe(50, 100, (polar, azimuth) => 40 + Math.sin(polar * 9) * Math.sin(azimuth * 12)),
  torus: () => makeTorus(72, 40),
  'trefoil knot': () => makeTube(trefoil, 220, 14, 4, true),
  gyroid: makeGyroid,
  'hollow ball': () => joined(makeBall(30, 20), turnedOver(makeBall(24, 15))),
  'box with a captive ball': () =>
    joined(placed(makeCube(), [0, 0, 0], 20), turnedOver(makeBall(20, 15)), placed(makeBall(10, 5), [2, 1, -3])),
  bracket: makeSoundBracket,
  gear: makeGear,
  cup: () =>
    makeLathe(
      [
        [0, 0],
        [30, 0],
        [30, 60],
        [29, 60],
        [29, 1],
        [0, 1],
      ],
      48,
    ),
  'perforated plate': makePerforatedPlate,
  stairs: makeStairs,
  urchin: () => makeGlobe(48, 96, (polar, azimuth) => 20 + 8 * Math.sin(6 * polar) ** 2 * Math.sin(5 * azimuth) ** 2),
  spring: () => makeTube(helix, 250, 14, 3, false),
};
