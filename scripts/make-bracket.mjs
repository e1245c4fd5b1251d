// Creates the sample model: an angle bracket with countersunk screw holes, rounded corners and a rib, with the defects
// of files from old programs. `node scripts/make-bracket.mjs [OUT]` writes samples/bracket.stl; `--sound` omits
// the defects.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import earcut from 'earcut';

// Lengths in mm. The foot is in the plane z = 0, the back in x = 0; both span the whole width in y.
const FOOT = 60;
const BACK = 50;
const WIDTH = 40;
const THICKNESS = 5;
const CORNER = 6; // radius of the free corners
const RIB = { from: 17.5, to: 22.5, reach: 25 };
const SCREW = { radius: 2.75, headRadius: 5.5, headDepth: 2.75, sides: 48 };
const CORNER_SIDES = 12;

// Each leg is defined in (u, v): u along the leg from the inner edge of the angle, v across. `toSpace` maps it to x, y,
// z.
const LEGS = [
  { length: FOOT, toSpace: (u, v, depth) => [u, v, THICKNESS - depth], isMirrored: false },
  { length: BACK, toSpace: (u, v, depth) => [THICKNESS - depth, v, u], isMirrored: true },
];

/** Returns the triangles of the bracket without defects: nine coordinates each, counterclockwise seen from outside. */
function createBracket() {
  const triangles = [];
  for (const leg of LEGS) triangles.push(...createLeg(leg));
  // The two profiles (an L shape without the rounded corners) and the rib.
  const end = { foot: FOOT - CORNER, back: BACK - CORNER };
  const profile = [
    [0, 0],
    [end.foot, 0],
    [end.foot, THICKNESS],
    [THICKNESS, THICKNESS],
    [THICKNESS, end.back],
    [0, end.back],
  ];
  triangles.push(...polygon([profile], (x, z) => [x, 0, z]));
  triangles.push(...polygon([profile], (x, z) => [x, WIDTH, z]).map(flipTriangle));
  const tip = THICKNESS + RIB.reach;
  const side = [
    [THICKNESS, THICKNESS],
    [tip, THICKNESS],
    [THICKNESS, tip],
  ];
  triangles.push(...polygon([side], (x, z) => [x, RIB.from, z]));
  triangles.push(...polygon([side], (x, z) => [x, RIB.to, z]).map(flipTriangle));
  triangles.push(
    ...quad([tip, RIB.from, THICKNESS], [tip, RIB.to, THICKNESS], [THICKNESS, RIB.to, tip], [THICKNESS, RIB.from, tip]),
  );
  return triangles.map((triangle) => triangle.map(Math.fround));
}

function createLeg({ length, toSpace, isMirrored }) {
  const holes = [
    [length - 14, 10],
    [length - 14, WIDTH - 10],
  ];
  const ring = (radius, [u, v]) =>
    Array.from({ length: SCREW.sides }, (_, i) => {
      const angle = (2 * Math.PI * i) / SCREW.sides;
      return [u + radius * Math.cos(angle), v + radius * Math.sin(angle)];
    });
  const rounded = [...createCorner(length, 0), ...createCorner(length, WIDTH)];
  const tip = THICKNESS + RIB.reach;
  const inner = [
    [THICKNESS, 0],
    ...rounded,
    [THICKNESS, WIDTH],
    [THICKNESS, RIB.to],
    [tip, RIB.to],
    [tip, RIB.from],
    [THICKNESS, RIB.from],
  ];
  const outer = [[0, 0], ...rounded, [0, WIDTH]];
  const leg = [
    ...polygon([inner, ...holes.map((hole) => ring(SCREW.headRadius, hole))], (u, v) => toSpace(u, v, 0)),
    ...polygon([outer, ...holes.map((hole) => ring(SCREW.radius, hole))], (u, v) => toSpace(u, v, THICKNESS)).map(
      flipTriangle,
    ),
    // Around the free end, between the two faces.
    ...wall(
      rounded,
      (u, v) => toSpace(u, v, THICKNESS),
      (u, v) => toSpace(u, v, 0),
      false,
    ),
  ];
  for (const hole of holes) {
    const [head, shaft] = [ring(SCREW.headRadius, hole), ring(SCREW.radius, hole)];
    const deep = (points, depth) => points.map(([u, v]) => toSpace(u, v, depth));
    leg.push(
      ...holeWall(deep(head, 0), deep(shaft, SCREW.headDepth)),
      ...holeWall(deep(shaft, SCREW.headDepth), deep(shaft, THICKNESS)),
    );
  }
  return isMirrored ? leg.map(flipTriangle) : leg;
}

/** Returns a quarter circle around the free corner of a leg at v = 0 or v = WIDTH, counterclockwise. */
function createCorner(length, v) {
  const middle = [length - CORNER, v === 0 ? CORNER : WIDTH - CORNER];
  const start = v === 0 ? -Math.PI / 2 : 0;
  return Array.from({ length: CORNER_SIDES + 1 }, (_, i) => {
    if (i === 0 && v === 0) return [length - CORNER, 0];
    if (i === CORNER_SIDES && v !== 0) return [length - CORNER, WIDTH];
    const angle = start + (Math.PI / 2) * (i / CORNER_SIDES);
    return [middle[0] + CORNER * Math.cos(angle), middle[1] + CORNER * Math.sin(angle)];
  });
}

function flipTriangle([ax, ay, az, bx, by, bz, cx, cy, cz]) {
  return [ax, ay, az, cx, cy, cz, bx, by, bz];
}
function quad(a, b, c, d) {
  return [
    [...a, ...b, ...c],
    [...a, ...c, ...d],
  ];
}

/** Triangulates a polygon with holes, counterclockwise in its own plane. */
function polygon(rings, place) {
  const points = rings.flat();
  const holes = rings.slice(1).map((_, i) => rings.slice(0, i + 1).flat().length); // the first point of each hole
  const corners = earcut(points.flat(), holes);
  const triangles = [];
  for (let i = 0; i < corners.length; i += 3) {
    const [a, b, c] = corners.slice(i, i + 3).map((corner) => points[corner]);
    const isClockwise = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]) < 0;
    triangles.push([a, isClockwise ? c : b, isClockwise ? b : c].flatMap(([u, v]) => place(u, v)));
  }
  return triangles;
}

/** Returns quads along a chain of points, between two depths. */
function wall(points, from, to) {
  return points
    .slice(1)
    .flatMap((point, i) => quad(from(...points[i]), from(...point), to(...point), to(...points[i])));
}

/** Returns the wall of a hole between two rings, facing its axis. */
function holeWall(upper, lower) {
  return upper.flatMap((point, i) => {
    const next = (i + 1) % upper.length;
    return quad(point, upper[next], lower[next], lower[i]);
  });
}

/** Adds holes, flipped triangles, cracks and duplicates, at the same places each time. */
function damageBracket(sound) {
  const random = createPrng(20);
  const pick = () => Math.floor(random() * sound.length);
  const triangles = sound.map((triangle) => [...triangle]);
  for (let i = 0; i < 40; i++) {
    const flipped = pick();
    triangles[flipped] = flipTriangle(triangles[flipped]);
  }
  for (let i = 0; i < 24; i++) {
    const cracked = triangles[pick()];
    const corner = Math.floor(random() * 3) * 3;
    for (let k = 0; k < 3; k++) cracked[corner + k] = Math.fround(cracked[corner + k] + (random() - 0.5) * 0.004);
  }
  const duplicates = [triangles[pick()], triangles[pick()]];
  const omitted = new Set();
  for (let i = 0; i < 12; i++) {
    const first = pick();
    for (let k = 0; k <= i % 3; k++) omitted.add(first + k);
  }
  return [...triangles.filter((_, i) => !omitted.has(i)), ...duplicates];
}

/** Returns a linear congruential generator of numbers in [0, 1), equal on every machine. */
function createPrng(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function toStl(triangles) {
  const bytes = Buffer.alloc(84 + triangles.length * 50);
  bytes.write('Angle bracket, mm', 'latin1');
  bytes.writeUInt32LE(triangles.length, 80);
  triangles.forEach((corners, i) => {
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = corners;
    const [ux, uy, uz, vx, vy, vz] = [bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az];
    const normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(...normal);
    [...normal.map((part) => part / length), ...corners].forEach((value, k) => {
      bytes.writeFloatLE(value, 84 + i * 50 + k * 4);
    });
  });
  return bytes;
}

const args = process.argv.slice(2);
const root = path.resolve(fileURLToPath(import.meta.url), '../..');
const out = path.resolve(args.find((arg) => !arg.startsWith('--')) ?? path.join(root, 'samples/bracket.stl'));
const sound = createBracket();
mkdirSync(path.dirname(out), { recursive: true });
writeFileSync(out, toStl(args.includes('--sound') ? sound : damageBracket(sound)));
