import type { OcctMesh, OcctNode, OcctParameters } from 'occt-import-js';
import { MeshError } from '../../core/mesh-error.js';
import { createLossWarnings, type Loss } from '../losses.js';
import type { ModelReader, ParsedModel, ReadOptions } from '../parsed-model.js';
import { SceneBuilder } from '../scene.js';
import { callLibrary, loadLibrary, silentOutput } from './call-library.js';
import { isCompleteBrep } from './validate-brep.js';

const READERS = { STEP: 'ReadStepFile', IGES: 'ReadIgesFile', BREP: 'ReadBrepFile' } as const;
type CadFormat = keyof typeof READERS;

/** How files begin. Some others the library searches through for ever. An IGES has the letter of its section in column 73. */
const SIGNATURES: Record<CadFormat, RegExp> = {
  STEP: /ISO-10303-21/,
  IGES: /^.{72}[SBC]/m,
  BREP: /CASCADE Topology V\d/,
};
const LOOKED_AT = 4096;

/** How far triangles may be from a curved surface where nobody says, as a share of the model's size. */
const DEFAULT_ACCURACY_FRACTION = 0.001;
const DEFAULT_MAX_ANGLE = 20;
// What the library calls a shape without a name.
const NO_NAME = /^(COMPOUND|COMPSOLID|SOLID|SHELL|FACE)$/;
const RADIANS = Math.PI / 180;

/**
 * Makes the reader of one CAD format ready: OpenCASCADE, as occt-import-js brings it. Positions are in mm where the file names its unit. Faces
 * are meshed to `accuracyMm` (default: a thousandth of the size) and `maxAngle` (default: 20 degrees); edges that faces share get the same points.
 */
export async function loadOcct(format: CadFormat): Promise<ModelReader> {
  const occt = await loadLibrary(format, 'occt-import-js', async () => {
    const { default: create } = await import('occt-import-js');
    return create(silentOutput());
  });
  const read = occt[READERS[format]];
  return (bytes, _onProgress, settings) => {
    const start = new TextDecoder('latin1').decode(bytes.subarray(0, LOOKED_AT));
    if (!SIGNATURES[format].test(start)) {
      throw new MeshError('FILE_MALFORMED', `This is no ${format}: it begins otherwise`);
    }
    const text = format === 'IGES' ? '' : new TextDecoder('latin1').decode(bytes);
    if (format === 'BREP' && !isCompleteBrep(text))
      throw new MeshError('FILE_MALFORMED', 'This BREP breaks off, or holds what is no number');
    const isUnitless = format === 'STEP' && !/\bLENGTH_UNIT\s*\(/.test(text);
    const result = callLibrary(format, () => read(bytes, parametersOf(isUnitless || format === 'BREP', settings)));
    if (!result.success) throw new MeshError('FILE_MALFORMED', `This is no sound ${format}: its reader refuses it`);
    const { mesh, warnings } = sceneOf(result.root, result.meshes).toMesh();
    const losses: Loss[] = [];
    if (result.meshes.some(hasColor)) losses.push('COLOURS_DROPPED');
    if (text.includes('APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT')) losses.push('INLINE_DROPPED');
    const file: ParsedModel = { mesh, warnings: [...warnings, ...createLossWarnings(losses)] };
    return isUnitless ? { ...file, isUnitless } : file;
  };
}

function parametersOf(isUnitless: boolean, settings: ReadOptions): OcctParameters {
  const { accuracyMm, maxAngle = DEFAULT_MAX_ANGLE, unitInMm } = settings;
  // A number without a unit is one mm to the library: what is asked for is said in the same length.
  const accuracy = accuracyMm === undefined ? undefined : accuracyMm / (isUnitless ? unitInMm : 1);
  return {
    linearUnit: 'millimeter',
    linearDeflectionType: accuracy === undefined ? 'bounding_box_ratio' : 'absolute_value',
    linearDeflection: accuracy ?? DEFAULT_ACCURACY_FRACTION,
    angularDeflection: maxAngle * RADIANS,
  };
}

/** Each mesh once, named after the part of the assembly that it is in. The library has placed them. */
function sceneOf(root: OcctNode, meshes: readonly OcctMesh[]): SceneBuilder {
  const scene = new SceneBuilder();
  const nodes = [root];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    for (const index of node.meshes) {
      const mesh = meshes[index];
      const points = Float64Array.from(mesh.attributes.position.array);
      scene.place({ points, corners: Uint32Array.from(mesh.index.array) }, undefined, nameOf(node, mesh));
    }
    nodes.push(...node.children.toReversed());
  }
  return scene;
}

const nameOf = (node: OcctNode, mesh: OcctMesh): string =>
  [node.name, mesh.name].find((name) => name !== '' && !NO_NAME.test(name)) ?? '';

const hasColor = ({ color, brep_faces }: OcctMesh): boolean =>
  color !== undefined || brep_faces.some((face) => face.color !== null);
