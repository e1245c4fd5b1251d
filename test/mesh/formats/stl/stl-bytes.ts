/**
 * Returns a binary STL of facets with nine coordinates each and zero normals, as many programs write them. `count` is
 * the declared count.
 */
export function binaryStl(facets: readonly (readonly number[])[], count = facets.length, header = ''): Buffer {
  const bytes = Buffer.alloc(84 + facets.length * 50);
  bytes.write(header, 'latin1');
  bytes.writeUInt32LE(count, 80);
  facets.forEach((corners, i) => {
    corners.forEach((value, k) => {
      bytes.writeFloatLE(value, 84 + i * 50 + 12 + k * 4);
    });
  });
  return bytes;
}

/** Two facets that share an edge, with four vertices. */
export const TWO_FACETS = [
  [0, 0, 0, 1, 0, 0, 0, 1, 0],
  [1, 0, 0, 1, 1, 0, 0, 1, 0],
];
