const ROWS = 12;
const COLUMNS = 14;
const RADIUS_MM = 10;
const OMITTED_TRIANGLES = 3;
// Binary STL: the sizes of the header, of a triangle and of its normal, in bytes.
const HEADER = 84;
const TRIANGLE = 50;
const NORMAL = 12;

type Corner = readonly [number, number, number];

/** Creates the triangles of a ball, counterclockwise from outside. */
export function createBall(rows: number, columns: number): Corner[][] {
  const corner = (row: number, column: number): Corner => {
    const [polar, azimuth] = [(Math.PI * row) / rows, (2 * Math.PI * (column % columns)) / columns];
    const ringRadiusMm = row === 0 || row === rows ? 0 : RADIUS_MM * Math.sin(polar);
    return [ringRadiusMm * Math.cos(azimuth), ringRadiusMm * Math.sin(azimuth), RADIUS_MM * Math.cos(polar)];
  };
  const triangles: Corner[][] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [a, b] = [corner(row, column), corner(row + 1, column)];
      const [c, d] = [corner(row + 1, column + 1), corner(row, column + 1)];
      if (row < rows - 1) triangles.push([a, b, c]);
      if (row > 0) triangles.push([a, c, d]);
    }
  }
  return triangles;
}

/** Creates a ball with a hole as binary STL: a small model that most repair steps apply to. */
export function createWarmUpModel(): Uint8Array {
  const triangles = createBall(ROWS, COLUMNS).slice(OMITTED_TRIANGLES);
  const stl = Buffer.alloc(HEADER + triangles.length * TRIANGLE);
  stl.writeUInt32LE(triangles.length, HEADER - 4);
  triangles.forEach((corners, index) => {
    corners.flat().forEach((value, offset) => {
      stl.writeFloatLE(value, HEADER + index * TRIANGLE + NORMAL + offset * 4);
    });
  });
  return stl;
}
