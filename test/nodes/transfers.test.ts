import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import 'should';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { raw } from '../helpers/socket-faults.js';
import { createFlow, createRemoteService, FlowBench } from './support/flow-bench.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const CUBE = Buffer.from('solid cube\nendsolid cube\n');

describe('the transfer nodes', () => {
  let service: FakeService;
  let bench: FlowBench;

  const start = async (node: { type: string; [setting: string]: unknown }, settings = {}) => {
    const flow = createFlow(node, createRemoteService(service.account));
    bench = await FlowBench.start(flow, { credentials: { service: service.account }, settings });
  };
  const findUploadBody = () =>
    service.requests.find(({ path: requestPath }) => requestPath === '/web-api/operation/file')?.body ?? '';

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  describe('upload', () => {
    it('uploads a Buffer with the name in msg.filename', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: CUBE, filename: '/home/maker/cube.stl' });
      const { payload, model, filename } = await bench.next();
      const { fileId, creationDate, fileUrl } = payload;
      payload.should.deepEqual({ fileId, creationDate, fileUrl, filename: 'cube.stl', size: CUBE.length });
      fileId.should.be.a.String();
      model.should.deepEqual({ fileId, filename: 'cube.stl', operations: [], warnings: [] });
      should(filename).equal('/home/maker/cube.stl');
      findUploadBody().should.containEql('filename="cube.stl"').and.containEql(CUBE.toString());
    });

    it('uploads the file of a path, relative to fileWorkingDirectory', async () => {
      await start({ type: 'model-processing-upload' });
      await bench.close();
      const folder = path.resolve('build/upload-test');
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'part.stl'), CUBE);
      await start({ type: 'model-processing-upload' }, { fileWorkingDirectory: folder });
      bench.send({ payload: 'part.stl' });
      (await bench.next()).payload.should.containEql({ filename: 'part.stl', size: CUBE.length });
      findUploadBody().should.containEql(CUBE.toString());
    });

    it('waits until the file is complete, with waitComplete', async () => {
      await start({ type: 'model-processing-upload', waitComplete: true, completeSeconds: '0.2' });
      const file = path.join(bench.userDir, 'growing.stl');
      await writeFile(file, CUBE);
      bench.send({ payload: file });
      await bench.until(() => bench.status()?.text === 'upload.status.completing');
      await writeFile(file, Buffer.concat([CUBE, CUBE]));
      (await bench.next()).payload.size.should.equal(2 * CUBE.length);
    });

    it('uploads a stream and counts its bytes', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: Readable.from([CUBE, CUBE]), file: { name: 'two.stl' } });
      (await bench.next()).payload.should.containEql({ filename: 'two.stl', size: 2 * CUBE.length });
    });

    it('raises FILE_UNREADABLE for a stream that fails in the queue', async () => {
      await start({ type: 'model-processing-upload' });
      const streams = Array.from({ length: 8 }, () => createReadStream('/nowhere/part.stl'));
      for (const payload of streams) bench.send({ payload, filename: 'part.stl' });
      for (const _ of streams) (await bench.next('errors')).error.code.should.equal('FILE_UNREADABLE');
    });

    it('uploads the first file of a form from an http in node', async () => {
      await start({ type: 'model-processing-upload' });
      const files = [{ fieldname: 'model', originalname: 'mine.stl', buffer: CUBE }];
      bench.send({ payload: { comment: 'please' }, req: { files } });
      (await bench.next()).payload.should.containEql({ filename: 'mine.stl', size: CUBE.length });
      findUploadBody().should.containEql(CUBE.toString());
    });

    it('uploads the file of a form that the setting selects, with its name', async () => {
      await start({ type: 'model-processing-upload', source: 'req.files[1]' });
      const files = [1, 2].map((number) => ({
        originalname: `part${number}.stl`,
        buffer: Buffer.from(`solid ${number}`),
      }));
      bench.send({ payload: {}, req: { files } });
      (await bench.next()).payload.filename.should.equal('part2.stl');
      findUploadBody().should.containEql('solid 2');
    });

    it('uploads a bundled sample with its name, regardless of msg.filename', async () => {
      await start({ type: 'model-processing-upload', source: 'bracket.stl', sourceType: 'sample' });
      bench.send({ filename: 'other.obj' });
      (await bench.next()).payload.filename.should.equal('bracket.stl');
    });

    it('prefers the filename in its setting', async () => {
      await start({ type: 'model-processing-upload', filename: 'customName', filenameType: 'msg' });
      bench.send({ payload: CUBE, customName: 'mine.obj', filename: 'cube.stl' });
      (await bench.next()).payload.filename.should.equal('mine.obj');
    });

    it('starts a new msg.model', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: CUBE, filename: 'cube.stl', model: { resultId: UNKNOWN_ID, verdict: { level: 'open' } } });
      should((await bench.next()).model.resultId).be.undefined();
    });

    const INVALID_MESSAGES: [string, Record<string, unknown>, string, RegExp][] = [
      ['a message without payload', {}, 'INPUT_MISSING', /Nothing to upload: msg.payload is empty/],
      ['a Buffer without a name', { payload: CUBE }, 'INPUT_MISSING', /No filename for msg.payload/],
      ['a number without a name', { payload: 7 }, 'INPUT_INVALID', /expected a Buffer, a path or a stream/],
      ['a number', { payload: 7, filename: 'seven.stl' }, 'INPUT_INVALID', /expected a Buffer, a path or a stream/],
      [
        'file content as a string',
        { payload: 'solid a\nendsolid a\n' },
        'INPUT_INVALID',
        /To upload file content, pass a Buffer/,
      ],
      ['a missing file', { payload: '/nowhere/part.stl' }, 'FILE_UNREADABLE', /nowhere.part\.stl/],
    ];
    for (const [description, msg, code, message] of INVALID_MESSAGES) {
      it(`raises ${code} for ${description}`, async () => {
        await start({ type: 'model-processing-upload' });
        bench.send(msg);
        const { error } = await bench.next('errors');
        error.code.should.equal(code);
        error.message.should.match(message);
        bench.status()?.should.deepEqual({ fill: 'red', shape: 'ring', text: code });
      });
    }

    it('raises FILE_UNREADABLE for a folder', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: bench.userDir, filename: 'folder.stl' });
      (await bench.next('errors')).error.code.should.equal('FILE_UNREADABLE');
    });

    it('raises INPUT_INVALID for a relative path as sample', async () => {
      await start({ type: 'model-processing-upload', source: '../../package.json', sourceType: 'sample' });
      bench.send({});
      (await bench.next('errors')).error.code.should.equal('INPUT_INVALID');
    });
  });

  describe('download', () => {
    it('sends the content as a Buffer, with the name', async () => {
      await start({ type: 'model-processing-download' });
      const fileId = service.addFile(CUBE, { disposition: 'attachment; filename="cube.stl"' });
      bench.send({ payload: { fileId } });
      const msg = await bench.next();
      Buffer.isBuffer(msg.payload).should.be.true();
      msg.payload.equals(CUBE).should.be.true();
      should(msg.filename).equal('cube.stl');
    });

    it('writes to model-downloads in the user directory if no path is set', async () => {
      await start({ type: 'model-processing-download', target: 'file' });
      const fileId = service.addFile(CUBE);
      bench.send({ payload: { fileId, filename: 'cube.stl' } });
      const { payload, filename } = await bench.next();
      payload.should.equal(path.join(bench.userDir, 'model-downloads/cube.stl'));
      should(filename).equal(payload);
      (await readFile(payload)).equals(CUBE).should.be.true();
    });

    it('names a thumbnail by the service, not by its model', async () => {
      await start({ type: 'model-processing-download' });
      const fileId = service.addFile(CUBE, { disposition: 'attachment; filename="cube.png"' });
      bench.send({ payload: { fileId, operation: 'thumbnail', isCompleted: true, filename: 'cube.stl' } });
      should((await bench.next()).filename).equal('cube.png');
    });

    it('creates the folders of a relative path there', async () => {
      await start({ type: 'model-processing-download', target: 'file', path: 'today/', pathType: 'str' });
      bench.send({ payload: { fileId: service.addFile(CUBE), filename: 'cube.stl' } });
      (await bench.next()).payload.should.equal(path.join(bench.userDir, 'model-downloads/today/cube.stl'));
    });

    it('writes to an absolute path, or into an existing folder with the name of the file', async () => {
      await start({ type: 'model-processing-download', target: 'file', path: 'to', pathType: 'msg' });
      const fileId = service.addFile(CUBE);
      bench.send({ payload: { fileId, filename: 'cube.stl' }, to: path.join(bench.userDir, 'mine.stl') });
      (await bench.next()).payload.should.equal(path.join(bench.userDir, 'mine.stl'));
      bench.send({ payload: { fileId, filename: 'cube.stl' }, to: bench.userDir });
      (await bench.next()).payload.should.equal(path.join(bench.userDir, 'cube.stl'));
    });

    it('keeps an existing file, and adds a number to the name of the new one', async () => {
      await start({ type: 'model-processing-download', target: 'file' });
      const fileId = service.addFile(CUBE);
      for (const name of ['cube.stl', 'cube-2.stl']) {
        bench.send({ payload: { fileId, filename: 'cube.stl' } });
        path.basename((await bench.next()).payload).should.equal(name);
      }
    });

    it('raises FILE_EXISTS if the setting is fail, and leaves no partial file', async () => {
      await start({ type: 'model-processing-download', target: 'file', exists: 'fail' });
      const fileId = service.addFile(CUBE);
      bench.send({ payload: { fileId, filename: 'cube.stl' } });
      await bench.next();
      bench.send({ payload: { fileId, filename: 'cube.stl' } });
      (await bench.next('errors')).error.code.should.equal('FILE_EXISTS');
      (await readdir(path.join(bench.userDir, 'model-downloads'))).should.deepEqual(['cube.stl']);
    });

    it('raises INPUT_INVALID for a relative path that leads out of model-downloads', async () => {
      await start({ type: 'model-processing-download', target: 'file', path: '../flows.json', exists: 'overwrite' });
      bench.send({ payload: { fileId: service.addFile(CUBE), filename: 'cube.stl' } });
      (await bench.next('errors')).error.code.should.equal('INPUT_INVALID');
    });

    it('raises FILE_UNWRITABLE for an absolute path in a missing folder', async () => {
      await start({ type: 'model-processing-download', target: 'file', path: 'to', pathType: 'msg' });
      const to = path.join(bench.userDir, 'not-mounted/cube.stl');
      bench.send({ payload: { fileId: service.addFile(CUBE) }, to });
      (await bench.next('errors')).error.code.should.equal('FILE_UNWRITABLE');
    });

    it('adds the warning LENGTH_UNKNOWN if the service sends no Content-Length', async () => {
      await start({ type: 'model-processing-download' });
      service.fault('GET', /operation.file/, raw(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${CUBE}`));
      bench.send({ payload: { fileId: service.addFile(CUBE) } });
      const { payload, model } = await bench.next();
      payload.should.deepEqual(CUBE);
      model.warnings.map(({ code }: { code: string }) => code).should.deepEqual(['LENGTH_UNKNOWN']);
      should(bench.status()).containEql({ fill: 'yellow', shape: 'ring' });
    });

    it('raises NOT_FOUND with the status code for an unknown file', async () => {
      await start({ type: 'model-processing-download' });
      bench.send({ payload: { fileId: UNKNOWN_ID } });
      const msg = await bench.next('errors');
      msg.error.code.should.equal('NOT_FOUND');
      msg.statusCode.should.equal(404);
    });

    it('raises INPUT_INVALID for a payload that is not an id', async () => {
      await start({ type: 'model-processing-download' });
      bench.send({ payload: '/home/maker/cube.stl' });
      (await bench.next('errors')).error.code.should.equal('INPUT_INVALID');
    });
  });
});
