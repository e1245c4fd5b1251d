import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { stepCylinder } from '../mesh/formats/files/step.js';
import type { Calls } from './support/account.js';
import { CUBE, OPEN_CUBE } from './support/models.js';
import { KERNEL_PROGRAM } from './support/running.js';
import { withService } from './support/with-service.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

describe('operation routes', () => {
  let service: RunningService;
  let api: Calls;

  withService((bench) => ({ service, api } = bench), { kernelProgram: KERNEL_PROGRAM });

  it('run upload, import, repair, export and download of an open model', async () => {
    const model = await api.importModel(OPEN_CUBE, 'cube.stl');
    const repaired = await api.run('repair', { inputId: model });
    repaired.status.body.should.match({ isCompleted: true, isSuccessful: true, operation: 'repair' });
    repaired.result.body.report.after.badEdges.should.equal(0);
    const exported = await api.run('export', { inputId: repaired.result.body.resultId, exportToFormat: 'stl' });
    const download = await api.get(`file/${exported.result.body.fileId}`);
    download.status.should.equal(200);
    download.headers.get('content-length')?.should.equal(String(84 + 12 * 50));
    download.headers.get('content-type')?.should.equal('model/stl');
    download.headers.get('content-disposition')?.should.equal('attachment; filename="cube.stl"');
  });

  it('accept a rule for inner shells, and list them in the report of a repair', async () => {
    // A solid within a solid: the same cube twice, the second one scaled to a fifth and centered.
    const within = CUBE.replaceAll(/(?<=vertex )(\S+) (\S+) (\S+)/g, (_, ...xyz: string[]) =>
      xyz
        .slice(0, 3)
        .map((value) => 4 + Number(value) / 5)
        .join(' '),
    );
    const model = await api.importModel(
      CUBE.replace(/^endsolid.*$/m, '') + within.replace(/^solid.*$/m, ''),
      'cube.stl',
    );
    for (const [innerShells, outcome, volumeMm3] of [
      ['Void', 'void', 992],
      ['merge', 'merged', 1000],
    ] as const) {
      const { result } = await api.run('repair', { inputId: model, innerShells });
      result.body.report.innerShells.should.match([{ outcome, volumeMm3: 8 }]);
      result.body.report.after.volumeMm3.should.be.approximately(volumeMm3, 1e-6);
    }
  });

  it('repair without merging shells, and shrinkwrap a model to a solid', async () => {
    const model = await api.importModel(OPEN_CUBE, 'cube.stl');
    const repaired = await api.run('geometrical-repair', { inputId: model });
    repaired.result.body.report.verdict.level.should.equal('solid');
    const wrapped = await api.run('shrinkwrap-repair', { inputId: model, accuracy: 'Rough' });
    wrapped.result.body.report.verdict.level.should.equal('solid');
    wrapped.result.body.report.warnings[0].code.should.equal('SURFACE_REPLACED');
    const { result } = await api.run('analyze', { inputId: wrapped.result.body.resultId });
    result.body.should.match({ badEdges: 0, verdict: { needsRepair: false } });
  });

  it('name an exported file after the model, with the new extension', async () => {
    const model = await api.importModel(CUBE, 'my cube.v2.stl');
    const exported = await api.run('export', { inputId: model, exportToFormat: 'obj' });
    const download = await api.get(`file/${exported.result.body.fileId}`);
    download.headers.get('content-disposition')?.should.equal('attachment; filename="my cube.v2.obj"');
    download.body.should.match(/^v /m);
  });

  it('analyze a model and return its verdict', async () => {
    const model = await api.importModel(OPEN_CUBE, 'cube.stl');
    const { result } = await api.run('analyze', { inputId: model });
    result.body.should.have.properties({ triangles: 11, badEdges: 3, dimensionXMm: 10 });
    result.body.verdict.should.have.properties({ level: 'open', needsRepair: true });
  });

  it('read the coordinates of a file in the unit of the import', async () => {
    const uploaded = await api.upload(CUBE, 'cube.stl');
    const imported = await api.run('import', { fileId: uploaded.body.fileId, measurementUnits: 'Inch' });
    imported.result.body.report.after.dimensionXMm.should.be.approximately(254, 1e-9);
  });

  it('triangulate curved surfaces with the accuracy of the import', async () => {
    const { fileId } = (await api.upload(stepCylinder(), 'cylinder.step')).body;
    const trianglesOf = async (more: object): Promise<number> => {
      const { result } = await api.run('import', { fileId, ...more });
      result.body.report.verdict.level.should.equal('solid');
      return result.body.report.after.triangles;
    };
    const byDefault = await trianglesOf({ accuracyMm: null });
    (await trianglesOf({ accuracyMm: 0.002 })).should.be.above(byDefault);
    (await trianglesOf({ accuracyMm: 1, maxAngle: 45 })).should.be.below(byDefault);
  });

  it('return the times when an operation was created, started and finished', async () => {
    const uploaded = await api.upload(CUBE, 'cube.stl');
    const { status } = await api.run('import', { fileId: uploaded.body.fileId });
    const { createdAt, startedAt, finishedAt } = status.body;
    should(createdAt <= startedAt && startedAt <= finishedAt).be.true();
    status.body.progress.should.equal(1);
  });

  describe('reply with a status, an integer code and a message for', () => {
    let fileId: string;
    let model: string;

    before(async () => {
      fileId = (await api.upload(CUBE, 'cube.stl')).body.fileId;
      model = await api.importModel(CUBE, 'cube.stl');
    });

    const shouldRefuse = (reply: { status: number; body: unknown }, code: number, message: RegExp): void => {
      reply.status.should.equal(Math.floor(code / 100));
      should(reply.body).match({ errors: [{ code, message }] });
    };

    it('an export to an unknown format, listing the supported ones', async () => {
      shouldRefuse(await api.post('export', { inputId: model, exportToFormat: 'dwg' }), 40003, /stl, stl-ascii, obj/);
    });

    it('an export without a format', async () => {
      shouldRefuse(await api.post('export', { inputId: model }), 40001, /Missing field exportToFormat/);
    });

    it('an unknown unit, listing the supported ones', async () => {
      shouldRefuse(await api.post('import', { fileId, measurementUnits: 'yard' }), 40004, /mm, cm, m, um, inch, ft/);
    });

    it('invalid accuracyMm and maxAngle, with their limits', async () => {
      shouldRefuse(await api.post('import', { fileId, accuracyMm: 0 }), 40001, /accuracyMm.*greater than 0/);
      shouldRefuse(await api.post('import', { fileId, accuracyMm: '1' }), 40001, /accuracyMm.*number/);
      shouldRefuse(await api.post('import', { fileId, maxAngle: 91 }), 40001, /maxAngle.*from 1 to 90/);
    });

    it('invalid helpers and plate, with their values', async () => {
      shouldRefuse(await api.post('import', { fileId, helpers: 'drop' }), 40001, /helpers.*apply, keep, ignore/);
      for (const plate of [0, 1.5, 'first', '1'])
        shouldRefuse(await api.post('import', { fileId, plate }), 40001, /plate.*an integer from 1 to 1000000, or all/);
    });

    it('a plate that a file does not have', async () => {
      const { result } = await api.run('import', { fileId, plate: 2 });
      shouldRefuse(result, 42220, /plate 2: the file has no plates/);
    });

    it('an import without a file', async () => {
      shouldRefuse(await api.post('import', {}), 40001, /Missing field fileId/);
    });

    it('an id of the wrong type', async () => {
      shouldRefuse(await api.post('repair', { inputId: 7 }), 40001, /inputId/);
    });

    it('a body that is not an object, and an unknown rule for inner shells', async () => {
      shouldRefuse(await api.post('repair', []), 40001, /object/);
      shouldRefuse(await api.post('repair', { inputId: model, innerShells: 'melt' }), 40001, /innerShells.*auto, void/);
    });

    for (const url of ['ftp://127.0.0.1/', 'javascript:alert(1)', 'callback']) {
      it(`${url} as callbackUrl`, async () => {
        shouldRefuse(await api.post('repair', { inputId: model, callbackUrl: url }), 40005, /http or https/);
      });
    }

    it('a file id as inputId', async () => {
      shouldRefuse(await api.post('repair', { inputId: fileId }), 40402, /resultId/);
    });

    it('a model id as fileId', async () => {
      shouldRefuse(await api.post('import', { fileId: model }), 40401, /file/);
    });

    it('the download of a model', async () => {
      shouldRefuse(await api.get(`file/${model}`), 40401, /file/);
    });

    it('an unknown file', async () => {
      shouldRefuse(await api.get(`file/${UNKNOWN_ID}`), 40401, /file/);
    });

    it('an unknown operation', async () => {
      shouldRefuse(await api.get(`${UNKNOWN_ID}/status`), 40403, /operation/);
    });

    it('the result of an operation of another type', async () => {
      const { operationId } = await api.run('import', { fileId });
      shouldRefuse(await api.get(`${operationId}/repair/result`), 40403, /import/);
    });

    it('the result of a failed operation, with its error', async () => {
      const uploaded = await api.upload('this is no STL', 'note.stl');
      const { status, result } = await api.run('import', { fileId: uploaded.body.fileId });
      status.body.should.match({ isCompleted: true, isSuccessful: false });
      result.status.should.equal(422);
      result.body.errors[0].should.deepEqual(status.body.error);
    });

    it('an unknown endpoint', async () => {
      const reply = await fetch(`${service.baseUrl}/web-api/nothing`);
      reply.status.should.equal(404);
      should(await reply.json()).match({ errors: [{ code: 40400 }] });
    });
  });
});
