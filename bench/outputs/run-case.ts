// The process in which bench/outputs.ts runs the kernel, so that a deadline can end it: takes a case, sends back its digests.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { MeshError } from '../../src/mesh/core/mesh-error.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { listDamageCases } from '../../test/mesh/models/damage-cases.js';
import { digestReport } from './digest.js';
import { type Digests, digestOutputs } from './digest-outputs.js';

/** What to run: a file, or a cell of the damage table. */
export type OutputCase = { name: string } & ({ file: string } | { stride: number });

async function digestCase(request: OutputCase): Promise<Digests> {
  if ('file' in request) return digestFile(request.file);
  const match = listDamageCases(request.stride).find(({ name }) => name === request.name);
  if (!match) throw new Error(`The damage table has no cell "${request.name}".`);
  return digestOutputs(match.transform(match.createDamaged(match.createBody())));
}

async function digestFile(file: string): Promise<Digests> {
  try {
    const { mesh, warnings } = await parseModel(readFileSync(file), { filename: path.basename(file) });
    return { warnings: digestReport(warnings), ...digestOutputs(mesh) };
  } catch (error) {
    if (error instanceof MeshError) return { error: error.code };
    throw error;
  }
}

process.once('message', (request: OutputCase) => {
  void digestCase(request).then((digests) => process.send?.(digests));
});
