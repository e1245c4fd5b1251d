import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { BODIES } from './bodies.js';
import { makeCube } from './cube.js';
import { TRANSFORMS } from './damage-cases.js';
import { createRandom } from './random.js';
import { NEAR_SPOILS, SPOILS, type Spoil } from './spoils.js';

/** A solid with several kinds of damage, and the solid that a repair should restore. Both are deterministic. */
export interface CombinedCase {
  /** The kinds of damage, in the order of `SPOILS`. */
  kind: string;
  /** The name of the solid, the kinds of damage in the order in which they are applied, the transform and the seed. */
  name: string;
  /** The largest tolerance of the kinds of damage, at least 1 %: a large hole in a curved region has no unique filling. */
  toleranceFraction: number;
  createDamaged: () => IndexedMesh;
  createTruth: () => IndexedMesh;
}

/** These are applied first, in this order: they change the shape, or need a surface whose triangles share vertices. */
const FIRST_DAMAGES: readonly string[] = ['spikes', 'a copy that overlaps', 'a membrane inside', 'a large hole'];

const DAMAGES: Record<string, Spoil> = { ...SPOILS, ...NEAR_SPOILS };

/** Solids by name. */
type Bodies = Readonly<Record<string, () => IndexedMesh>>;

/** Lists all pairs of the thirteen kinds of damage on all solids, 78 for each: 1,014 cases for `BODIES`, the default. */
export function listPairs(bodies: Bodies = BODIES): CombinedCase[] {
  const kinds = Object.keys(SPOILS);
  const pairs = kinds.flatMap((one, index) => kinds.slice(index + 1).map((other) => [one, other]));
  return listCases(pairs, bodies);
}

/** Lists the pairs with near-duplicates of a twentieth of the triangles on all solids: 182 cases. */
export function listNearDuplicates(): CombinedCase[] {
  const twice = 'a twentieth nearly twice';
  return listCases(
    Object.keys(DAMAGES)
      .filter((kind) => kind !== twice)
      .map((kind) => [kind, twice]),
    BODIES,
  );
}

/** Lists random solids with three random kinds of damage. */
export function listTriples(count: number, seed: number): CombinedCase[] {
  const random = createRandom(seed);
  const [kinds, bodies] = [Object.keys(SPOILS), Object.entries(BODIES)];
  return Array.from({ length: count }, (_, index) => {
    const chosen = shuffle(kinds, random).slice(0, 3);
    const [body, createBody] = bodies[Math.floor(random() * bodies.length)] ?? ['', makeCube];
    return createCase({ body, createBody, damages: chosen, seed: seed * 100_000 + index });
  });
}

function listCases(combinations: readonly (readonly string[])[], bodies: Bodies): CombinedCase[] {
  const entries = Object.entries(bodies);
  return combinations.flatMap((damages, row) =>
    entries.map(([body, createBody], column) =>
      createCase({ body, createBody, damages, seed: row * entries.length + column + 1 }),
    ),
  );
}

interface CaseOptions {
  body: string;
  createBody: () => IndexedMesh;
  damages: readonly string[];
  seed: number;
}

function createCase({ body, createBody, damages, seed }: CaseOptions): CombinedCase {
  const ordered = orderDamages(damages, createRandom(seed));
  const [label, transform] = TRANSFORMS[seed % TRANSFORMS.length] ?? TRANSFORMS[0];
  const apply = (kinds: readonly string[]) =>
    kinds.reduce((mesh, kind) => {
      const order = ordered.indexOf(kind);
      return DAMAGES[kind]?.spoil(mesh, createRandom((seed * 16 + order) * 2654435761)) ?? mesh;
    }, createBody());
  return {
    kind: Object.keys(DAMAGES)
      .filter((kind) => damages.includes(kind))
      .join(' + '),
    name: `${body}: ${ordered.join(', then ')}; ${label} (seed ${seed})`,
    toleranceFraction: Math.max(0.01, ...ordered.map((kind) => DAMAGES[kind]?.tolerance ?? 0)),
    createDamaged: () => transform(apply(ordered)),
    createTruth: () => {
      const shapeDamages = ordered.filter((kind) => DAMAGES[kind]?.truthMm3);
      const shape = apply(shapeDamages);
      return transform(shapeDamages.length > 0 ? repair(shape).mesh : shape);
    },
  };
}

/** Returns the damages in the order in which they are applied: random, but for `FIRST_DAMAGES`. */
function orderDamages(damages: readonly string[], random: () => number): string[] {
  const others = damages.filter((damage) => !FIRST_DAMAGES.includes(damage));
  return [...FIRST_DAMAGES.filter((damage) => damages.includes(damage)), ...shuffle(others, random)];
}

function shuffle<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}
