import { randomUUID } from 'node:crypto';
import should from 'should';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { makeCrowd } from '../mesh/models/crowd.js';
import { CUBE } from '../service/support/models.js';
import { sendRaw } from './support/raw-http.js';
import { Wire } from './support/wire.js';
import { startOwn } from './support/wire-target.js';

// Decisions of this service that the API description leaves open, and its extensions.
describe('the local service beyond the documented API', () => {
  let wire: Wire;

  before(async () => {
    wire = await Wire.open(await startOwn());
    wire.values.modelId = (await wire.run('import', { fileId: (await wire.upload('cube.stl', CUBE)).fileId })).resultId;
  });

  after(() => wire.close());

  const codeOf = (body: string): number => JSON.parse(body).errors[0].code;

  const REFUSED_UPLOADS = [
    ['upload-without-filename', 40006, 'without a filename'],
    ['upload-without-end', 40007, 'without its closing boundary'],
    ['upload-with-wrong-boundary', 40007, 'with a different boundary'],
    ['upload-without-boundary', 40007, 'without a boundary'],
    ['upload-of-two-files', 40008, 'of two files'],
    ['upload-without-length', 41100, 'without Content-Length'],
    ['upload-too-large', 41300, 'larger than the limit'],
  ] as const;
  for (const [example, code, defect] of REFUSED_UPLOADS) {
    it(`refuses an upload ${defect} with ${code}`, async () => {
      const reply = await wire.send(example);
      reply.status.should.equal(Math.floor(code / 100));
      JSON.parse(reply.body).errors[0].code.should.equal(code);
    });
  }

  it('replies to invalid HTTP with a problem body', async () => {
    for (const url of wire.target.processUrls) {
      const reply = await sendRaw(url, Buffer.from('HELLO\r\n\r\n'));
      reply.status.should.equal(400);
      codeOf(reply.body).should.equal(40000);
    }
  });

  for (const path of ['/healthz', '/readyz', '/formats', '/openapi.json']) {
    it(`serves ${path} without a token`, async () => {
      (await wire.request('GET', path, undefined, '')).status.should.equal(200);
    });
  }

  it('replies with 404 to an unknown endpoint, whatever the body is', async () => {
    const reply = await wire.sendBytes(
      `PUT / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{`,
    );
    codeOf(reply.body).should.equal(40400);
  });

  it('describes the start and the result of every operation in /formats', async () => {
    const formats = await wire.requestOk('GET', '/formats');
    const { paths } = await wire.requestOk('GET', '/openapi.json');
    for (const operation of formats.operations) {
      should(paths).have.property(`/web-api/operation/${operation}`);
      should(paths).have.property(`/web-api/operation/{id}/${operation}/result`);
    }
  });

  it('lists the supported additions to the API in /formats', async () => {
    const { features } = await wire.requestOk('GET', '/formats');
    should(features).deepEqual(['cancel', 'delete', 'list', 'idempotency-key', 'priority', 'content-recognition']);
  });

  it('analyzes a model', async () => {
    const result = await wire.run('analyze', { inputId: wire.values.modelId });
    should(result).match({ triangles: 12, surfaceAreaMm2: 600, verdict: { level: 'solid', needsRepair: false } });
  });

  it('describes the report of an export that changes the model', async () => {
    const { fileId } = await wire.upload(
      'crowd.off',
      Buffer.concat([...serializeModel(makeCrowd(), 'off')]).toString(),
    );
    const { resultId } = await wire.run('import', { fileId });
    const result = await wire.run('export', { inputId: resultId, exportToFormat: 'stl' });
    should(result).match({ report: { verdict: { needsRepair: true } } });
  });

  const EXTENDED: [operation: string, valid: object, invalid: object, field: string][] = [
    ['shrinkwrap-repair', { accuracy: 'rough' }, { accuracy: 'fine' }, 'accuracy'],
    ['scale', { axis: 'Y', scaleToSizeMm: 10 }, { axis: 'y', scaleToSizeMm: 0 }, 'scaleToSizeMm'],
    [
      'reduce-triangles',
      { accuracyMm: 2, maxAngle: 15, numberOfIterations: 1 },
      { accuracyMm: 2, maxAngle: 1.5, numberOfIterations: 1 },
      'maxAngle',
    ],
    [
      'reduce-triangles',
      { targetTriangles: 12, maxAngle: 15, numberOfIterations: 1 },
      { targetTriangles: 0, maxAngle: 15, numberOfIterations: 1 },
      'accuracyMm',
    ],
    ['hollowing', { wallThicknessMm: 2.5 }, { wallThicknessMm: '1' }, 'wallThicknessMm'],
    [
      'hollowing',
      { wallThicknessMm: 2.5, direction: 'outward', drainHoleCount: 1, drainHoleDiameterMm: 1, upAxis: '-x' },
      { wallThicknessMm: 2.5, drainHoleCount: 21 },
      'drainHoleCount',
    ],
    [
      'wall-thickness-analysis',
      { minimalWallThicknessMm: 1, accuracyWallThickness: 2 },
      { minimalWallThicknessMm: 1 },
      'accuracyWallThickness',
    ],
    [
      'thumbnail',
      { width: 300, height: 300, cameraAngleX: 145, cameraAngleY: 145, cameraAngleZ: 145 },
      { width: 300, height: 300, cameraAngleX: 145, cameraAngleY: 145, cameraAngleZ: 720 },
      'cameraAngleZ',
    ],
  ];
  for (const [operation, valid, invalid, field] of EXTENDED) {
    it(`validates the parameters of ${operation}, and runs it`, async () => {
      const inputId = wire.values.modelId;
      const path = `/web-api/operation/${operation}`;
      const refused = await wire.request('POST', path, { inputId, ...invalid });
      codeOf(refused.body).should.equal(40001);
      refused.body.should.match(new RegExp(field));
      const { operationId } = await wire.requestOk('POST', path, { inputId, ...valid });
      should((await wire.untilCompleted(operationId)).isSuccessful).be.true();
      await wire.requestOk('GET', `/web-api/operation/${operationId}/${operation}/result`);
    });
  }

  it('replies with 40402 to any operation on an unknown model', async () => {
    for (const operation of ['repair', 'analyze', 'geometrical-repair']) {
      const reply = await wire.request('POST', `/web-api/operation/${operation}`, { inputId: randomUUID() });
      codeOf(reply.body).should.equal(40402);
    }
  });
});
