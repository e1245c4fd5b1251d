const ROWS = 12;
const COLUMNS = 14;
const RADIUS_MM = 10;
const OMITTED_TRIANGLES = 3;
// Of a binary STL: the bytes before the triangles, of a triangle, and of its normal.
const HEADER = 84;
const TRIANGLE = 50;
const NORMAL = 12;

type Corner = readonly [number, number, number];

/** The triangles of a ball: three corners each, counter-clockwise from outside. */
function createBall(): Corner[][] {
  const corner = (row: number, column: number): Corner => {
    const [down, round] = [(Math.PI * row) / ROWS, (2 * Math.PI * (column % COLUMNS)) / COLUMNS];
    const across = row === 0 || row === ROWS ? 0 : RADIUS_MM * Math.sin(down);
    return [across * Math.cos(round), across * Math.sin(round), RADIUS_MM * Math.cos(down)];
  };
  const triangles: Corner[][] = [];
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < COLUMNS; column++) {
      const [a, b] = [corner(row, column), corner(row + 1, column)];
      const [c, d] = [corner(row + 1, column + 1), corner(row, column + 1)];
      if (row < ROWS - 1) triangles.push([a, b, c]);
      if (row > 0) triangles.push([a, c, d]);
    }
  }
  return triangles;
}

/** A ball with a hole as binary STL: small, and it leads through most steps of a repair. */
export function createWarmUpModel(): Uint8Array {
  const triangles = createBall().slice(OMITTED_TRIANGLES);
  const stl = Buffer.alloc(HEADER + triangles.length * TRIANGLE);
  stl.writeUInt32LE(triangles.length, HEADER - 4);
  triangles.forEach((corners, index) => {
    corners.flat().forEach((value, offset) => {
      stl.writeFloatLE(value, HEADER + index * TRIANGLE + NORMAL + offset * 4);
    });
  });
  return stl;
}
