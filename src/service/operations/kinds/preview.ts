import { type OperationKind, removeExtension } from '../operation-kind.js';

/** Creates a small GLB of a model and its defects, for a viewer. */
export const PREVIEW = {
  name: 'preview',
  input: 'model',
  output: {
    kind: 'file',
    createFilename: (filename) => `${removeExtension(filename)}-preview.glb`,
    findMediaType: () => 'model/gltf-binary',
  },
  parameters: {
    triangles: {
      isInteger: true,
      min: 1000,
      max: 1_000_000,
      default: 200_000,
      proposed: 200_000,
      description: 'limit of triangles of the surface; default 200000',
    },
  },
  dialogs: [],
} as const satisfies OperationKind;
