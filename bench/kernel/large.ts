import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { bundle } from './bundle.js';
import { roundTo } from './figures.js';
import { runTool } from './run-tool.js';
import { makeSphere } from './sphere.js';

const TIMEOUT_MS = 600_000;
/** Rings of spheres of about one and ten million triangles. */
const RINGS = { one: 708, ten: 2237 };

/**
 * Measures the repair of binary STL with one and ten million triangles to binary STL: time inside a new process, and
 * memory.
 */
export async function measureLarge() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-large-'));
  try {
    const program = await bundle('repair-once');
    const [one, ten] = [RINGS.one, RINGS.ten].map((rings) => measure(program, folder, rings));
    if (!one || !ten) throw new Error('Could not repair a model.');
    return {
      what: 'binary STL to repaired binary STL, inside a fresh process',
      oneMillionMs: roundTo(one.wholeMs),
      tenMillionMs: roundTo(ten.wholeMs),
      timesOneMillion: roundTo(ten.wholeMs / one.wholeMs, 1),
      reachTimes: 11,
      tenMillionPeakMb: roundTo(ten.peakMb),
      bytesPerTriangle: roundTo(((ten.peakMb - 80) * 2 ** 20) / ten.triangles),
      reachBytesPerTriangle: 140,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measure(program: string, folder: string, rings: number) {
  const source = path.join(folder, 'model.stl');
  const descriptor = openSync(source, 'w');
  for (const chunk of serializeModel(makeSphere(rings), 'stl')) writeSync(descriptor, chunk);
  closeSync(descriptor);
  const { stdout } = runTool(process.execPath, [program, source, path.join(folder, 'repaired.stl')], TIMEOUT_MS);
  // The output is not validated: the program is part of this repository.
  return stdout.startsWith('{')
    ? (JSON.parse(stdout) as { wholeMs: number; peakMb: number; triangles: number })
    : undefined;
}
