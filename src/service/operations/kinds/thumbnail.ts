import { type OperationKind, removeExtension } from '../operation-kind.js';

const ANGLE = { isInteger: true, min: -360, max: 360 } as const;
const PIXELS = { isInteger: true, min: 1, max: 4096 } as const;

/** Renders a model as PNG. The angles rotate it, in degrees. */
export const THUMBNAIL = {
  name: 'thumbnail',
  input: 'model',
  output: {
    kind: 'file',
    createFilename: (filename) => `${removeExtension(filename)}.png`,
    findMediaType: () => 'image/png',
  },
  parameters: {
    width: { ...PIXELS, proposed: 400 },
    height: { ...PIXELS, proposed: 300 },
    cameraAngleX: { ...ANGLE, proposed: 25 },
    cameraAngleY: { ...ANGLE, proposed: 0 },
    cameraAngleZ: { ...ANGLE, proposed: -35 },
    background: { values: ['plain', 'transparent'], default: 'plain', proposed: 'plain' },
  },
  dialogs: ['operation'],
} as const satisfies OperationKind;
