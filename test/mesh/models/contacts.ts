import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { joined, placed, turnedOver } from './mesh-of.js';
import { createRandom } from './random.js';
import { SPOILS } from './spoils.js';
import { makePlate } from './sweeps.js';
import { rotated } from './transform.js';

/** An upright prism. */
export interface Prism {
  /** The outline, counterclockwise, then its holes. */
  rings: readonly (readonly (readonly [number, number])[])[];
  z: number;
  height: number;
}

/** A prism, and a cavity in it. */
export interface Solid {
  solid: Prism;
  cavity?: Prism;
}

/** Bodies that touch, as one mesh. */
export interface ContactCase {
  name: string;
  solids: readonly Solid[];
  /** Places the bodies, or their union: rotates and scales a mesh. */
  place: (mesh: IndexedMesh) => IndexedMesh;
  /** The placed bodies as one mesh, rounded and damaged. */
  createMesh: () => IndexedMesh;
}

type Random = () => number;
type Point = readonly [number, number];

const pickInteger = (random: Random, count: number) => Math.floor(random() * count);
/** Returns a number of eighths from `min` to `max`: its sums are exact. */
const pickEighths = (random: Random, min: number, max: number) =>
  min + pickInteger(random, Math.round((max - min) * 8) + 1) / 8;

/** The kinds of damage that leave the shape as it is. */
const SINGLE_DAMAGES = [
  'a third turned over',
  'inside out',
  'every corner a little off',
  'a twentieth twice',
  'edges split on one side',
  'stray triangles',
] as const;

/** Creates an upright prism from its lowest z on. */
const makePrismAt = (rings: readonly (readonly Point[])[], z: number, height: number): Prism => ({ rings, z, height });

function makeRectangle(x: number, y: number, width: number, depth: number): Point[] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + depth],
    [x, y + depth],
  ];
}

const makeBlock = ([x = 0, y = 0, z = 0]: readonly number[], [width = 1, depth = 1, height = 1]: readonly number[]) =>
  makePrismAt([makeRectangle(x, y, width, depth)], z, height);

/** A box by its lowest corner and its size. */
type Block = readonly [min: readonly number[], size: readonly number[]];

/** Places a box of a size on a face of another: it touches at least a quarter of the width along each axis. */
function placeBeside([min, size]: Block, random: Random, sizes: readonly number[]): Block {
  const [axis, isAbove] = [pickInteger(random, 3), random() < 0.5];
  const position = [0, 1, 2].map((k) => {
    const [start = 0, extent = 0, own = 0] = [min[k], size[k], sizes[k]];
    if (k === axis) return isAbove ? start + extent : start - own;
    return Math.round(pickEighths(random, start - own + own / 4, start + extent - extent / 4) * 8) / 8;
  });
  return [position, sizes];
}

function stackBlocks(random: Random, pickSizes: (random: Random) => number[]): Solid[] {
  const blocks: Block[] = [[[0, 0, 0], pickSizes(random)]];
  const count = 2 + pickInteger(random, 4);
  while (blocks.length < count) {
    const base = blocks[pickInteger(random, blocks.length)];
    if (base) blocks.push(placeBeside(base, random, pickSizes(random)));
  }
  return blocks.map(([min, size]) => ({ solid: makeBlock(min, size) }));
}

const pickSizes = (random: Random) => [0, 1, 2].map(() => pickEighths(random, 0.5, 6));
const pickWholeSizes = (random: Random) => [0, 1, 2].map(() => 1 + pickInteger(random, 3));

function createCircle(count: number, radius: number, x = 0, y = 0): Point[] {
  return Array.from({ length: count }, (_, i): Point => {
    const angle = (2 * Math.PI * i) / count;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

const solidsOf = (...prisms: readonly Prism[]): Solid[] => prisms.map((solid) => ({ solid }));

/** kind of contact → the bodies */
const KINDS: Record<string, (random: Random) => Solid[]> = {
  'boxes face to face': (random) => stackBlocks(random, pickSizes),
  'boxes of whole sizes': (random) => stackBlocks(random, pickWholeSizes),
  'boxes face to face, and one through them': (random) => [
    ...stackBlocks(random, pickSizes),
    { solid: makeBlock([0.25, 0.3125, 0.1875], [1.625, 5.4375, 3.0625]) },
  ],
  'two that overlap on a third'(random) {
    const height = pickEighths(random, 1, 3);
    const start = pickEighths(random, -1, 2);
    return solidsOf(
      makeBlock([0, 0, 0], [6, 5, height]),
      makeBlock([start, 1, height], [3, 2.5, 2]),
      makeBlock([start + 1.5, pickEighths(random, 1.25, 4), height], [4, 2, pickEighths(random, 1, 3)]),
    );
  },
  'three at an edge'(random) {
    const [a, b, c] = [pickEighths(random, 1, 4), pickEighths(random, 1, 4), pickEighths(random, 1, 4)];
    const z = () => pickEighths(random, -1, 1);
    return solidsOf(
      makeBlock([0, 0, z()], [a, b, 3]),
      makeBlock([-c, 0, z()], [c, pickEighths(random, 1, 4), 3]),
      makeBlock([-pickEighths(random, 1, 4), -2, z()], [4, 2, 3]),
    );
  },
  'cylinders on a plate'(random) {
    const height = pickEighths(random, 0.5, 2);
    const depth = pickEighths(random, 3, 6);
    const lower = createCircle(6 + pickInteger(random, 40), pickEighths(random, 1, 2.5));
    const upper = createCircle(5 + pickInteger(random, 20), pickEighths(random, 0.5, 3), pickEighths(random, -1, 1));
    const top = pickEighths(random, 1, 3);
    return solidsOf(
      makeBlock([-3, -2, -height], [7, depth, height]),
      makePrismAt([lower], 0, top),
      makePrismAt([upper], top, 2),
    );
  },
  'a pin in a bore'(random) {
    const circle = createCircle(6 + pickInteger(random, 42), pickEighths(random, 1, 3));
    return solidsOf(
      makePrismAt([makeRectangle(-4, -4, 9, 8), circle], 0, pickEighths(random, 1, 4)),
      makePrismAt([circle], pickEighths(random, -1, 0.5), pickEighths(random, 1, 6)),
    );
  },
  'a ring around a rod on a foot'(random) {
    const circle = createCircle(8 + pickInteger(random, 24), 2);
    return solidsOf(
      makePrismAt([createCircle(30, 3.5), circle], 0, pickEighths(random, 1, 2)),
      makePrismAt([circle], 0, pickEighths(random, 3, 5)),
      makeBlock([-4, -4, -1], [pickEighths(random, 4, 8), 8, 1]),
    );
  },
  'prisms at an oblique face'(random) {
    const lower: Point[] = [
      [0, 0],
      [6, 0],
      [2, 4],
      [0, 4],
    ];
    const shift = pickEighths(random, -1, 1);
    const upper: Point[] = [
      [6 + shift, -shift],
      [8, 5],
      [2 + shift, 4 - shift],
    ];
    return solidsOf(
      makePrismAt([lower], 0, pickEighths(random, 1, 3)),
      makePrismAt([upper], pickEighths(random, -0.5, 0.5), pickEighths(random, 1, 3)),
    );
  },
  'a body in its cavity': (random) => [
    { solid: makeBlock([0, 0, 0], [6, 5, 4]), cavity: makeBlock([1, 1, 1], [4, 3, 2]) },
    { solid: makeBlock([1, 1.5, 1], [pickEighths(random, 1, 3), 1.5, 2]) },
  ],
};

function makeSolid({ solid, cavity }: Solid): IndexedMesh {
  const [outer, ...inner] = [solid, ...(cavity ? [cavity] : [])].map(({ rings: [outline = [], ...holes], z, height }) =>
    placed(makePlate(outline, holes, height), [0, 0, z]),
  );
  return joined(...(outer ? [outer] : []), ...inner.map((mesh) => turnedOver(mesh)));
}

/**
 * Creates bodies that touch at faces: of random shapes, two thirds rotated, from 0.1 to 10⁴ mm in size, half of them in
 * float32, and a third with damage that leaves the shape as it is.
 */
export function makeContactCase(seed: number): ContactCase {
  const random = createRandom(seed * 2654435761);
  for (let i = 0; i < 8; i++) random(); // the first numbers of neighboring seeds are alike
  const kinds = Object.keys(KINDS);
  const kind = kinds[seed % kinds.length] ?? '';
  const solids = KINDS[kind]?.(random) ?? [];
  const angle = random() < 1 / 3 ? 0 : random() * 3;
  const factor = 10 ** (-2 + 5 * random());
  const isFloat32 = random() < 0.5;
  const damage = random() < 1 / 3 ? SINGLE_DAMAGES[pickInteger(random, SINGLE_DAMAGES.length)] : undefined;
  const damageSeed = pickInteger(random, 2 ** 31);
  const place = (mesh: IndexedMesh) => placed(angle === 0 ? mesh : rotated(mesh, angle), [0, 0, 0], factor);
  const round = (mesh: IndexedMesh) => (isFloat32 ? { ...mesh, positions: mesh.positions.map(Math.fround) } : mesh);
  const parts = [`rotated by ${angle.toFixed(2)}`, `scaled by ${factor.toPrecision(3)}`];
  const name = [kind, ...parts, ...(isFloat32 ? ['in float32'] : []), ...(damage ? [damage] : [])].join(', ');
  return {
    name: `${seed}: ${name}`,
    solids,
    place,
    createMesh() {
      const mesh = place(joined(...solids.map(makeSolid)));
      return round(damage ? (SPOILS[damage]?.spoil(mesh, createRandom(damageSeed)) ?? mesh) : mesh);
    },
  };
}
