import { writeFile } from 'node:fs/promises';

const HEADER_BYTES = 84;
const TRIANGLE_BYTES = 50;

/**
 * Writes a binary STL of a sphere with bumps, of about `triangleCount` triangles and 100 mm across, with one triangle in
 * `holeEvery` missing: a model whose repair takes a while. The same arguments give the same bytes.
 */
export async function writeBumpySphere(file: string, triangleCount: number, holeEvery = 5000): Promise<void> {
  const rows = Math.round(Math.sqrt(triangleCount / 4));
  const columns = rows * 2;
  const bytes = Buffer.alloc(HEADER_BYTES + rows * columns * 2 * TRIANGLE_BYTES);
  let written = 0;
  const corner = (row: number, column: number): [number, number, number] => {
    const polar = (row / rows) * Math.PI;
    const around = ((column % columns) / columns) * 2 * Math.PI;
    const isPole = row === 0 || row === rows;
    const radius = 50 + (isPole ? 0 : Math.sin(polar * 9) * Math.sin(around * 12) * Math.sin(polar));
    const flat = isPole ? 0 : Math.sin(polar);
    return [radius * flat * Math.cos(around), radius * flat * Math.sin(around), radius * Math.cos(polar)];
  };
  let seen = 0;
  const add = (...corners: [number, number, number][]) => {
    seen += 1;
    if (seen % holeEvery === 0) return;
    let offset = HEADER_BYTES + written * TRIANGLE_BYTES + 12;
    for (const value of corners.flat()) offset = bytes.writeFloatLE(value, offset);
    written += 1;
  };
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const [a, b] = [corner(row, column), corner(row, column + 1)];
      const [c, d] = [corner(row + 1, column), corner(row + 1, column + 1)];
      if (row > 0) add(a, c, b);
      if (row < rows - 1) add(b, c, d);
    }
  bytes.writeUInt32LE(written, 80);
  await writeFile(file, bytes.subarray(0, HEADER_BYTES + written * TRIANGLE_BYTES));
}
