import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeCube } from './cube.js';
import { joined, placed } from './mesh-of.js';

/** Creates a row of twenty disjoint cubes that is shorter than a float32 ulp at its position. */
export function makeCrowd(): IndexedMesh {
  return joined(...Array.from({ length: 20 }, (_, i) => placed(makeCube(), [1000, 1000, 1000 + i * 1e-9], 1e-10)));
}
