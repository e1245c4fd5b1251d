import { readFileSync } from 'node:fs';
import { analyzeWithPlaces } from '../../src/mesh/analysis/analyze.js';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { fitToFormat } from '../../src/mesh/formats/fit-to-format.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { computeBounds, diagonalOf } from '../../src/mesh/geometry/bounds.js';
import { type HollowResult, hollow } from '../../src/mesh/hollow/hollow.js';
import { reduceSolid } from '../../src/mesh/reduce/reduce-triangles.js';
import { closeMesh } from '../../src/mesh/repair/close-mesh.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { shrinkwrap } from '../../src/mesh/shrinkwrap/shrinkwrap.js';
import { BODIES } from '../mesh/models/bodies.js';
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

/** Returns solids that were hollowed with walls of 2 % of their diagonal. */
export function createHollowedModels(): Map<string, IndexedMesh> {
  const solids = { torus: () => makeTorus(), knot: BODIES['trefoil knot'], ball: BODIES['bumpy ball'] };
  return new Map(
    Object.entries(solids).flatMap(([name, make]) => {
      const solid = make?.();
      if (!solid) return [];
      const wallMm = diagonalOf(computeBounds(solid.positions)) * 0.02;
      return [[name, hollow(solid, analyzeWithPlaces(solid), { wallMm, reduce: reduceSolid }).mesh]];
    }),
  );
}

/** Returns solids that were hollowed inward and outward, with three drain holes of 3 % of their diagonal. */
export function createDrainedModels(): Map<string, HollowResult> {
  const models = new Map<string, HollowResult>();
  for (const name of ['torus', 'trefoil knot', 'hollow ball', 'bracket', 'stairs']) {
    const solid = BODIES[name]?.();
    if (!solid) continue;
    const analyzed = analyzeWithPlaces(solid);
    const diagonalMm = diagonalOf(computeBounds(solid.positions));
    const drainHoles = { countPerCavity: 3, diameterMm: diagonalMm * 0.03, upAxis: 'z' as const };
    for (const direction of ['inward', 'outward'] as const) {
      const options = { wallMm: diagonalMm * 0.02, direction, drainHoles, reduce: reduceSolid };
      models.set(`${name}, ${direction}`, hollow(solid, analyzed, options));
    }
  }
  return models;
}

/** Returns the models of `brokenModels`, wrapped. */
export async function createWrappedModels(): Promise<Map<string, IndexedMesh>> {
  const models = await createBrokenModels();
  return new Map(
    [...models].map(([name, mesh]) => [name, shrinkwrap(mesh, { accuracy: 'Rough', close: closeMesh }).mesh]),
  );
}

/** Returns the models of `brokenModels`, repaired. */
export async function createRepairedModels(): Promise<Map<string, IndexedMesh>> {
  const models = await createBrokenModels();
  return new Map([...models].map(([name, mesh]) => [name, repair(mesh).mesh]));
}
