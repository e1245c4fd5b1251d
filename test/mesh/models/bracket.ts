import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { parseOwn } from '../formats/parse-own.js';

/** The bytes that `scripts/make-bracket.mjs` writes: damaged as the sample is, or sound. */
export function makeBracketFile(isSound: boolean): Uint8Array {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bracket-'));
  try {
    const file = path.join(folder, 'bracket.stl');
    execFileSync(process.execPath, ['scripts/make-bracket.mjs', file, ...(isSound ? ['--sound'] : [])]);
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The bracket before it was damaged. */
export function makeSoundBracket(): IndexedMesh {
  return parseOwn(makeBracketFile(true), { filename: 'bracket.stl' }).mesh;
}
