import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { IndexedMesh } from '../../src/mesh/core/mesh.js';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { makeSphere } from './sphere.js';

/** Rings of a sphere of about a million triangles. */
const RINGS = 708;

/** Writes a model of a million triangles as other programs do. Returns the path of the file of each format. */
export function writeSpeedFiles(folder: string): Record<'stl' | 'stl-ascii' | 'obj' | '3mf', string> {
  const sphere = makeSphere(RINGS);
  const short = { ...sphere, positions: sphere.positions.map((value) => Number(value.toFixed(6))) };
  const at = (name: string, chunks: Iterable<Uint8Array>): string => write(path.join(folder, name), chunks);
  return {
    stl: at('model.stl', serializeModel(sphere, 'stl')),
    'stl-ascii': at('ascii.stl', serializeAsciiStl(sphere)),
    obj: at('model.obj', serializeModel(short, 'obj')),
    '3mf': at('model.3mf', serializeModel(short, '3mf')),
  };
}

function write(file: string, chunks: Iterable<Uint8Array>): string {
  const descriptor = openSync(file, 'w');
  for (const chunk of chunks) writeSync(descriptor, chunk);
  closeSync(descriptor);
  return file;
}

/**
 * Returns an ASCII STL with nine digits per number, as C programs write it. The normals are placeholders, which readers
 * ignore.
 */
function* serializeAsciiStl({ positions, triangles }: IndexedMesh): Iterable<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('solid model\n');
  for (let offset = 0; offset < triangles.length; offset += 3) {
    let text = '  facet normal  1.00000000E+00  0.00000000E+00  0.00000000E+00\n    outer loop\n';
    for (const vertex of triangles.subarray(offset, offset + 3)) {
      const coordinates = Array.from(positions.subarray(vertex * 3, vertex * 3 + 3), formatExponential);
      text += `      vertex ${coordinates.join(' ')}\n`;
    }
    yield encoder.encode(`${text}    endloop\n  endfacet\n`);
  }
  yield encoder.encode('endsolid model\n');
}

function formatExponential(value: number): string {
  return Math.fround(value)
    .toExponential(8)
    .replace(/e([+-])(\d)$/, 'E$10$2')
    .replace('e', 'E');
}
