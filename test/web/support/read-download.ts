import { readFile } from 'node:fs/promises';
import type { Download } from 'playwright-core';

/** Resolves with the bytes of a download once it is complete. */
export async function readDownload(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

/** Returns the number of triangles in a binary STL. */
export function countTriangles(stl: Buffer): number {
  const count = stl.readUInt32LE(80);
  if (stl.length !== 84 + 50 * count) throw new Error(`No binary STL: ${stl.length} bytes for ${count} triangles.`);
  return count;
}
