import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { meshOf } from './mesh-of.js';

/** A closed body over a polygon in the plane, from z = 0 up to `height`; `cover` are the triangles that its floor and its lid consist of. */
export function makePrism(
  outline: readonly (readonly [number, number])[],
  cover: readonly (readonly [number, number, number])[],
  height: number,
): IndexedMesh {
  const count = outline.length;
  return meshOf(
    [...outline.map(([x, y]) => [x, y, 0]), ...outline.map(([x, y]) => [x, y, height])],
    [
      ...cover.flatMap(([a, b, c]) => [
        [a, c, b],
        [a + count, b + count, c + count],
      ]),
      ...outline.flatMap((_, a) => {
        const b = (a + 1) % count;
        return [
          [a, b, b + count],
          [a, b + count, a + count],
        ];
      }),
    ],
  );
}
