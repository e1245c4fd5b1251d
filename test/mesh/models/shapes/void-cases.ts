import createModule, { type Manifold } from 'manifold-3d';
import type { IndexedMesh } from '../../../../src/mesh/core/mesh.js';
import { joined, placed, turnedOver, without } from '../mesh-of.js';
import { createRandom } from '../random.js';
import { makeSweep } from '../sweeps.js';
import { rotated } from '../transform.js';

type Random = () => number;
type Point3 = readonly [number, number, number];

/** A body of one shell that crosses itself: a curve with a radius, and where on it the shell is within itself. */
interface CrossingBody {
  isClosed: boolean;
  sides: number;
  curve: (parameter: number) => Point3;
  radiusAt: (parameter: number) => number;
  /** A parameter at which the shell is in itself, … */
  inBoth: number;
  /** … one at which it begins to be, … */
  across: number;
  /** … and one far from it. */
  inOne: number;
}

/** A body with voids whose outer shell crosses itself, as a file has it. */
export interface VoidCase {
  name: string;
  damaged: IndexedMesh;
  /** Simple bodies whose union the shell encloses, … */
  pieces: readonly IndexedMesh[];
  /** … and the voids, facing outward. */
  voids: readonly IndexedMesh[];
}

const RINGS = 72;
/** The body is cut into so many pieces, none of which crosses itself. */
const PIECES = 6;

const BODIES: readonly ((random: Random) => CrossingBody)[] = [
  createFigureEight,
  createCrossingBars,
  createOverlappingEnds,
];
const PLACES: readonly (readonly ('inBoth' | 'across' | 'inOne')[])[] = [
  ['inBoth'],
  ['across'],
  ['inOne'],
  ['inOne', 'inBoth'],
  ['inOne', 'across'],
];
const DAMAGES: Readonly<Record<string, (mesh: IndexedMesh, random: Random) => IndexedMesh>> = {
  'no damage': (mesh) => mesh,
  'a hole': (mesh, random) => without(mesh, pickTriangle(mesh, random)),
  'inverted triangles': (mesh, random) => turnedOver(mesh, ...[1, 2, 3].map(() => pickTriangle(mesh, random))),
  cracks: (mesh, random) => crack(mesh, random),
};

/**
 * Creates a body with voids whose outer shell crosses itself: scaled to between 0.1 and 10,000 mm, rotated, and damaged in
 * one way. Deterministic.
 */
export function createVoidCase(seed: number): VoidCase {
  const random = createRandom(Math.imul(seed * 16 + 5, 2654435761));
  for (let i = 0; i < 8; i++) random();
  const body = pick(BODIES, random)(random);
  const places = pick(PLACES, random);
  const shell = makeSweep(body.curve, body.radiusAt, RINGS, body.sides, body.isClosed);
  const voids = places.map((place) => createVoid(body, body[place], random));
  const [damage, spoil] = pick(Object.entries(DAMAGES), random);
  const sizeMm = 10 ** (random() * 5 - 1);
  const angle = random() < 0.3 ? 0 : random() * 6;
  const transform = (mesh: IndexedMesh) => placed(rotated(mesh, angle), [0, 0, 0], sizeMm);
  const name = `seed ${seed}, ${sizeMm.toPrecision(3)} mm, ${places.join(' and ')}, ${damage}`;
  const damaged = spoil(joined(shell, ...voids.map((each) => turnedOver(each))), random);
  return { name, damaged: transform(damaged), pieces: cutBody(body).map(transform), voids: voids.map(transform) };
}

/** The volumes of a body without its voids, and of the voids. */
export interface VoidVolumes {
  bodyMm3: number;
  voidsMm3: number;
}

/** Loads the library manifold-3d, and returns a function that computes the volumes of a case with it. */
export async function loadVoidVolumes(): Promise<(voidCase: VoidCase) => VoidVolumes> {
  const library = await createModule();
  library.setup();
  const toManifold = ({ positions, triangles }: IndexedMesh): Manifold =>
    new library.Manifold(
      new library.Mesh({ numProp: 3, vertProperties: Float32Array.from(positions), triVerts: triangles }),
    );
  const unite = (meshes: readonly IndexedMesh[]) => library.Manifold.union(meshes.map(toManifold));
  return ({ pieces, voids }) => {
    const [solid, hollow] = [unite(pieces), unite(voids)];
    return { bodyMm3: solid.subtract(hollow).volume(), voidsMm3: hollow.volume() };
  };
}

/** Creates a closed tube that crosses itself at the origin. */
function createFigureEight(random: Random): CrossingBody {
  const [radius, width] = [0.1 + random() * 0.15, 0.7 + random() * 0.6];
  return {
    isClosed: true,
    sides: 4 + Math.floor(random() * 12),
    curve: (parameter) => {
      const angle = 2 * Math.PI * (parameter + 1 / 8);
      return [Math.cos(angle), (width / 2) * Math.sin(2 * angle), 0];
    },
    radiusAt: () => radius,
    inBoth: 1 / 8,
    across: 1 / 8 + radius / 6,
    inOne: 3 / 8 + random() / 16,
  };
}

/** Creates a bar that is bent to a loop and crosses itself at the origin (nodal cubic). */
function createCrossingBars(random: Random): CrossingBody {
  const radius = 0.15 + random() * 0.1;
  const end = 1.4 + random() * 0.2;
  const toParameter = (t: number) => (t / end + 1) / 2;
  return {
    isClosed: false,
    sides: 4,
    curve: (parameter) => {
      const t = end * (2 * parameter - 1);
      return [t * t - 1, t * (t * t - 1), 0];
    },
    radiusAt: () => radius,
    inBoth: toParameter(1),
    across: toParameter(1 + radius / 3),
    inOne: toParameter(random() / 4),
  };
}

/** Creates a ring whose ends, a thin and a thick one, are within each other. */
function createOverlappingEnds(random: Random): CrossingBody {
  const turns = 1.1 + random() * 0.2;
  const [radius, growth] = [0.15 + random() * 0.1, 0.1 + random() * 0.1];
  const overlap = 1 - 1 / turns;
  return {
    isClosed: false,
    sides: 4 + Math.floor(random() * 12),
    curve: (parameter) => {
      const angle = 2 * Math.PI * turns * parameter;
      return [Math.cos(angle), Math.sin(angle), 0.05 * parameter];
    },
    radiusAt: (parameter) => radius + growth * parameter,
    inBoth: overlap / 2,
    across: overlap,
    inOne: 0.5,
  };
}

/** Creates a void along a part of the curve of a body, within its shell. */
function createVoid({ curve, radiusAt, sides }: CrossingBody, center: number, random: Random): IndexedMesh {
  const fraction = (0.5 + random() * 0.4) * Math.cos(Math.PI / sides);
  const half = 0.03 + random() * 0.05;
  const toWhole = (parameter: number) => center + half * (2 * parameter - 1);
  return makeSweep(
    (parameter) => curve(toWhole(parameter)),
    (parameter) => fraction * radiusAt(toWhole(parameter)),
    4 + Math.floor(random() * 12),
    sides,
    false,
  );
}

/** Returns pieces of a body between rings of its shell. */
function cutBody({ curve, radiusAt, sides, isClosed }: CrossingBody): IndexedMesh[] {
  const last = isClosed ? RINGS : RINGS - 1;
  return Array.from({ length: PIECES }, (_, i) => {
    const [first, end] = [Math.round((i * last) / PIECES), Math.round(((i + 1) * last) / PIECES)];
    const toWhole = (parameter: number) => (first + parameter * (end - first)) / last;
    return makeSweep(
      (parameter) => curve(toWhole(parameter)),
      (parameter) => radiusAt(toWhole(parameter)),
      end - first + 1,
      sides,
      false,
    );
  });
}

/** Gives a corner of every fifth triangle or so a vertex of its own, up to a hundred-thousandth of the size away. */
function crack(mesh: IndexedMesh, random: Random): IndexedMesh {
  const positions = [...mesh.positions];
  const triangles = mesh.triangles.slice();
  for (let corner = 0; corner < triangles.length; corner += 3) {
    if (random() > 0.2) continue;
    const vertex = triangles[corner] ?? 0;
    triangles[corner] = positions.length / 3;
    for (let k = 0; k < 3; k++) positions.push((mesh.positions[vertex * 3 + k] ?? 0) + (random() - 0.5) * 2e-5);
  }
  return { positions: Float64Array.from(positions), triangles };
}

function pickTriangle({ triangles }: IndexedMesh, random: Random): number {
  return Math.floor((random() * triangles.length) / 3);
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)] as T; // `random` is below 1, and no list is empty
}
