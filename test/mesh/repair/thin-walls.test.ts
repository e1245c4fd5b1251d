import 'should';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { repair } from '../../../src/mesh/repair/repair.js';
import { compareWithTruth } from '../models/compare-with-truth.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver } from '../models/mesh-of.js';
import { createRandom } from '../models/random.js';
import { NEAR_SPOILS, SPOILS, type Spoil } from '../models/spoils.js';
import { makeLathe } from '../models/sweeps.js';

/** Walls of 0.1 mm in models of 100 mm. */
const THIN_WALLED: Record<string, () => IndexedMesh> = {
  'a hollow box': () => joined(placed(makeCube(), [0, 0, 0], 50), turnedOver(placed(makeCube(), [0, 0, 0], 49.9))),
  'a cup': () =>
    makeLathe(
      [
        [0, 0],
        [50, 0],
        [50, 100],
        [49.9, 100],
        [49.9, 0.1],
        [0, 0.1],
      ],
      48,
    ),
};

const DAMAGES: readonly (readonly string[])[] = [
  ['every corner off by a millionth'],
  ['a twentieth nearly twice'],
  ['a twentieth twice'],
  ['a twentieth nearly twice', 'every corner off by a millionth'],
  ['every corner off by a millionth', 'a twentieth nearly twice'],
  ['every corner off by a millionth', 'a twentieth twice', 'inside out'],
];

describe('repair of walls of 0.1 mm in models of 100 mm', () => {
  for (const [name, create] of Object.entries(THIN_WALLED)) {
    it(`returns ${name} unchanged`, () => {
      const mesh = create();
      repair(mesh).mesh.should.equal(mesh);
    });

    for (const damages of DAMAGES) {
      it(`keeps the walls of ${name}, damaged: ${damages.join(', then ')}`, () => {
        const spoils: Record<string, Spoil> = { ...SPOILS, ...NEAR_SPOILS };
        const random = createRandom(7);
        const damaged = damages.reduce((mesh, damage) => spoils[damage]?.spoil(mesh, random) ?? mesh, create());
        const { mesh } = repair(damaged);
        (compareWithTruth(mesh, create()) ?? 'as before').should.equal('as before');
      });
    }
  }
});
