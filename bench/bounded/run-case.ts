// The process in which bench/bounded.ts repairs and exports models, so that a deadline can end it: takes a case, sends back its figures.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { MeshError } from '../../src/mesh/core/mesh-error.js';
import { fitToFormat } from '../../src/mesh/formats/fit-to-format.js';
import { parseModel } from '../../src/mesh/formats/parse-model.js';
import { EXPORT_FORMATS } from '../../src/mesh/formats/registry.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { repair } from '../../src/mesh/repair/repair.js';
import { DENSE_MODELS } from '../../test/mesh/models/dense.js';
import { digestMesh } from '../outputs/digest.js';
import { makeDamaged } from './damaged.js';

/** What to run: a file, a dense model or a damaged solid. */
export type BoundedCase = { name: string } & ({ file: string } | { dense: string } | { seed: number });

/** Figures of a case. `parts`: part → its processor time in ms. */
export interface BoundedFigures {
  triangles: number;
  level: string;
  intersecting: number;
  volumeMm3: number;
  warnings: string[];
  digest: string;
  parts: Record<string, number>;
  /** Level and remaining intersecting triangles of the binary STL. */
  stlLevel: string;
  stlIntersecting: number;
}

function load(request: BoundedCase): Promise<IndexedMesh> | IndexedMesh {
  if ('seed' in request) return makeDamaged(request.seed).mesh;
  if ('dense' in request)
    return DENSE_MODELS[request.dense]?.() ?? { positions: new Float64Array(), triangles: new Uint32Array() };
  return parseModel(readFileSync(request.file), { filename: path.basename(request.file) }).then(({ mesh }) => mesh);
}

function measure(mesh: IndexedMesh): BoundedFigures {
  const parts: Record<string, number> = {};
  let last = measureCpuMs();
  const record = (part: string) => {
    const now = measureCpuMs();
    parts[part] = Math.round((parts[part] ?? 0) + now - last);
    last = now;
  };
  const { mesh: repaired, report } = repair(mesh, {
    onProgress: (progress) => record(`repair until ${progress.toFixed(2)}`),
  });
  record('report');
  const { after, verdict } = report;
  let stl = { level: verdict.level as string, intersecting: countIntersecting(after) };
  for (const { id } of EXPORT_FORMATS) {
    const fit = fitToFormat(repaired, id);
    if (id === 'stl' && fit.report) {
      stl = { level: fit.report.verdict.level, intersecting: countIntersecting(fit.report.after) };
    }
    try {
      for (const _ of serializeModel(fit.mesh, id));
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
    }
    record(id);
  }
  return {
    triangles: mesh.triangles.length / 3,
    level: verdict.level,
    intersecting: countIntersecting(after),
    volumeMm3: after.volumeMm3,
    warnings: report.warnings.map(({ code }) => code),
    digest: digestMesh(repaired),
    parts,
    stlLevel: stl.level,
    stlIntersecting: stl.intersecting,
  };
}

/** Returns the processor time of this process so far: it hardly depends on the load of the machine. */
function measureCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function countIntersecting({
  qualityParams,
}: {
  qualityParams: Record<'overlappingTriangles' | 'intersectingTriangles', number>;
}) {
  return qualityParams.overlappingTriangles + qualityParams.intersectingTriangles;
}

process.on('message', (request: BoundedCase) => {
  void Promise.resolve()
    .then(() => load(request))
    .then(measure)
    .catch((error: unknown) => {
      if (error instanceof MeshError) return { error: error.code };
      throw error;
    })
    .then((figures) => process.send?.(figures));
});
