import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { makeCube } from './cube.js';
import { joined, placed } from './mesh-of.js';

/** Twenty cubes apart from each other in a row that is shorter than what float32 can tell apart there. */
export function makeCrowd(): IndexedMesh {
  return joined(...Array.from({ length: 20 }, (_, i) => placed(makeCube(), [1000, 1000, 1000 + i * 1e-9], 1e-10)));
}
