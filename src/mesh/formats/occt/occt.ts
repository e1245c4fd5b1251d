import type { OcctMesh, OcctNode, OcctParameters } from 'occt-import-js';
import { MeshError } from '../../core/mesh-error.js';
import { callLibrary, loadLibrary, silentOutput } from '../libraries/call-library.js';
import type { ModelReader, ParsedModel, ReadOptions } from '../parsed-model.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { SceneBuilder } from '../reading/scene.js';
import { isCompleteBrep } from './validate-brep.js';

const READERS = { STEP: 'ReadStepFile', IGES: 'ReadIgesFile', BREP: 'ReadBrepFile' } as const;
type CadFormat = keyof typeof READERS;

/** How files begin. OpenCASCADE searches some other content forever. An IGES has its section letter in column 73. */
const SIGNATURES: Record<CadFormat, RegExp> = {
  STEP: /ISO-10303-21/,
  IGES: /^.{72}[SBC]/m,
  BREP: /CASCADE Topology V\d/,
};
const SNIFF_BYTES = 4096;

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
export async function loadOcct(format: CadFormat): Promise<ModelReader> {
  const occt = await loadLibrary(format, 'occt-import-js', async () => {
    const { default: create } = await import('occt-import-js');
    return create(silentOutput());
  });
  const read = occt[READERS[format]];
  return (bytes, _onProgress, options) => {
    const start = new TextDecoder('latin1').decode(bytes.subarray(0, SNIFF_BYTES));
    if (!SIGNATURES[format].test(start)) {
      throw new MeshError('FILE_MALFORMED', `Invalid ${format}: it does not begin like one.`);
    }
    const text = format === 'IGES' ? '' : new TextDecoder('latin1').decode(bytes);
    if (format === 'BREP' && !isCompleteBrep(text))
      throw new MeshError('FILE_MALFORMED', 'Invalid BREP: it is truncated or contains an invalid number.');
    const isUnitless = format === 'STEP' && !/\bLENGTH_UNIT\s*\(/.test(text);
    const result = callLibrary(format, () => read(bytes, toParameters(isUnitless || format === 'BREP', options)));
    if (!result.success) throw new MeshError('FILE_MALFORMED', `Invalid ${format}: OpenCASCADE cannot parse it.`);
    const { mesh, warnings } = buildScene(result.root, result.meshes).toMesh();
    const losses: Loss[] = [];
    if (result.meshes.some(hasColor)) losses.push('COLOURS_DROPPED');
    if (text.includes('APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT')) losses.push('INLINE_DROPPED');
    const model: ParsedModel = { mesh, warnings: [...warnings, ...createLossWarnings(losses)] };
    return isUnitless ? { ...model, isUnitless } : model;
  };
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
