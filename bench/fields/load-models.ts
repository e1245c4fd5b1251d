import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AnalysisWithPlaces } from '../../src/mesh/analysis/report.js';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { MeshError } from '../../src/mesh/core/mesh-error.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { importFormatOf } from '../../src/mesh/formats/registry.js';
import { repair } from '../../src/mesh/repair/repair.js';

const MODEL_COUNT = 24;
const MAX_TRIANGLES = 16_000;

/** A model of a benchmark. */
export interface Model {
  name: string;
  mesh: IndexedMesh;
  /** The repaired mesh. */
  solid: IndexedMesh;
  /** The analysis of `solid`. */
  analyzed: AnalysisWithPlaces;
}

/** Returns the 24 largest models of up to 16,000 triangles in the given folders that a repair makes solid. */
export async function loadModels(folders: readonly string[]): Promise<Model[]> {
  const models: Model[] = [];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
  );
  const seen = new Set<string>(); // triangle counts and areas of the models so far: copies are measured once
  for (const file of files.filter((name) => importFormatOf(name) !== undefined).sort()) {
    const mesh = await readModel(file);
    if (!mesh || mesh.triangles.length / 3 > MAX_TRIANGLES) continue;
    const { mesh: solid, analyzed, report } = repair(mesh);
    const key = `${report.before.triangles} ${report.before.surfaceAreaMm2.toPrecision(6)}`;
    if (report.verdict.level !== 'solid' || seen.has(key)) continue;
    seen.add(key);
    models.push({ name: path.basename(file), mesh, solid, analyzed });
  }
  return models.sort((a, b) => b.mesh.triangles.length - a.mesh.triangles.length).slice(0, MODEL_COUNT);
}

async function readModel(file: string): Promise<IndexedMesh | undefined> {
  try {
    return (await parseModel(readFileSync(file), { filename: path.basename(file) })).mesh;
  } catch (error) {
    if (error instanceof MeshError) return undefined;
    throw error;
  }
}
