import type { OcctMesh, OcctNode, OcctParameters } from 'occt-import-js';
import { MeshError } from '../../core/mesh-error.js';
import type { ModelReader, ParsedModel, ReadOptions } from '../format.js';
import { callLibrary, loadLibrary, requireSignature, SNIFF_BYTES, silentOutput } from '../libraries/call-library.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { SceneBuilder } from '../reading/scene.js';
import type { StepTessellations } from '../step/read-step-tessellation.js';

/** A format that OpenCASCADE reads. */
interface CadFormat {
  /** Its name in error messages. */
  name: string;
  method: 'ReadStepFile' | 'ReadIgesFile' | 'ReadBrepFile';
  /** How files begin. OpenCASCADE searches some other content forever. */
  signature: RegExp;
  /**
   * Returns what OpenCASCADE does not report: whether the file has no unit, and what is not imported. Throws if the file
   * is incomplete. Default: nothing.
   */
  inspect?: (text: string) => { isUnitless: boolean; losses: Loss[] };
  /** Reads shapes that OpenCASCADE does not import. Default: there are none. */
  readTessellation?: (bytes: Uint8Array) => StepTessellations | undefined;
}

/** The default distance of triangles from a curved surface, as a fraction of the model size. */
const DEFAULT_ACCURACY_FRACTION = 0.001;
const DEFAULT_MAX_ANGLE = 20;
// Names that OpenCASCADE gives to shapes without one.
const NO_NAME = /^(COMPOUND|COMPSOLID|SOLID|SHELL|FACE)$/;
const RADIANS_PER_DEGREE = Math.PI / 180;

/**
 * Loads the reader of a CAD format: OpenCASCADE (occt-import-js). Positions are in mm if the file declares its unit.
 * Faces are meshed to `accuracyMm` (default: 1/1000 of the model size) and `maxAngle` (default: 20 degrees); faces
 * share the points of common edges.
 */
export async function loadOcct({
  name,
  method,
  signature,
  inspect,
  readTessellation,
}: CadFormat): Promise<ModelReader> {
  const occt = await loadLibrary(name, 'occt-import-js', async () => {
    const { default: create } = await import('occt-import-js');
    return create(silentOutput());
  });
  const read = occt[method];
  return (bytes, _onProgress, options) => {
    requireSignature(name, bytes.subarray(0, SNIFF_BYTES), signature);
    const { isUnitless, losses } = inspect?.(new TextDecoder('latin1').decode(bytes)) ?? {
      isUnitless: false,
      losses: [],
    };
    const tessellation = readTessellation?.(bytes);
    if (tessellation && !tessellation.hasBrep)
      return toModel(new SceneBuilder(), tessellation, { isUnitless: tessellation.isUnitless, losses });
    const result = callLibrary(name, () => read(bytes, toParameters(isUnitless, options)));
    if (!result.success) throw new MeshError('FILE_MALFORMED', `Invalid ${name}: OpenCASCADE cannot parse it.`);
    const colorLosses: Loss[] = result.meshes.some(hasColor) ? ['COLOURS_DROPPED'] : [];
    const exact = { isUnitless, losses: [...colorLosses, ...losses] };
    return toModel(buildScene(result.root, result.meshes), tessellation, exact);
  };
}

/** Returns the model of a scene to which tessellated shapes are added. */
function toModel(
  scene: SceneBuilder,
  tessellation: StepTessellations | undefined,
  { isUnitless, losses }: { isUnitless: boolean; losses: Loss[] },
): ParsedModel {
  tessellation?.addTo(scene);
  const { mesh, warnings } = scene.toMesh();
  const allLosses = createLossWarnings([...losses, ...(tessellation?.losses ?? [])]);
  return { mesh, warnings: [...(tessellation?.warnings ?? []), ...warnings, ...allLosses], isUnitless };
}

function toParameters(isUnitless: boolean, options: ReadOptions): OcctParameters {
  const { accuracyMm, maxAngle = DEFAULT_MAX_ANGLE, unitInMm } = options;
  // OpenCASCADE reads numbers without a unit as mm, so the accuracy is converted to the same length.
  const accuracy = accuracyMm === undefined ? undefined : accuracyMm / (isUnitless ? unitInMm : 1);
  return {
    linearUnit: 'millimeter',
    linearDeflectionType: accuracy === undefined ? 'bounding_box_ratio' : 'absolute_value',
    linearDeflection: accuracy ?? DEFAULT_ACCURACY_FRACTION,
    angularDeflection: maxAngle * RADIANS_PER_DEGREE,
  };
}

/** Builds a scene from meshes that are already transformed, each named after its part of the assembly. */
function buildScene(root: OcctNode, meshes: readonly OcctMesh[]): SceneBuilder {
  const scene = new SceneBuilder();
  const nodes = [root];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    for (const index of node.meshes) {
      const mesh = meshes[index];
      const points = Float64Array.from(mesh.attributes.position.array);
      scene.place({ points, corners: Uint32Array.from(mesh.index.array) }, undefined, findName(node, mesh));
    }
    nodes.push(...node.children.toReversed());
  }
  return scene;
}

function findName(node: OcctNode, mesh: OcctMesh): string {
  return [node.name, mesh.name].find((name) => name !== '' && !NO_NAME.test(name)) ?? '';
}

function hasColor({ color, brep_faces }: OcctMesh): boolean {
  return color !== undefined || brep_faces.some((face) => face.color !== null);
}
