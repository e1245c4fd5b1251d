import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { importFormatOf } from '../../src/mesh/formats/registry.js';
import { repair } from '../../src/mesh/repair/repair.js';

/** A folder of models, with subfolders. It need not exist. */
const FOLDER = process.env.JUDGED_MODELS ?? '../shared/models';
/** Damage to a model of fewer triangles leaves too little of its shape. */
const MIN_TRIANGLES = 100;
/** Limits the time. */
const MAX_TRIANGLES = 4000;

/** Returns the models of the folder that can be read, by file name. */
export async function readModels(): Promise<Record<string, IndexedMesh>> {
  const models: Record<string, IndexedMesh> = {};
  const names = existsSync(FOLDER) ? readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }) : [];
  for (const name of names.filter((each) => importFormatOf(each) !== undefined).sort()) {
    const mesh = await tryParse(path.join(FOLDER, name));
    if (mesh !== undefined) models[name] = mesh;
  }
  return models;
}

/**
 * Returns the models of the folder that a repair without a union makes solids, by file name. A union leaves details of a
 * millionth of the diagonal, which are as small as some damage.
 */
export async function readSolids(): Promise<Record<string, IndexedMesh>> {
  const solids: Record<string, IndexedMesh> = {};
  for (const [name, mesh] of Object.entries(await readModels())) {
    if (!hasMediumSize(mesh)) continue;
    const { mesh: repaired, report } = repair(mesh, { preserveTopology: true });
    if (report.verdict.level === 'solid') solids[name] = repaired;
  }
  return solids;
}

function hasMediumSize({ triangles }: IndexedMesh): boolean {
  const count = triangles.length / 3;
  return count >= MIN_TRIANGLES && count <= MAX_TRIANGLES;
}

/** Returns the mesh of a file, or `undefined` if it is invalid or encrypted. */
async function tryParse(file: string): Promise<IndexedMesh | undefined> {
  try {
    return (await parseModel(readFileSync(file), { filename: path.basename(file) })).mesh;
  } catch {
    return undefined;
  }
}
