import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { computeBounds, diagonalOf } from '../../src/mesh/geometry/bounds.js';
import { BODIES } from '../../test/mesh/models/bodies.js';
import { joined, placed } from '../../test/mesh/models/mesh-of.js';
import { createRandom } from '../../test/mesh/models/random.js';
import { SPOILS, spoilt } from '../../test/mesh/models/spoils.js';
import { rotated } from '../../test/mesh/models/transform.js';

/** Needs a solid, and is therefore the first damage. */
const MEMBRANE = 'a membrane inside';
const MAX_TRIANGLES = 20_000;
/** Parts of a model: one in four has a second solid that overlaps the first. */
const PAIR_PROBABILITY = 0.25;
/** Distances from the origin, in diagonals. */
const OFFSET_FACTORS = [0, 0, 1, 1000];

/** Returns a solid with two or three kinds of damage. Deterministic for each seed. */
export function makeDamaged(seed: number): { name: string; mesh: IndexedMesh } {
  const random = createRandom(seed * 40503);
  for (let i = 0; i < 8; i++) random(); // the first numbers of similar seeds are similar
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const body = pick(Object.keys(BODIES));
  const count = random() < 0.5 ? 2 : 3;
  const names = new Set<string>();
  while (names.size < count) names.add(pick(Object.keys(SPOILS)));
  const damages = [...names].sort((a, b) => Number(b === MEMBRANE) - Number(a === MEMBRANE));
  let mesh = BODIES[body]?.() as IndexedMesh;
  const sizeMm = diagonalOf(computeBounds(mesh.positions));
  damages.forEach((damage, i) => {
    const spoil = SPOILS[damage];
    if (spoil) mesh = spoilt(mesh, spoil, seed * 3 + i);
  });
  let name = `${body}, ${damages.join(', ')}`;
  if (random() < PAIR_PROBABILITY) {
    const other = pick(Object.keys(BODIES));
    const second = placed(rotated(BODIES[other]?.() as IndexedMesh, 1), [sizeMm * 0.1, sizeMm * 0.05, sizeMm * 0.07]);
    if (mesh.triangles.length + second.triangles.length < MAX_TRIANGLES * 3) {
      mesh = joined(mesh, second);
      name += `, with ${other}`;
    }
  }
  const factor = pick(OFFSET_FACTORS);
  const turned = random() < 0.5 ? mesh : rotated(mesh);
  return { name: `${seed}: ${name}, ${factor} sizes off`, mesh: placed(turned, [sizeMm * factor, 0, sizeMm * factor]) };
}
