import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { meshOf } from './mesh-of.js';

/**
 * Creates a prism from z = 0 to `height`.
 *
 * @param outline polygon, counterclockwise seen from above
 * @param cover triangles of the polygon, as indices into `outline`
 */
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
