import { readFile } from 'node:fs/promises';
import type { MeshGeometry } from '../../../src/mesh/core/mesh.js';
import { serializePreview } from '../../../src/mesh/formats/gltf/preview-writer.js';
import { parseModel } from '../../../src/mesh/formats/parse-model.js';
import { createPreview } from '../../../src/mesh/preview/create-preview.js';
import { repair } from '../../../src/mesh/repair/repair.js';

/** Creates the file of a preview of a mesh. */
export async function previewOf(mesh: MeshGeometry, maxTriangles = 200_000): Promise<Uint8Array> {
  return Buffer.concat([...(await serializePreview(await createPreview(mesh, { maxTriangles })))]);
}

/** Creates the previews of the damaged bracket of the samples, before and after a repair. */
export async function previewBracket(): Promise<{ damaged: Uint8Array; repaired: Uint8Array }> {
  const { mesh } = await parseModel(await readFile('samples/bracket.stl'), { filename: 'bracket.stl' });
  return { damaged: await previewOf(mesh), repaired: await previewOf(repair(mesh).mesh) };
}
