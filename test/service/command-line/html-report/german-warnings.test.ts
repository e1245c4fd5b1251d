import should from 'should';
import { analyze } from '../../../../src/mesh/analysis/analyze.js';
import { checkImportedSize } from '../../../../src/mesh/analysis/check-imported-size.js';
import type { ReportWarning } from '../../../../src/mesh/analysis/report.js';
import { createVolumeWarnings } from '../../../../src/mesh/analysis/volume-warnings.js';
import { createWorkLimitWarning } from '../../../../src/mesh/analysis/work-limit-warning.js';
import { fitToFormat } from '../../../../src/mesh/formats/fit-to-format.js';
import { createLeftOutWarnings } from '../../../../src/mesh/formats/helper-bodies/left-out-warnings.js';
import { createNameWarnings } from '../../../../src/mesh/formats/helper-bodies/name-warnings.js';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { facesDroppedWarning } from '../../../../src/mesh/formats/reading/build-mesh-from-faces.js';
import { createLossWarnings, LOSSES, missingObjectsWarning } from '../../../../src/mesh/formats/reading/losses.js';
import { notFiniteWarning } from '../../../../src/mesh/formats/stl/stl-binary.js';
import { selectPlate } from '../../../../src/mesh/formats/three-mf/select-plate.js';
import { missingPrototypesWarning, shapesDroppedWarning } from '../../../../src/mesh/formats/x3d/x3d-warnings.js';
import { translateWarning } from '../../../../src/service/command-line/html-report/german-warnings.js';
import { meshOfBoxes, modelText } from '../../../mesh/formats/helper-bodies/slicer-files.js';
import { createZip } from '../../../mesh/formats/zip/zip-bytes.js';
import { makeCube } from '../../../mesh/models/cube.js';
import { placed } from '../../../mesh/models/mesh-of.js';
import { OPEN_CUBE, sphere } from '../../support/models.js';

const warn = (code: ReportWarning['code'], message: string): ReportWarning => ({ code, message });

/** Returns the warnings of reading a file. */
async function readWarnings(filename: string, content: string | Uint8Array): Promise<ReportWarning[]> {
  return (await parseModel(Buffer.from(content), { filename })).warnings;
}

/** Creates a binary STL whose header declares this number of triangles, with these bytes after the 12 of a cube. */
function createStl(declaredCount: number, trailing = 0): Uint8Array {
  const bytes = Buffer.concat([sphere(3, 3), Buffer.alloc(trailing)]);
  bytes.writeUInt32LE(declaredCount, 80);
  return bytes;
}

/** Everything that happens to bodies of each role, with and without a name. */
const NAMED_EVENTS = (
  ['subtracted', 'failed', 'repaired', 'swallowed', 'dropped', 'kept', 'unprintable'] as const
).flatMap((event) =>
  ([undefined, 'negative', 'modifier', 'supportEnforcer', 'supportBlocker', 'support', 'other'] as const).flatMap(
    (role, index) =>
      index % 2 === 0 ? [{ event, name: '', role }] : [1, 2].map((i) => ({ event, name: `Zahn ${i}`, role })),
  ),
);
const HELPERS = {
  ...makeCube(),
  objects: [{ name: 'Zahn', role: 'modifier', group: 0, firstTriangle: 0, triangleCount: 12 } as const],
  slicer: 'prusa' as const,
};
const PLATES = [1, 2].map((number) => ({ number, name: 'Zahn', instances: new Set(['1/0']) }));
const DAMAGED_PROJECT = {
  '3D/3dmodel.model': modelText(
    `<object id="1">${meshOfBoxes([{ min: [0, 0, 0], max: [9, 9, 9] }])}</object>`,
    '<item objectid="1"/>',
  ),
  'Metadata/model_settings.config': '<config>',
};

/** Lists the warnings of real readers, exports and analyses. */
async function listWarnings(): Promise<ReportWarning[]> {
  const cube = makeCube();
  const small = analyze(placed(cube, [0, 0, 0], 0.001));
  const far = fitToFormat(placed(cube, [1e7, 0, 0]), 'stl');
  const off = 'OFF\n4 5 0\n0 0 0\n9 0 0\n0 9 0\n0 0 9\n3 0 2 1\n3 0 1 3\n3 1 2 3\n';
  const ply =
    'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n' +
    'element face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n9 0 0\n0 9 0\n3 0 1 2\n';
  const units = [
    checkImportedSize(small, { unit: 'um', isStated: false, isChosen: true }),
    checkImportedSize(small, { unit: 'mm', isStated: true, isChosen: false }),
    checkImportedSize(analyze(cube), { unit: 'mm', isStated: false, isChosen: false }),
  ];
  return [
    ...(await readWarnings('a.stl', createStl(90))),
    ...(await readWarnings('a.stl', createStl(0))),
    ...(await readWarnings('a.stl', createStl(12, 7))),
    ...(await readWarnings('a.stl', OPEN_CUBE.replace('endsolid cube', ''))),
    ...(await readWarnings('a.off', off)),
    ...(await readWarnings('a.ply', ply)),
    ...createLossWarnings(LOSSES),
    ...shapesDroppedWarning(new Set(['Text'])),
    ...missingPrototypesWarning(new Set(['Brick'])),
    ...[1, 3].flatMap((count) => [
      ...missingObjectsWarning(count),
      ...facesDroppedWarning(count),
      notFiniteWarning(count),
    ]),
    ...createVolumeWarnings(analyze(cube), small),
    ...createNameWarnings(NAMED_EVENTS),
    ...(['all', 1] as const).flatMap((selection) => selectPlate(PLATES, selection).warnings),
    ...createLeftOutWarnings(HELPERS, 'stl'),
    ...(await readWarnings('a.3mf', createZip(DAMAGED_PROJECT))),
    createWorkLimitWarning('intersections'),
    ...(far.report?.warnings ?? []),
    ...units.flatMap(({ warnings }) => warnings),
  ];
}

describe('the warnings of a report in German', () => {
  it('are translated: those of readers, exports and analyses', async () => {
    const warnings = await listWarnings();
    new Set(warnings.map(({ code }) => code)).size.should.equal(29);
    for (const { code, message } of warnings) {
      const translated = translateWarning({ code, message });
      should(translated).be.a.String().and.not.equal(message);
      should(translated).not.match(/\$\d|\b(?:the|were|of)\b/, code);
    }
  });

  it('keep their figures, with a decimal comma', () => {
    const cases: [ReportWarning, string][] = [
      [
        warn('TRUNCATED', 'The header declares 90 triangles; the file contains 12, which were read.'),
        'Der Anfang der Datei nennt 90 Dreiecke. Die Datei enthält 12, die gelesen wurden.',
      ],
      [
        warn('VOLUME_CHANGED', 'The volume changed from 1000.50 to 8.00000e-9 mm³.'),
        'Das Volumen hat sich von 1000,50 auf 8,00000e-9 mm³ geändert.',
      ],
      [
        warn(
          'HOLES_FILLED',
          '5.8 % of the surface close holes. The largest is 74.0 mm across (1.75e+3 mm²), at 36.4, -0.67, 23. Compare the result with the model.',
        ),
        'Gefüllte Löcher sind 5,8 % der Oberfläche. Das größte misst 74,0 mm (1,75e+3 mm²), bei 36.4, -0.67, 23. Vergleichen Sie das Ergebnis mit dem Modell.',
      ],
      [
        warn(
          'GAPS_CLOSED',
          'Gaps of up to 0.012 mm between faces were closed: the volume can be wrong by 1.8 %. Compare the result with the model.',
        ),
        'Lücken von bis zu 0,012 mm zwischen Flächen wurden geschlossen: Das Volumen kann um 1,8 % falsch sein. Vergleichen Sie das Ergebnis mit dem Modell.',
      ],
      [
        warn(
          'UNEXPLAINED_GAIN',
          'The result encloses 5.2 mm³ that the model does not, for a reason that the repair does not know. Compare the result with the model.',
        ),
        'Das Ergebnis umschließt 5,2 mm³, die das Modell nicht umschließt, aus einem Grund, den die Reparatur nicht kennt. Vergleichen Sie das Ergebnis mit dem Modell.',
      ],
      [
        warn(
          'SURFACE_REPLACED',
          'The surface was replaced by one made of cubes of 0.500 mm. It deviates from the old one by at most 1.20 mm. Parts thinner than 0.900 mm are now that thick, and its 3 objects are merged.',
        ),
        'Die Oberfläche wurde durch eine aus Würfeln von 0,500 mm ersetzt. Sie weicht höchstens 1,20 mm von der alten ab. Teile, die dünner als 0,900 mm waren, sind nun so dick; 3 Objekte sind vereinigt.',
      ],
      [
        warn(
          'ROUNDING_BROKE_TRIANGLES',
          'The format stl stores about seven digits per coordinate: rounding leaves 4 intersecting or degenerate triangles. PLY, OBJ, 3MF and AMF keep full precision.',
        ),
        'Das Format stl speichert etwa sieben Stellen je Koordinate: Durch das Runden sind 4 Dreiecke schneidend oder degeneriert; PLY, OBJ, 3MF und AMF behalten die volle Genauigkeit.',
      ],
      [
        warn(
          'INTERSECTIONS_LEFT',
          '1 triangle still intersects: resolving them would remove part of the model or exceed the work limit.',
        ),
        'Noch schneidende Dreiecke: 1. Sie zu trennen würde einen Teil des Modells entfernen oder die Grenze des Aufwands überschreiten.',
      ],
      [
        warn(
          'DRAIN_HOLES_ADDED',
          'Walls are 2.00 mm thick on flat areas, so that they are nowhere thinner than 2 mm. 2 drain holes with a diameter of 4 mm: at (1, 2, 3), (4, 5, 6).',
        ),
        'Ablauflöcher mit einem Durchmesser von 4 mm: 2, bei (1, 2, 3), (4, 5, 6).',
      ],
      [
        warn(
          'TARGET_NOT_REACHED',
          '120 triangles are left, not 100: others could not be removed without turning triangles by more than 15 degrees, or damaging the surface. Use a larger maxAngle.',
        ),
        'Es sind 120 Dreiecke übrig, nicht 100: Weitere zu entfernen würde Dreiecke um mehr als 15 Grad drehen oder die Oberfläche beschädigen.',
      ],
      [
        warn('NEGATIVES_SUBTRACTED', '2 negative volumes were subtracted: “a”, “b”.'),
        'Abgezogen: 2 negative Volumen: “a”, “b”.',
      ],
    ];
    for (const [warning, german] of cases) should(translateWarning(warning)).equal(german);
  });

  it('names the part of a warning about one part of a model, and the names of united parts', () => {
    const message = 'Part “left”, as in 3 others: The volume changed from 28.5 to 26 mm³.';
    should(translateWarning(warn('VOLUME_CHANGED', message))).equal(
      'Teil „left“, wie in 3 weiteren: Das Volumen hat sich von 28,5 auf 26 mm³ geändert.',
    );
    should(translateWarning(warn('PARTS_UNITED', '2 parts were united: a, b.'))).equal(
      'Vereinigte Teile: 2, und zwar a, b.',
    );
  });

  it('are unknown only if the code is', () => {
    should(translateWarning({ code: 'TOO_HEAVY', message: 'The model is too heavy.' })).be.undefined();
    should(translateWarning({ code: 'constructor', message: '' })).be.undefined();
  });
});
