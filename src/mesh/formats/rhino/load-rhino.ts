import type { File3dm, File3dmObject, GeometryBase, Mesh, RhinoModule, Transform } from 'rhino3dm';
import { MeshError } from '../../core/mesh-error.js';
import type { ModelReader, ParsedModel } from '../format.js';
import { callLibrary, loadLibrary, silentOutput } from '../libraries/call-library.js';
import { type AffineTransform, compose, IDENTITY, scaling } from '../reading/affine-transform.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { SceneBuilder, type ScenePart } from '../reading/scene.js';

// Dialects that are accepted, and what writes them:
//
// | dialect                                                  | written by                        |
// | -------------------------------------------------------- | --------------------------------- |
// | Rhino 5 and later, whose chunks have lengths of 64 bits  | Rhino, Grasshopper, rhino3dm      |
// | Rhino 2 to 4                                             | Rhino, programs with openNURBS    |
// | surfaces with render meshes                              | Rhino, if the view was shaded     |
// | blocks and blocks in blocks                              | Rhino                             |
//
// Assimp reads no 3DM.

const FORMAT = '3DM';
const MAX_DEPTH = 32;
const HEADER_BYTES = 32;
const MAGIC = '3D Geometry File Format ';
/** Since Rhino 5, lengths have eight bytes. */
const FIRST_64_BIT_VERSION = 50;
const END_OF_FILE = 0x7fff;
/** A chunk of this kind stores a value in place of its length, and has no content. */
const SHORT_CHUNK = 0x80000000;

/**
 * Loads the reader of Rhino 3DM: rhino3dm. Reads meshes, and the render meshes stored with surfaces; surfaces without
 * one are reported in the warnings. Positions are in mm by the unit system of the file.
 */
export async function loadRhino(): Promise<ModelReader> {
  const rhino = await loadLibrary(FORMAT, 'rhino3dm', async () => {
    const { default: create } = await import('rhino3dm');
    return create(silentOutput());
  });
  return (bytes) => {
    if (!isComplete3dm(bytes)) throw new MeshError('FILE_MALFORMED', 'Invalid 3DM: it is truncated, or not a 3DM.');
    return callLibrary(FORMAT, () => {
      const file = rhino.File3dm.fromByteArray(bytes);
      // Null if the file is invalid, which the types of the package omit.
      if (!(file as File3dm | null)) throw new MeshError('FILE_MALFORMED', 'Invalid 3DM: rhino3dm cannot parse it.');
      return readFile(rhino, file);
    });
  };
}

/**
 * Returns whether the chunks of a 3DM are contiguous up to its end. Files older than Rhino 5 are assumed to be valid.
 * rhino3dm searches an inconsistent file forever.
 */
function isComplete3dm(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = file.toString('latin1', 0, HEADER_BYTES);
  if (!header.startsWith(MAGIC)) return false;
  const version = Number(header.slice(MAGIC.length));
  if (version < FIRST_64_BIT_VERSION) return true;
  let offset = HEADER_BYTES;
  while (offset + 12 <= file.length) {
    const type = file.readUInt32LE(offset);
    const length = Number(file.readBigUInt64LE(offset + 4));
    if (type === END_OF_FILE) return offset + 12 + length <= file.length;
    offset += 12 + ((type & SHORT_CHUNK) === 0 ? length : 0);
  }
  return false;
}

function readFile(rhino: RhinoModule, file: File3dm): ParsedModel {
  const unitInMm = findUnitInMm(rhino, file);
  const objects = new ObjectPlacer(rhino, file);
  objects.placeAll(scaling(unitInMm ?? 1));
  const { mesh, warnings } = objects.scene.toMesh();
  if (file.materials().count > 0) objects.losses.add('MATERIALS_DROPPED');
  const model: ParsedModel = { mesh, warnings: [...warnings, ...createLossWarnings(objects.losses)] };
  return unitInMm === undefined ? { ...model, isUnitless: true } : model;
}

/** Returns millimeters per unit of the file, or `undefined` if it has no unit or a custom one. */
function findUnitInMm(rhino: RhinoModule, file: File3dm): number | undefined {
  const units = rhino.UnitSystem;
  const unitsInMm = new Map([
    [units.Angstroms, 1e-7],
    [units.Nanometers, 1e-6],
    [units.Microns, 0.001],
    [units.Millimeters, 1],
    [units.Centimeters, 10],
    [units.Decimeters, 100],
    [units.Meters, 1000],
    [units.Dekameters, 1e4],
    [units.Hectometers, 1e5],
    [units.Kilometers, 1e6],
    [units.Microinches, 25.4e-6],
    [units.Mils, 0.0254],
    [units.Inches, 25.4],
    [units.Feet, 304.8],
    [units.Yards, 914.4],
    [units.Miles, 1_609_344],
  ]);
  return unitsInMm.get(file.settings().modelUnitSystem);
}

/** Places the objects of a file, and those of blocks once per instance of the block. */
class ObjectPlacer {
  readonly scene = new SceneBuilder();
  readonly losses = new Set<Loss>();
  readonly #rhino: RhinoModule;
  readonly #file: File3dm;

  constructor(rhino: RhinoModule, file: File3dm) {
    this.#rhino = rhino;
    this.#file = file;
  }

  placeAll(base: AffineTransform): void {
    const objects = this.#file.objects();
    for (let i = 0; i < objects.count; i++) {
      const object = objects.get(i);
      if (!object.attributes().isInstanceDefinitionObject) this.#placeObject(object, base, 0);
    }
  }

  #placeObject(object: File3dmObject, transform: AffineTransform, depth: number): void {
    this.scene.countInstance();
    if (depth > MAX_DEPTH) {
      throw new MeshError('FILE_MALFORMED', `Invalid 3DM: blocks nest deeper than ${MAX_DEPTH}.`);
    }
    const geometry = object.geometry();
    if (geometry instanceof this.#rhino.InstanceReference) {
      const inner = compose(transform, toAffineTransform(geometry.xform));
      for (const part of this.#findBlockObjects(geometry.parentIdefId)) this.#placeObject(part, inner, depth + 1);
      return;
    }
    const { name } = object.attributes();
    for (const mesh of this.#meshesOf(geometry)) this.scene.place(toScenePart(mesh), transform, name);
  }

  #findBlockObjects(id: string): File3dmObject[] {
    // `findId` returns undefined for an unknown id, and ids are strings, which the types of the package omit.
    const block = this.#file.instanceDefinitions().findId(id) as { getObjectIds(): string[] } | undefined;
    const ids = block?.getObjectIds() ?? [];
    const objects = ids.map((objectId) => this.#file.objects().findId(objectId) as File3dmObject | undefined);
    if (!block || objects.includes(undefined)) this.losses.add('OBJECTS_MISSING');
    return objects.filter((object) => object !== undefined);
  }

  #meshesOf(geometry: GeometryBase): Mesh[] {
    const { Mesh, Brep, Extrusion, SubD, MeshType } = this.#rhino;
    if (geometry instanceof Mesh) {
      if (geometry.vertexColors().count > 0) this.losses.add('COLOURS_DROPPED');
      return [geometry];
    }
    if (geometry instanceof Extrusion) return this.#filterStored([geometry.getMesh(MeshType.Any)]);
    if (geometry instanceof Brep) {
      const faces = geometry.faces();
      return this.#filterStored(Array.from({ length: faces.count }, (_, i) => faces.get(i).getMesh(MeshType.Any)));
    }
    this.losses.add(geometry instanceof SubD ? 'SURFACES_DROPPED' : 'LINES_DROPPED');
    return [];
  }

  /** Returns the stored meshes. Missing ones are null, which the types of the package omit. */
  #filterStored(meshes: (Mesh | null)[]): Mesh[] {
    if (meshes.includes(null)) this.losses.add('SURFACES_DROPPED');
    return meshes.filter((mesh) => mesh !== null);
  }
}

function toAffineTransform(x: Transform): AffineTransform {
  return x.isIdentity ? IDENTITY : [x.m00, x.m10, x.m20, x.m01, x.m11, x.m21, x.m02, x.m12, x.m22, x.m03, x.m13, x.m23];
}

/** Returns the points and triangles of a mesh. Quads are split along the shorter diagonal. */
function toScenePart(mesh: Mesh): ScenePart {
  const [vertices, faces] = [mesh.vertices(), mesh.faces()];
  const points = new Float64Array(vertices.count * 3);
  for (let i = 0; i * 3 < points.length; i++) points.set(vertices.point3dAt(i), i * 3);
  const corners: number[] = [];
  for (let i = 0; i < faces.count; i++) {
    const [a, b, c, d] = faces.get(i);
    if (d === c) corners.push(a, b, c);
    else if (distance(points, a, c) <= distance(points, b, d)) corners.push(a, b, c, a, c, d);
    else corners.push(a, b, d, b, c, d);
  }
  return { points, corners: Float64Array.from(corners) };
}

function distance(points: Float64Array, a: number, b: number): number {
  return Math.hypot(
    points[a * 3] - points[b * 3],
    points[a * 3 + 1] - points[b * 3 + 1],
    points[a * 3 + 2] - points[b * 3 + 2],
  );
}
