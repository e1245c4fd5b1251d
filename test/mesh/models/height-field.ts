import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { meshOf } from './mesh-of.js';

/** Creates a square of 1 mm, divided into `count` × `count` squares, with a height at each point. It faces up. */
export function makeHeightField(count: number, heightAt: (x: number, y: number) => number): IndexedMesh {
  const positions: number[][] = [];
  const triangles: number[][] = [];
  for (let j = 0; j <= count; j++)
    for (let i = 0; i <= count; i++) positions.push([i / count, j / count, heightAt(i / count, j / count)]);
  for (let j = 0; j < count; j++)
    for (let i = 0; i < count; i++) {
      const a = j * (count + 1) + i;
      triangles.push([a, a + 1, a + count + 2], [a, a + count + 2, a + count + 1]);
    }
  return meshOf(positions, triangles);
}
