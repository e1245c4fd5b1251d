import { BOX_FACES, BOX_POINTS, crossOf, directionsOf } from './box.js';

type Point = readonly [number, number, number];
function pointOf(corner: number): Point {
  return BOX_POINTS[corner] ?? [0, 0, 0];
}

/** Returns the box in the text format of OpenCASCADE: 8 vertices, 12 edges on lines, 6 faces on planes. */
export function brepBox(): Buffer {
  const curves: string[] = [];
  const surfaces: string[] = [];
  const shapes: string[] = [];
  const edges = new Map<string, number>(); // "from,to" → its number among the shapes
  for (const point of BOX_POINTS) shapes.push(`Ve\n1e-07\n${point.join(' ')}\n0 0\n\n0101101\n*`);
  // A shape is referenced by its distance from the last one, so all 8 + 12 + 6 + 6 + 2 shapes are created first.
  const total = BOX_POINTS.length + 12 + BOX_FACES.length * 2 + 2;
  const reference = (index: number, sign: string): string => `${sign}${total - index} 0`;
  const edge = (a: number, b: number): string => {
    const existing = edges.get(`${b},${a}`);
    if (existing !== undefined) return reference(existing, '-');
    const [from, to] = [pointOf(a), pointOf(b)];
    const along = from.map((value, k) => (to[k] ?? 0) - value);
    curves.push(`1 ${from.join(' ')} ${along.map(Math.sign).join(' ')} `);
    edges.set(`${a},${b}`, shapes.length);
    const ends = `${reference(a, '+')} ${reference(b, '-')} *`;
    shapes.push(`Ed\n 1e-07 1 1 0\n1  ${curves.length} 0 0 ${Math.hypot(...along)}\n0\n\n0101000\n${ends}`);
    return reference(shapes.length - 1, '+');
  };
  const faces: number[] = [];
  for (const corners of BOX_FACES) {
    const sides = corners.map((corner, i) => edge(corner, corners[(i + 1) % 4] ?? corner));
    const { normal, along } = directionsOf(corners);
    const vectors = [pointOf(corners[0]), normal, along, crossOf(normal, along)];
    surfaces.push(`1 ${vectors.map((vector) => vector.join(' ')).join(' ')} `);
    shapes.push(`Wi\n\n0101100\n${sides.join(' ')} *`);
    const wire = reference(shapes.length - 1, '+');
    shapes.push(`Fa\n0  1e-07 ${surfaces.length} 0\n\n0111000\n${wire} *`);
    faces.push(shapes.length - 1);
  }
  shapes.push(`Sh\n\n0101100\n${faces.map((face) => reference(face, '+')).join(' ')} *`);
  shapes.push(`So\n\n1100000\n${reference(shapes.length - 1, '+')} *`);
  const text = `DBRep_DrawableShape

CASCADE Topology V1, (c) Matra-Datavision
Locations 0
Curve2ds 0
Curves ${curves.length}
${curves.join('\n')}
Polygon3D 0
PolygonOnTriangulations 0
Surfaces ${surfaces.length}
${surfaces.join('\n')}
Triangulations 0

TShapes ${shapes.length}
${shapes.join('\n')}

+1 0 `;
  return Buffer.from(text);
}
