import type { OperationKind } from './kinds.js';
import { FURTHER_PARAMETERS, type Parameters, readParameters } from './parameters.js';

type Name = keyof typeof FURTHER_PARAMETERS;

type Output = Pick<OperationKind, 'output' | 'outputName' | 'outputMediaType'>;

const A_PICTURE: Output = {
  output: 'file',
  outputName: (filename) => `${filename.replace(/\.[^.]*$/, '')}.png`,
  outputMediaType: () => 'image/png',
};

const A_MODEL: Output = {
  output: 'model',
  outputName: (filename) => filename,
  outputMediaType: () => 'application/octet-stream',
};

const A_MARKED_MODEL: Output = {
  output: 'file',
  outputName: (filename) => `${filename.replace(/\.[^.]*$/, '')}-walls.glb`,
  outputMediaType: () => 'model/gltf-binary',
};

const OUTPUTS: Readonly<Record<Name, Output>> = {
  'geometrical-repair': A_MODEL,
  'shrinkwrap-repair': A_MODEL,
  scale: A_MODEL,
  'reduce-triangles': A_MODEL,
  hollowing: A_MODEL,
  'wall-thickness-analysis': A_MARKED_MODEL,
  thumbnail: A_PICTURE,
};

/** The operations of the API beyond those that every service has. */
export const FURTHER_KINDS: readonly OperationKind[] = Object.keys(FURTHER_PARAMETERS).map((key) => {
  const name = key as Name; // Object.keys widens it
  const parameters: Parameters = FURTHER_PARAMETERS[name];
  return { ...OUTPUTS[name], name, input: 'model', parameters, read: (body) => readParameters(parameters, body) };
});
