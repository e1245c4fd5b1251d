// Dialects that the readers accept, as OpenCASCADE does:
//
// | dialect | written by |
// |---|---|
// | STEP AP203, AP214 and AP242 with B-rep, faceted or on exact surfaces; assemblies; any unit, or none | SolidWorks, Fusion, FreeCAD, CATIA, NX, Onshape |
// | STEP AP242 with tessellated shapes, alone or beside B-rep: src/mesh/formats/step, which OpenCASCADE does not import | CATIA, NX, 3DEXPERIENCE, CAD Exchanger |
// | IGES 5.3 with trimmed surfaces, bounded surfaces or B-rep; any unit | CATIA, Rhino, SolidWorks |
// | BREP of OpenCASCADE, version 1 to 3, text; without a unit | FreeCAD, Open CASCADE DRAW, CadQuery |
//
// Parts of a STEP in other files, and binary BREP, are not read. No other reader of B-rep is in this package to compare with;
// the two readers of STEP never read the same shape.

import { MeshError } from '../../core/mesh-error.js';
import type { Format } from '../format.js';
import { recognizeStep } from '../recognition/recognize-step.js';
import { readStepTessellation } from '../step/read-step-tessellation.js';
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
      readTessellation: readStepTessellation,
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
