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

/** The further operations that the kernel can run, and what they make. */
const OUTPUTS: { readonly [One in Name]?: Output } = {
  'geometrical-repair': A_MODEL,
  'shrinkwrap-repair': A_MODEL,
  scale: A_MODEL,
  'reduce-triangles': A_MODEL,
  hollowing: A_MODEL,
  thumbnail: A_PICTURE,
};

const parametersOf = (name: Name): Parameters => FURTHER_PARAMETERS[name];

/** The operations of the API beyond those that every service has, as far as this service runs them. */
export const FURTHER_KINDS: readonly OperationKind[] = Object.keys(FURTHER_PARAMETERS).flatMap((key) => {
  const name = key as Name; // Object.keys widens it
  const output = OUTPUTS[name];
  const parameters = parametersOf(name);
  return output
    ? [{ ...output, name, input: 'model', parameters, read: (body) => readParameters(parameters, body) }]
    : [];
});

/** Those that this service knows by name, but that its kernel cannot run. */
export const UNAVAILABLE_OPERATIONS: readonly { name: string; parameters: Parameters }[] = Object.entries(
  FURTHER_PARAMETERS,
)
  .filter(([name]) => !FURTHER_KINDS.some((kind) => kind.name === name))
  .map(([name, parameters]) => ({ name, parameters }));
