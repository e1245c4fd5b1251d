import { writeFile } from 'node:fs/promises';

const HEADER_BYTES = 84;
const TRIANGLE_BYTES = 50;

/**
 * Writes a binary STL file of a sphere with bumps, of about `triangleCount` triangles and a diameter of 100 mm. Every
 * `holeEvery`-th triangle is missing. The repair takes several seconds. The output is deterministic.
 */
export async function writeBumpySphere(file: string, triangleCount: number, holeEvery = 5000): Promise<void> {
  const rows = Math.round(Math.sqrt(triangleCount / 4));
  const columns = rows * 2;
  const bytes = Buffer.alloc(HEADER_BYTES + rows * columns * 2 * TRIANGLE_BYTES);
  let writtenCount = 0;
  const corner = (row: number, column: number): [number, number, number] => {
    const polar = (row / rows) * Math.PI;
    const azimuth = ((column % columns) / columns) * 2 * Math.PI;
    const isPole = row === 0 || row === rows;
    const radius = 50 + (isPole ? 0 : Math.sin(polar * 9) * Math.sin(azimuth * 12) * Math.sin(polar));
    const sinPolar = isPole ? 0 : Math.sin(polar);
    return [radius * sinPolar * Math.cos(azimuth), radius * sinPolar * Math.sin(azimuth), radius * Math.cos(polar)];
  };
  let addedCount = 0;
  const add = (...corners: [number, number, number][]) => {
    addedCount += 1;
    if (addedCount % holeEvery === 0) return;
    let offset = HEADER_BYTES + writtenCount * TRIANGLE_BYTES + 12;
    for (const value of corners.flat()) offset = bytes.writeFloatLE(value, offset);
    writtenCount += 1;
  };
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const [a, b] = [corner(row, column), corner(row, column + 1)];
      const [c, d] = [corner(row + 1, column), corner(row + 1, column + 1)];
      if (row > 0) add(a, c, b);
      if (row < rows - 1) add(b, c, d);
    }
  bytes.writeUInt32LE(writtenCount, 80);
  await writeFile(file, bytes.subarray(0, HEADER_BYTES + writtenCount * TRIANGLE_BYTES));
}
