import { MeshError } from '../../core/mesh-error.js';
import type { Format } from '../format.js';
import { loadOcct } from './load-occt.js';
import { isCompleteBrep } from './validate-brep.js';

/** STEP (ISO 10303-21). */
export const STEP: Format = {
  id: 'step',
  extensions: ['step', 'stp'],
  mediaType: 'model/step',
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

/** IGES. Its first line has the section letter in column 73. */
export const IGES: Format = {
  id: 'iges',
  extensions: ['iges', 'igs'],
  mediaType: 'model/iges',
  hasUnits: true,
  isCurved: true,
  loadReader: () => loadOcct({ name: 'IGES', method: 'ReadIgesFile', signature: /^.{72}[SBC]/m }),
};

/** BREP of OpenCASCADE. */
export const BREP: Format = {
  id: 'brep',
  extensions: ['brep', 'brp'],
  mediaType: 'application/x-brep',
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
