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

/** A mesh as the export writes it to a binary STL. */
export const stlOf = (mesh: IndexedMesh): Uint8Array =>
  Buffer.concat([...serializeModel(fitToFormat(mesh, 'stl').mesh, 'stl')]);

/** Models that a repair has to do with, by what is the matter with them: the sample, sound bodies damaged, and bodies in a tangle. */
export async function brokenModels(): Promise<Map<string, IndexedMesh>> {
  const sample = readFileSync('examples/models/bracket.stl');
  const models = new Map([['the sample', (await parseModel(sample, { filename: 'bracket.stl' })).mesh]]);
  for (const [name, sound] of Object.entries({ bracket: makeSoundBracket(), torus: makeTorus() }))
    for (const [damage, spoil] of Object.entries(DAMAGES)) models.set(`a ${name} that had ${damage}`, spoil(sound));
  for (const [name, { mesh }] of Object.entries(TANGLES)) {
    models.set(name, mesh());
    models.set(`${name}, turned and far from the origin`, placed(rotated(mesh()), [300, -500, 700]));
  }
  return models;
}

/** The same, repaired. */
export async function repairedModels(): Promise<Map<string, IndexedMesh>> {
  const models = await brokenModels();
  return new Map([...models].map(([name, mesh]) => [name, repair(mesh).mesh]));
}
