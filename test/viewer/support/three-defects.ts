import type { Box } from './camera-model.js';

/** A defect of the prepared model: where it is, and the color in which viewers show its kind. */
export interface PreparedDefect {
  /** Its name in the list of defects. */
  name: string;
  centerMm: readonly [number, number, number];
  color: readonly [red: number, green: number, blue: number];
}

const [COLUMNS, ROWS, CELL_MM] = [20, 16, 5];
const HEIGHT_MM = 10;
/** Cells of the upper side: column, row. */
const [MISSING, FLIPPED, CROSSED] = [
  [3, 11],
  [10, 2],
  [16, 11],
] as const;
const CUBE_HALF_MM = 1.5;
const CUBE_TURN = 0.35;

/** The bounds of the prepared model. */
export const PREPARED_BOX: Box = { min: [-50, -40, 0], max: [50, 40, HEIGHT_MM + CUBE_HALF_MM] };

/** The three defects, far from each other on the upper side. */
export const PREPARED_DEFECTS: readonly PreparedDefect[] = [
  { name: 'boundary edge', centerMm: centerOf(MISSING), color: [0xd6, 0x14, 0x2c] },
  { name: 'inconsistently wound edge', centerMm: centerOf(FLIPPED), color: [0x00, 0x7a, 0x3d] },
  { name: 'intersecting triangle', centerMm: centerOf(CROSSED), color: [0xd4, 0x00, 0xa8] },
];

function centerOf([column, row]: readonly [number, number]): [number, number, number] {
  return [(column + 0.5 - COLUMNS / 2) * CELL_MM, (row + 0.5 - ROWS / 2) * CELL_MM, HEIGHT_MM];
}

function isCell([column, row]: readonly [number, number], i: number, j: number): boolean {
  return column === i && row === j;
}

/**
 * Creates an OFF of a plate of 100 × 80 × 10 mm whose upper side lacks a square, has one that is flipped, and one that a
 * small cube crosses.
 */
export function createPreparedModel(): string {
  const vertices: number[][] = [];
  const faces: number[][] = [];
  const at = (i: number, j: number, level: 0 | 1) => (level * (ROWS + 1) + j) * (COLUMNS + 1) + i;
  for (const z of [0, HEIGHT_MM])
    for (let j = 0; j <= ROWS; j++)
      for (let i = 0; i <= COLUMNS; i++) vertices.push([(i - COLUMNS / 2) * CELL_MM, (j - ROWS / 2) * CELL_MM, z]);
  for (let i = 0; i < COLUMNS; i++) {
    for (let j = 0; j < ROWS; j++) {
      faces.push([at(i, j, 0), at(i, j + 1, 0), at(i + 1, j + 1, 0), at(i + 1, j, 0)]);
      const upper = [at(i, j, 1), at(i + 1, j, 1), at(i + 1, j + 1, 1), at(i, j + 1, 1)];
      if (!isCell(MISSING, i, j)) faces.push(isCell(FLIPPED, i, j) ? upper.reverse() : upper);
    }
  }
  for (let i = 0; i < COLUMNS; i++) {
    faces.push([at(i, 0, 0), at(i + 1, 0, 0), at(i + 1, 0, 1), at(i, 0, 1)]);
    faces.push([at(i + 1, ROWS, 0), at(i, ROWS, 0), at(i, ROWS, 1), at(i + 1, ROWS, 1)]);
  }
  for (let j = 0; j < ROWS; j++) {
    faces.push([at(0, j + 1, 0), at(0, j, 0), at(0, j, 1), at(0, j + 1, 1)]);
    faces.push([at(COLUMNS, j, 0), at(COLUMNS, j + 1, 0), at(COLUMNS, j + 1, 1), at(COLUMNS, j, 1)]);
  }
  addCube(vertices, faces);
  const lines = [...vertices, ...faces.map((face) => [face.length, ...face])].map((numbers) => numbers.join(' '));
  return `OFF\n${vertices.length} ${faces.length} 0\n${lines.join('\n')}\n`;
}

/** Adds the cube that crosses the upper side. It is turned, so that it shares no plane and no edge with it. */
function addCube(vertices: number[][], faces: number[][]): void {
  const first = vertices.length;
  const [x, y, z] = centerOf(CROSSED);
  for (const level of [-1, 1]) {
    for (let corner = 0; corner < 4; corner++) {
      const angle = CUBE_TURN + (Math.PI / 2) * corner;
      const radius = CUBE_HALF_MM * Math.SQRT2;
      vertices.push([x + radius * Math.cos(angle), y + radius * Math.sin(angle), z + level * CUBE_HALF_MM]);
    }
  }
  const sides = [0, 1, 2, 3].map((corner) => [corner, (corner + 1) % 4, ((corner + 1) % 4) + 4, corner + 4]);
  for (const face of [[3, 2, 1, 0], [4, 5, 6, 7], ...sides]) faces.push(face.map((vertex) => vertex + first));
}
