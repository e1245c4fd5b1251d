import { addNotes } from '../../analysis/model-notes.js';
import { createUnchangedReport } from '../../analysis/unchanged-report.js';
import { computeBounds } from '../../geometry/bounds.js';
import type { PreviewDefects } from '../../preview/collect-defects.js';
import type { Preview } from '../../preview/create-preview.js';
import { COLORS, type LinearRgb } from '../../rendering/shade.js';
import { serializeGlbContainer, TO_METERS } from './glb-container.js';
import { createGrid, type Grid, MeshoptBuffers } from './meshopt-buffers.js';

const MODES = { lines: 1, triangles: 4 } as const;
const MATERIALS = { surface: 0, defect: 1 } as const;
const EXTENSIONS = ['KHR_mesh_quantization', 'EXT_meshopt_compression'];

/**
 * Serializes a preview as GLB (glTF 2.0) with 16-bit positions (`KHR_mesh_quantization`), compressed
 * (`EXT_meshopt_compression`). Scene 0 is the surface and the defects, each kind in a primitive of its own; scene 1, if
 * there is one, the coarse surface. For a mesh without triangles, scene 0 is empty. `asset.extras` contains the report
 * of the model. Deterministic. Throws a RangeError if memory does not suffice.
 */
export async function serializePreview(preview: Preview): Promise<Iterable<Uint8Array>> {
  const { mesh, surface, coarseSurface, defects } = preview;
  const asset = { version: '2.0', generator: 'Model Processing', extras: createExtras(preview) };
  // glTF has no empty primitives.
  if (surface.triangles.length === 0)
    return serializeGlbContainer({ asset, scene: 0, scenes: [{ name: 'model' }] }, 0, []);
  const grid = createGrid(computeBounds(mesh.positions));
  const buffers = await MeshoptBuffers.create(grid);
  const surfaces = [surface, ...(coarseSurface ? [coarseSurface] : [])];
  const [main, ...coarse] = surfaces.map(({ positions, triangles }) => ({
    ...buffers.add(positions, triangles, 'triangles'),
    ...{ mode: MODES.triangles, material: MATERIALS.surface },
  }));
  const defectPrimitives = defects.map((each) => toDefectPrimitive(each, mesh.positions, buffers));
  const meshes = [
    { name: 'model', primitives: [main, ...defectPrimitives] },
    ...coarse.map((primitive) => ({ name: 'coarse', primitives: [primitive] })),
  ];
  const json = {
    asset,
    extensionsUsed: EXTENSIONS,
    extensionsRequired: EXTENSIONS,
    scene: 0,
    scenes: meshes.map(({ name }, i) => ({ name, nodes: [i * 2] })),
    nodes: meshes.flatMap((_, i) => createNodes(i, grid)),
    meshes,
    materials: [describeMaterial('surface', COLORS.front), describeMaterial('defect', COLORS.openEdge)],
    ...buffers.describe(),
  };
  return serializeGlbContainer(json, buffers.bytes, buffers.chunks);
}

function createExtras({ analyzed, notes, surface, deviationMm }: Preview): object {
  return {
    report: addNotes(createUnchangedReport(analyzed), notes),
    triangles: analyzed.analysis.triangles,
    trianglesShown: surface.triangles.length / 3,
    deviationMm,
  };
}

/** Returns the nodes of a mesh: its coordinates are steps of the grid, below a node millimeters, then meters. */
function createNodes(mesh: number, { origin, stepMm }: Grid): object[] {
  return [
    { matrix: TO_METERS, children: [mesh * 2 + 1] },
    { mesh, translation: origin, scale: [stepMm, stepMm, stepMm] },
  ];
}

function toDefectPrimitive(
  { kind, count, countShown, vertices, verticesPerElement }: PreviewDefects,
  positions: Float64Array,
  buffers: MeshoptBuffers,
): object {
  const mode = verticesPerElement === 2 ? 'lines' : 'triangles';
  return {
    ...buffers.add(positions, vertices, mode),
    ...{ mode: MODES[mode], material: MATERIALS.defect, extras: { kind, count, countShown } },
  };
}

function describeMaterial(name: string, color: LinearRgb): object {
  const pbrMetallicRoughness = { baseColorFactor: [...color, 1], metallicFactor: 0, roughnessFactor: 0.8 };
  return { name, doubleSided: true, pbrMetallicRoughness };
}
