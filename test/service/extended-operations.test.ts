import should from 'should';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { translateWarning } from '../../src/service/command-line/html-report/german-warnings.js';
import { makeCube } from '../mesh/models/cube.js';
import { joined, placed, turnedOver } from '../mesh/models/mesh-of.js';
import type { Calls } from './support/account.js';
import { CUBE, OPEN_CUBE, sphere } from './support/models.js';
import { withService } from './support/with-service.js';

describe('extended operations', () => {
  let api: Calls;
  let cube: string;

  withService((bench) => ({ api } = bench));

  before(async () => {
    cube = await api.importModel(CUBE, 'cube.stl');
  });

  const dimensionsOf = async (inputId: string) => (await api.run('analyze', { inputId })).result.body;

  it('scale a model to a size along an axis', async () => {
    const { result } = await api.run('scale', { inputId: cube, axis: 'Y', scaleToSizeMm: 4 });
    result.body.report.should.match({ steps: [{ name: 'scale' }], verdict: { level: 'solid' } });
    should(await dimensionsOf(result.body.resultId)).match({ dimensionXMm: 4, dimensionYMm: 4 });
  });

  it('remove triangles within the accuracy with reduce-triangles', async () => {
    const model = await api.importModel(sphere(20, 40), 'sphere.stl');
    const body = { inputId: model, accuracyMm: 2, maxAngle: 45, numberOfIterations: 1 };
    const { before, after, steps, maxDisplacementMm, verdict } = (await api.run('reduce-triangles', body)).result.body
      .report;
    should(after.triangles).be.below(before.triangles / 2);
    const removedTriangles = before.triangles - after.triangles;
    should(steps).match([{ name: 'reduce-triangles', changed: removedTriangles, removedTriangles }]);
    should(maxDisplacementMm).be.belowOrEqual(2);
    should(verdict.level).equal('solid');
  });

  it('remove triangles down to a number with reduce-triangles, and report the accuracy reached', async () => {
    const model = await api.importModel(sphere(20, 40), 'sphere.stl');
    const reduce = async (fields: object) => {
      const body = { inputId: model, maxAngle: 90, numberOfIterations: 1, ...fields };
      return (await api.run('reduce-triangles', body)).result.body.report;
    };
    const report = await reduce({ targetTriangles: 400, accuracyMm: 1e-6 });
    report.should.match({ after: { triangles: 400 }, warnings: [], verdict: { level: 'solid' } });
    const again = await reduce({ accuracyMm: report.maxDisplacementMm * 1.3 });
    should(again.after.triangles).be.within(200, 600);
    const { after, warnings } = await reduce({ targetTriangles: 4 });
    should(after.triangles).be.above(5);
    should(warnings).match([{ code: 'TARGET_NOT_REACHED', message: new RegExp(`^${after.triangles} .*not 4`) }]);
  });

  it('keep walls with hollowing, and report their thickness', async () => {
    const { report, resultId } = (await api.run('hollowing', { inputId: cube, wallThicknessMm: 2 })).result.body;
    report.should.match({ steps: [{ name: 'hollowing', changed: 1 }], verdict: { level: 'solid' } });
    should(report.warnings[0]).match({ code: 'CAVITY_CLOSED', message: /nowhere thinner than 2 mm/ });
    should(await dimensionsOf(resultId)).match({ shells: 2, dimensionXMm: 10 });
  });

  it('make drain holes with hollowing, and report their places', async () => {
    const body = { inputId: cube, wallThicknessMm: 1, drainHoleCount: 2, drainHoleDiameterMm: 1, upAxis: '-z' };
    const { report, resultId } = (await api.run('hollowing', body)).result.body;
    report.should.match({
      steps: [
        { name: 'hollowing', changed: 1 },
        { name: 'drain-holes', changed: 2 },
      ],
    });
    should(report.warnings).have.length(1);
    should(report.warnings[0]).match({
      code: 'DRAIN_HOLES_ADDED',
      message: /2 drain holes with a diameter of 1 mm: at \(/,
    });
    should(await dimensionsOf(resultId)).match({ shells: 1, dimensionZMm: 10 });
  });

  it('report drain holes that do not fit', async () => {
    const body = { inputId: cube, wallThicknessMm: 1, drainHoleCount: 1, drainHoleDiameterMm: 15 };
    const { report } = (await api.run('hollowing', body)).result.body;
    report.steps.should.match([
      { name: 'hollowing', changed: 1, addedShells: 1, reason: 'cavities were made' },
      { name: 'drain-holes', changed: 0 },
    ]);
    should(report.warnings).match([
      { code: 'CAVITY_CLOSED' },
      { code: 'DRAIN_HOLES_MISSING', message: /0 of 1 in the cavity above \(.*Use a smaller diameter/ },
    ]);
    report.verdict.level.should.equal('solid');
  });

  it('warn of the loose walls around a void with hollowing, until a repair has filled the void', async () => {
    const box = joined(placed(makeCube(), [0, 0, 0], 20), turnedOver(placed(makeCube(), [8, 8, 8], 4)));
    const inputId = await api.importModel(Buffer.concat([...serializeModel(box, 'stl')]), 'box.stl');
    const { report } = (await api.run('hollowing', { inputId, wallThicknessMm: 2 })).result.body;
    should(report.warnings[1]).match({ code: 'LOOSE_BODIES', message: /^1 body is loose/ });
    should(translateWarning(report.warnings[1])).match(/^Lose Körper im Inneren: 1, /);
    const filled = (await api.run('repair', { inputId, innerShells: 'merge' })).result.body.resultId;
    const again = (await api.run('hollowing', { inputId: filled, wallThicknessMm: 2 })).result.body.report;
    should(again.warnings).match([{ code: 'CAVITY_CLOSED' }]);
  });

  it('add walls around a model with hollowing outward', async () => {
    const body = { inputId: cube, wallThicknessMm: 1, direction: 'Outward' };
    const { report, resultId } = (await api.run('hollowing', body)).result.body;
    report.should.match({ verdict: { level: 'solid' }, warnings: [{ code: 'CAVITY_CLOSED' }] });
    const { shells, dimensionXMm } = await dimensionsOf(resultId);
    should(shells).equal(2);
    should(dimensionXMm).be.within(12, 12.4);
  });

  it('fail hollowing if no cavity remains or the model is not solid', async () => {
    const thick = await api.run('hollowing', { inputId: cube, wallThicknessMm: 6 });
    thick.status.body.should.match({ isSuccessful: false, error: { code: 42212 } });
    const open = await api.importModel(OPEN_CUBE, 'open.stl');
    const refused = await api.run('hollowing', { inputId: open, wallThicknessMm: 1 });
    refused.status.body.should.match({ isSuccessful: false, error: { code: 42211, message: /Repair it first/ } });
  });

  it('find thin walls with wall-thickness-analysis, and color them in a GLB', async () => {
    const body = { inputId: cube, minimalWallThicknessMm: 10.5, accuracyWallThickness: 2 };
    const { result } = await api.run('wall-thickness-analysis', body);
    result.body.should.match({ hasThinWalls: true, hasPossibleThinWalls: false });
    should(result.body.thinnestPlaces[0].thicknessMm).be.approximately(10, 1e-9);
    const file = await api.get(`file/${result.body.fileId}`);
    file.headers.get('content-type')?.should.equal('model/gltf-binary');
    file.headers.get('content-disposition')?.should.equal('attachment; filename="cube-walls.glb"');
    file.body.should.match(/"name":"thin".*"material":0.*"materials":\[\{"name":"thin"/);
    const fine = await api.run('wall-thickness-analysis', { ...body, minimalWallThicknessMm: 9 });
    fine.result.body.should.match({ hasThinWalls: false, hasPossibleThinWalls: false, thinnestPlaces: [] });
  });

  it('render a thumbnail as PNG of the requested size, named after the model', async () => {
    const angles = { cameraAngleX: 145, cameraAngleY: 145, cameraAngleZ: 145 };
    const { result } = await api.run('thumbnail', {
      inputId: cube,
      width: 90,
      height: 60,
      ...angles,
      background: null,
    });
    const image = await api.get(`file/${result.body.fileId}`);
    image.headers.get('content-type')?.should.equal('image/png');
    image.headers.get('content-disposition')?.should.equal('attachment; filename="cube.png"');
    should(image.body.slice(1, 4)).equal('PNG');
    const other = await api.post('thumbnail', { inputId: cube, width: 90, height: 60, ...angles, background: 'pink' });
    should(other.body.errors[0]).match({ code: 40001, message: /background: .* one of plain, transparent/ });
  });

  it('create a preview as GLB, with the defects and the report of the model', async () => {
    const inputId = await api.importModel(OPEN_CUBE, 'open.stl');
    const { status, result } = await api.run('preview', { inputId, priority: 'low' });
    status.body.should.match({ operation: 'preview', priority: 'low', isSuccessful: true });
    const file = await api.get(`file/${result.body.fileId}`);
    file.headers.get('content-type')?.should.equal('model/gltf-binary');
    file.headers.get('content-disposition')?.should.equal('attachment; filename="open-preview.glb"');
    file.body.should.match(/^glTF/).and.match(/"trianglesShown":\d+,"deviationMm":0\}/);
    file.body.should.match(/"level":"open"/).and.match(/"extras":\{"kind":"boundaryEdge","count":\d+/);
  });

  it('simplify a preview to the limit of triangles', async () => {
    const inputId = await api.importModel(sphere(20, 40), 'sphere.stl');
    const { result } = await api.run('preview', { inputId, triangles: 1000 });
    const { body } = await api.get(`file/${result.body.fileId}`);
    const [, triangles, shown] = /"triangles":(\d+),"trianglesShown":(\d+)/.exec(body) ?? [];
    should(Number(triangles)).be.above(1000);
    should(Number(shown)).be.within(900, 1000);
  });

  it('refuse a preview with an invalid limit of triangles', async () => {
    for (const triangles of [999, 1_000_001, 2000.5, '2000']) {
      const { body } = await api.post('preview', { inputId: cube, triangles });
      should(body.errors[0]).match({ code: 40001, message: /triangles: .* an integer from 1000 to 1000000/ });
    }
  });
});
