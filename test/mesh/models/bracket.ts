import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { parseOwn } from '../formats/parse-own.js';

/** Runs `scripts/make-bracket.mjs` and returns its STL file: a solid, or damaged as the sample. */
export function makeBracketFile(isSolid: boolean): Uint8Array {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bracket-'));
  try {
    const file = path.join(folder, 'bracket.stl');
    execFileSync(process.execPath, ['scripts/make-bracket.mjs', file, ...(isSolid ? ['--sound'] : [])]);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Creates the bracket of the sample without its damage. */
export function makeSoundBracket(): IndexedMesh {
  return parseOwn(makeBracketFile(true), { filename: 'bracket.stl' }).mesh;
}
