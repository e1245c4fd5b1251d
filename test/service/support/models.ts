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

// Counter-clockwise from outside, two triangles a side: bottom, top, front, right, back, left.
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

const facet = (indices: number[]): string => {
  const lines = indices.map((index) => `vertex ${CORNERS[index]?.join(' ')}`);
  return `facet normal 0 0 0\nouter loop\n${lines.join('\n')}\nendloop\nendfacet\n`;
};

const asciiStl = (triangles: number[][]): string => `solid cube\n${triangles.map(facet).join('')}endsolid cube\n`;

/** A cube of 10 mm as ASCII STL. */
export const CUBE = asciiStl(TRIANGLES);

/** The same without one triangle. */
export const OPEN_CUBE = asciiStl(TRIANGLES.slice(1));

/** A binary STL of `count` cubes of 1 mm side by side: 12 triangles each, 600 bytes. */
export const manyCubes = (count: number): Uint8Array => {
  const bytes = new Uint8Array(84 + count * TRIANGLES.length * 50);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, count * TRIANGLES.length, true);
  let at = 84;
  for (let cube = 0; cube < count; cube++) {
    const [shiftX, shiftY] = [(cube % 1000) * 2, Math.floor(cube / 1000) * 2];
    for (const triangle of TRIANGLES) {
      triangle.forEach((index, corner) => {
        const [x = 0, y = 0, z = 0] = CORNERS[index] ?? [];
        view.setFloat32(at + 12 + corner * 12, x / 10 + shiftX, true);
        view.setFloat32(at + 16 + corner * 12, y / 10 + shiftY, true);
        view.setFloat32(at + 20 + corner * 12, z / 10, true);
      });
      at += 50;
    }
  }
  return bytes;
};
