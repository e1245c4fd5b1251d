import { readFileSync } from 'node:fs';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { fitToFormat } from '../../src/mesh/formats/fit-to-format.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { makeSoundBracket } from '../mesh/models/bracket.js';
import { DAMAGES } from '../mesh/models/damages.js';
import { placed } from '../mesh/models/mesh-of.js';
import { TANGLES } from '../mesh/models/tangles.js';
import { makeTorus } from '../mesh/models/torus.js';
import { rotated } from '../mesh/models/transform.js';

/** Returns a mesh as exported to a binary STL. */
export function serializeStl(mesh: IndexedMesh): Uint8Array {
  return Buffer.concat([...serializeModel(fitToFormat(mesh, 'stl').mesh, 'stl')]);
}

/** Returns models to repair by the name of their defect: the sample, damaged solids, and self-intersecting bodies. */
export async function createBrokenModels(): Promise<Map<string, IndexedMesh>> {
  const sample = readFileSync('samples/bracket.stl');
  const models = new Map([['the sample', (await parseModel(sample, { filename: 'bracket.stl' })).mesh]]);
  for (const [name, sound] of Object.entries({ bracket: makeSoundBracket(), torus: makeTorus() }))
    for (const [damage, applyDamage] of Object.entries(DAMAGES))
      models.set(`a ${name} that had ${damage}`, applyDamage(sound));
  for (const [name, { mesh }] of Object.entries(TANGLES)) {
    models.set(name, mesh());
    models.set(`${name}, rotated and far from the origin`, placed(rotated(mesh()), [300, -500, 700]));
  }
  return models;
}

/** Returns the models of `brokenModels`, repaired. */
export async function createRepairedModels(): Promise<Map<string, IndexedMesh>> {
  const models = await createBrokenModels();
  return new Map([...models].map(([name, mesh]) => [name, repair(mesh).mesh]));
}
