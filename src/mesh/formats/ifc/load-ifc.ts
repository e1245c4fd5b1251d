// Dialects that the reader accepts:
//
// | dialect | written by |
// |---|---|
// | IFC2X3, IFC4 and IFC4X3 as STEP text | Revit, Archicad, Tekla, IfcOpenShell, Bonsai |
// | any length unit: web-ifc converts it to meters | all |
// | items mapped by mirroring or non-uniform transforms | Revit (mirrored families), IfcOpenShell |
// | tessellated items (`IfcTriangulatedFaceSet`, `IfcPolygonalFaceSet`) | Archicad, Bonsai |
// | open surfaces, which keep the winding of the file | IfcOpenShell |
//
// ifcXML and ifcZIP are not read. No other reader of IFC is in this package to compare with.

import type { FlatMesh, IfcAPI } from 'web-ifc';
import { MeshError } from '../../core/mesh-error.js';
import type { ModelReader, ParsedModel } from '../format.js';
import { callLibrary, loadLibrary, requireSignature, SNIFF_BYTES } from '../libraries/call-library.js';
import { type AffineTransform, compose, fromMatrix, isReflection, yUpToZUp } from '../reading/affine-transform.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { reverseCorners } from '../reading/reverse-corners.js';
import { SceneBuilder, type ScenePart } from '../reading/scene.js';
import { listStepTruncation } from '../step/list-step-truncation.js';

const FORMAT = 'IFC';
const MM_PER_METER = 1000;
/** x, y, z of a vertex and of its normal */
const VALUES_PER_VERTEX = 6;

/**
 * Loads the reader of IFC: web-ifc, an optional package that the user installs. It returns meters with Y up, whatever
 * the unit of the file. Each product of the building becomes an object.
 */
export async function loadIfc(): Promise<ModelReader> {
  const { api, off } = await loadLibrary(FORMAT, 'web-ifc', async () => {
    const ifc = await import('web-ifc');
    const created = new ifc.IfcAPI();
    await created.Init();
    return { api: created, off: ifc.LogLevel.LOG_LEVEL_OFF };
  });
  api.SetLogLevel(off);
  return (bytes) => {
    requireSignature(FORMAT, bytes.subarray(0, SNIFF_BYTES), /ISO-10303-21/);
    return callLibrary(FORMAT, () => readFile(api, bytes));
  };
}

function readFile(api: IfcAPI, bytes: Uint8Array): ParsedModel {
  const model = api.OpenModel(bytes);
  if (model < 0) throw new MeshError('FILE_MALFORMED', 'Invalid IFC: web-ifc cannot parse it.');
  const scene = new SceneBuilder();
  const losses = new Set<Loss>();
  api.StreamAllMeshes(model, (mesh) => placeProduct(api, model, mesh, scene, losses));
  const { mesh, warnings } = scene.toMesh();
  return { mesh, warnings: [...listStepTruncation(bytes), ...warnings, ...createLossWarnings(losses)] };
}

function placeProduct(api: IfcAPI, model: number, product: FlatMesh, scene: SceneBuilder, losses: Set<Loss>): void {
  const name = readName(api, model, product.expressID);
  const items = Array.from({ length: product.geometries.size() }, (_, i) => {
    const { geometryExpressID, flatTransformation, color } = product.geometries.get(i);
    if (color.x !== 1 || color.y !== 1 || color.z !== 1 || color.w !== 1) losses.add('COLOURS_DROPPED');
    return { geometry: geometryExpressID, transform: fromMatrix(flatTransformation) };
  });
  const reversed = findReversedGeometries(items);
  for (const { geometry, transform } of items) {
    const { points, corners } = readPart(api, model, geometry);
    scene.countInstance();
    const part = { points, corners: reversed.has(geometry) ? reverseCorners(corners) : corners };
    scene.place(part, compose(yUpToZUp(MM_PER_METER), transform), name);
  }
}

/**
 * Returns the geometries of a product that web-ifc returns with reversed triangles. It reverses a geometry, which all
 * items that map it share, each time that an item mirrors it: if an odd number of items do, it is reversed for all.
 */
function findReversedGeometries(items: readonly { geometry: number; transform: AffineTransform }[]): Set<number> {
  const reversed = new Set<number>();
  for (const { geometry, transform } of items) {
    if (!isReflection(transform)) continue;
    if (!reversed.delete(geometry)) reversed.add(geometry);
  }
  return reversed;
}

function readPart(api: IfcAPI, model: number, geometryId: number): ScenePart {
  const geometry = api.GetGeometry(model, geometryId);
  const vertices = api.GetVertexArray(geometry.GetVertexData(), geometry.GetVertexDataSize());
  const points = new Float64Array((vertices.length / VALUES_PER_VERTEX) * 3);
  for (let k = 0; k < points.length; k++) points[k] = vertices[Math.floor(k / 3) * VALUES_PER_VERTEX + (k % 3)];
  const corners = Uint32Array.from(api.GetIndexArray(geometry.GetIndexData(), geometry.GetIndexDataSize()));
  geometry.delete();
  return { points, corners };
}

/** Returns the name of a product, or an empty string. */
function readName(api: IfcAPI, model: number, product: number): string {
  const line: unknown = api.GetLine(model, product);
  const name = typeof line === 'object' && line !== null && 'Name' in line ? line.Name : undefined;
  const value = typeof name === 'object' && name !== null && 'value' in name ? name.value : undefined;
  return typeof value === 'string' ? value : '';
}
