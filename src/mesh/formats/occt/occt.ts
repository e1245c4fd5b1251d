import { MeshError } from '../../core/mesh-error.js';
import type { Format } from '../format.js';
import { recognizeStep } from '../recognition/recognize-step.js';
import { loadOcct } from './load-occt.js';
import { isCompleteBrep } from './validate-brep.js';

/** STEP (ISO 10303-21). */
export const STEP: Format = {
  id: 'step',
  label: 'a STEP file',
  extensions: ['step', 'stp'],
  mediaType: 'model/step',
  recognizes: recognizeStep,
  hasUnits: true,
  isCurved: true,
  loadReader: () =>
    loadOcct({
      name: 'STEP',
      method: 'ReadStepFile',
      signature: /ISO-10303-21/,
      inspect: (text) => ({
        isUnitless: !/\bLENGTH_UNIT\s*\(/.test(text),
        losses: text.includes('APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT') ? ['INLINE_DROPPED'] : [],
      }),
    }),
};

/** IGES. Its lines have the section letter in column 73. */
export const IGES: Format = {
  id: 'iges',
  label: 'an IGES file',
  extensions: ['iges', 'igs'],
  mediaType: 'model/iges',
  recognizes: ({ start }) => /^[^\r\n]{0,72}S[ 0]{0,6}1[ \t]*\r?\n[^\r\n]{72}[SG]/.test(start),
  hasUnits: true,
  isCurved: true,
  loadReader: () => loadOcct({ name: 'IGES', method: 'ReadIgesFile', signature: /^.{72}[SBC]/m }),
};

/** BREP of OpenCASCADE. */
export const BREP: Format = {
  id: 'brep',
  label: 'a BREP file',
  extensions: ['brep', 'brp'],
  mediaType: 'application/x-brep',
  recognizes: ({ start }) => /^(?:DBRep_DrawableShape|CASCADE Topology V\d)/.test(start),
  hasUnits: false,
  isCurved: true,
  loadReader: () =>
    loadOcct({
      name: 'BREP',
      method: 'ReadBrepFile',
      signature: /CASCADE Topology V\d/,
      inspect: (text) => {
        if (isCompleteBrep(text)) return { isUnitless: true, losses: [] };
        throw new MeshError('FILE_MALFORMED', 'Invalid BREP: it is truncated or contains an invalid number.');
      },
    }),
};
