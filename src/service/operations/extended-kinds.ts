import type { OperationKind } from './operation-kind.js';
import { EXTENDED_PARAMETERS, type Parameters, readParameters } from './parameters.js';

type Name = keyof typeof EXTENDED_PARAMETERS;

type Output = Pick<OperationKind, 'output' | 'outputName' | 'outputMediaType'>;

const IMAGE_OUTPUT: Output = {
  output: 'file',
  outputName: (filename) => `${filename.replace(/\.[^.]*$/, '')}.png`,
  outputMediaType: () => 'image/png',
};

const MODEL_OUTPUT: Output = {
  output: 'model',
  outputName: (filename) => filename,
  outputMediaType: () => 'application/octet-stream',
};

const MARKED_MODEL_OUTPUT: Output = {
  output: 'file',
  outputName: (filename) => `${filename.replace(/\.[^.]*$/, '')}-walls.glb`,
  outputMediaType: () => 'model/gltf-binary',
};

const OUTPUTS: Readonly<Record<Name, Output>> = {
  'geometrical-repair': MODEL_OUTPUT,
  'shrinkwrap-repair': MODEL_OUTPUT,
  scale: MODEL_OUTPUT,
  'reduce-triangles': MODEL_OUTPUT,
  hollowing: MODEL_OUTPUT,
  'wall-thickness-analysis': MARKED_MODEL_OUTPUT,
  thumbnail: IMAGE_OUTPUT,
};

/** The operations that not every service supports. */
export const EXTENDED_KINDS: readonly OperationKind[] = Object.keys(EXTENDED_PARAMETERS).map((key) => {
  const name = key as Name; // Object.keys widens it
  const parameters: Parameters = EXTENDED_PARAMETERS[name];
  return { ...OUTPUTS[name], name, input: 'model', parameters, read: (body) => readParameters(parameters, body) };
});
