import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildJudge, type Judgment, runJudge } from '../../bench/judge/judge.js';
import { buildDistanceMeter, measureDistance, type SurfaceDistance } from '../../bench/judge/measure-distance.js';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';

/** Of one judgment, on a busy machine. */
const TIMEOUT_MS = 600_000;

/** What CGAL finds in meshes. */
export interface MeshJudge {
  /** Judges a mesh with float64 coordinates. */
  judge: (mesh: IndexedMesh) => Judgment;
  /** Measures how far the first surface is from the second one. */
  measure: (from: IndexedMesh, to: IndexedMesh) => SurfaceDistance;
}

/** Creates a judge that writes its files to `folder`. Compiles its programs, unless they exist: that takes a minute. */
export function createMeshJudge(folder: string): MeshJudge {
  const programs = path.join(os.tmpdir(), 'model-processing-judge');
  const [judge, meter] = [buildJudge(programs), buildDistanceMeter(programs)];
  const write = (mesh: IndexedMesh, name: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, Buffer.concat([...serializeModel(mesh, 'off')]));
    return file;
  };
  return {
    judge: (mesh) => runJudge(judge, write(mesh, 'judged.off'), TIMEOUT_MS),
    measure: (from, to) => measureDistance(meter, write(from, 'from.off'), write(to, 'to.off')),
  };
}

/** Returns the sum of the genera of the shells of a closed mesh, from V - E + F = 2 (shells - genus). */
export function genusOf({ eulerCharacteristic, shellVolumesMm3 }: Judgment): number {
  return shellVolumesMm3.length - eulerCharacteristic / 2;
}
