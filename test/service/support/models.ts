const CORNERS = [
  [0, 0, 0],
  [10, 0, 0],
  [10, 10, 0],
  [0, 10, 0],
  [0, 0, 10],
  [10, 0, 10],
  [10, 10, 10],
  [0, 10, 10],
];

// Counterclockwise from outside, two triangles a side: bottom, top, front, right, back, left.
const TRIANGLES = [
  [0, 2, 1],
  [0, 3, 2],
  [4, 5, 6],
  [4, 6, 7],
  [0, 1, 5],
  [0, 5, 4],
  [1, 2, 6],
  [1, 6, 5],
  [2, 3, 7],
  [2, 7, 6],
  [3, 0, 4],
  [3, 4, 7],
];

function facet(indices: number[]): string {
  const lines = indices.map((index) => `vertex ${CORNERS[index]?.join(' ')}`);
  return `facet normal 0 0 0\nouter loop\n${lines.join('\n')}\nendloop\nendfacet\n`;
}

function asciiStl(triangles: number[][]): string {
  return `solid cube\n${triangles.map(facet).join('')}endsolid cube\n`;
}

/** A cube of 10 mm as ASCII STL. */
export const CUBE = asciiStl(TRIANGLES);

/** The same cube without one triangle. */
export const OPEN_CUBE = asciiStl(TRIANGLES.slice(1));

const RADIUS = 50;

/** Creates a binary STL of a sphere of radius 50 mm: one shell of `2 * columns * (rows - 1)` triangles. */
export function sphere(rows: number, columns: number): Uint8Array {
  const count = 2 * columns * (rows - 1);
  const bytes = new Uint8Array(84 + count * 50);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, count, true);
  const corner = (row: number, column: number): number[] => {
    if (row === 0 || row === rows) return [0, 0, row === 0 ? RADIUS : -RADIUS];
    const [polar, azimuth] = [(Math.PI * row) / rows, (2 * Math.PI * (column % columns)) / columns];
    return [
      RADIUS * Math.sin(polar) * Math.cos(azimuth),
      RADIUS * Math.sin(polar) * Math.sin(azimuth),
      RADIUS * Math.cos(polar),
    ];
  };
  let offset = 84;
  const add = (...corners: number[][]): void => {
    corners.flat().forEach((value, index) => {
      view.setFloat32(offset + 12 + index * 4, value, true);
    });
    offset += 50;
  };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [a, b] = [corner(row, column), corner(row + 1, column)];
      const [c, d] = [corner(row + 1, column + 1), corner(row, column + 1)];
      if (row < rows - 1) add(a, b, c);
      if (row > 0) add(a, c, d);
    }
  }
  return bytes;
}
