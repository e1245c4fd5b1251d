import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import 'should';
import should from 'should';
import { FakeService } from '../helpers/fake-service.js';
import { raw } from '../helpers/socket-faults.js';
import { FlowBench, flowOf, remoteService } from './support/flow-bench.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const CUBE = Buffer.from('solid cube\nendsolid cube\n');

describe('the nodes that move files', () => {
  let service: FakeService;
  let bench: FlowBench;

  const start = async (node: { type: string; [setting: string]: unknown }, settings = {}) => {
    const flow = flowOf(node, remoteService(service.account));
    bench = await FlowBench.start(flow, { credentials: { service: service.account }, settings });
  };
  const uploaded = () =>
    service.requests.find(({ path: requested }) => requested === '/web-api/operation/file')?.body ?? '';

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  describe('upload', () => {
    it('sends a Buffer under the name in msg.filename', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: CUBE, filename: '/home/maker/cube.stl' });
      const { payload, model, filename } = await bench.next();
      const { fileId, creationDate, fileUrl } = payload;
      payload.should.deepEqual({ fileId, creationDate, fileUrl, filename: 'cube.stl', size: CUBE.length });
      fileId.should.be.a.String();
      model.should.deepEqual({ fileId, filename: 'cube.stl', operations: [], warnings: [] });
      should(filename).equal('/home/maker/cube.stl');
      uploaded().should.containEql('filename="cube.stl"').and.containEql(CUBE.toString());
    });

    it('sends the file of a path, below fileWorkingDirectory where it is relative', async () => {
      await start({ type: 'model-processing-upload' });
      await bench.close();
      const folder = path.resolve('build/upload-test');
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'part.stl'), CUBE);
      await start({ type: 'model-processing-upload' }, { fileWorkingDirectory: folder });
      bench.send({ payload: 'part.stl' });
      (await bench.next()).payload.should.containEql({ filename: 'part.stl', size: CUBE.length });
      uploaded().should.containEql(CUBE.toString());
    });

    it('waits until nobody writes to the file any more, where told to', async () => {
      await start({ type: 'model-processing-upload', waitComplete: true, completeSeconds: '0.2' });
      const file = path.join(bench.userDir, 'growing.stl');
      await writeFile(file, CUBE);
      bench.send({ payload: file });
      await bench.until(() => bench.status()?.text === 'upload.status.completing');
      await writeFile(file, Buffer.concat([CUBE, CUBE]));
      (await bench.next()).payload.size.should.equal(2 * CUBE.length);
    });

    it('sends a stream, and counts its bytes', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: Readable.from([CUBE, CUBE]), file: { name: 'two.stl' } });
      (await bench.next()).payload.should.containEql({ filename: 'two.stl', size: 2 * CUBE.length });
    });

    it('answers a stream that breaks while it waits for its turn with FILE_UNREADABLE', async () => {
      await start({ type: 'model-processing-upload' });
      const streams = Array.from({ length: 8 }, () => createReadStream('/nowhere/part.stl'));
      for (const payload of streams) bench.send({ payload, filename: 'part.stl' });
      for (const _ of streams) (await bench.next('errors')).error.code.should.equal('FILE_UNREADABLE');
    });

    it('sends the first file of a form that came to http in', async () => {
      await start({ type: 'model-processing-upload' });
      const files = [{ fieldname: 'model', originalname: 'mine.stl', buffer: CUBE }];
      bench.send({ payload: { comment: 'please' }, req: { files } });
      (await bench.next()).payload.should.containEql({ filename: 'mine.stl', size: CUBE.length });
      uploaded().should.containEql(CUBE.toString());
    });

    it('sends the file of a form that its setting names, under the name of that one', async () => {
      await start({ type: 'model-processing-upload', source: 'req.files[1]' });
      const files = [1, 2].map((number) => ({
        originalname: `part${number}.stl`,
        buffer: Buffer.from(`solid ${number}`),
      }));
      bench.send({ payload: {}, req: { files } });
      (await bench.next()).payload.filename.should.equal('part2.stl');
      uploaded().should.containEql('solid 2');
    });

    it('sends a bundled sample, whatever file name the message carries', async () => {
      await start({ type: 'model-processing-upload', source: 'bracket.stl', sourceType: 'sample' });
      bench.send({ filename: 'other.obj' });
      (await bench.next()).payload.filename.should.equal('bracket.stl');
    });

    it('gives the name in its setting the first word', async () => {
      await start({ type: 'model-processing-upload', filename: 'named', filenameType: 'msg' });
      bench.send({ payload: CUBE, named: 'mine.obj', filename: 'cube.stl' });
      (await bench.next()).payload.filename.should.equal('mine.obj');
    });

    it('begins msg.model anew: what an earlier model was does not hold for another file', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: CUBE, filename: 'cube.stl', model: { resultId: UNKNOWN_ID, verdict: { level: 'open' } } });
      should((await bench.next()).model.resultId).be.undefined();
    });

    const REFUSED: [string, Record<string, unknown>, string, RegExp][] = [
      ['nothing to upload', {}, 'INPUT_MISSING', /Nothing to upload: msg.payload is empty/],
      ['a Buffer without a name', { payload: CUBE }, 'INPUT_MISSING', /No filename for msg.payload/],
      ['a number without a name', { payload: 7 }, 'INPUT_INVALID', /expected a Buffer, a path or a stream/],
      ['a number', { payload: 7, filename: 'seven.stl' }, 'INPUT_INVALID', /expected a Buffer, a path or a stream/],
      [
        "a file's content as text",
        { payload: 'solid a\nendsolid a\n' },
        'INPUT_INVALID',
        /To upload file content, pass a Buffer/,
      ],
      ['a file that is not there', { payload: '/nowhere/part.stl' }, 'FILE_UNREADABLE', /nowhere.part\.stl/],
    ];
    for (const [what, msg, code, message] of REFUSED) {
      it(`answers ${what} with ${code}`, async () => {
        await start({ type: 'model-processing-upload' });
        bench.send(msg);
        const { error } = await bench.next('errors');
        error.code.should.equal(code);
        error.message.should.match(message);
        bench.status()?.should.deepEqual({ fill: 'red', shape: 'ring', text: code });
      });
    }

    it('answers a folder with FILE_UNREADABLE', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: bench.userDir, filename: 'folder.stl' });
      (await bench.next('errors')).error.code.should.equal('FILE_UNREADABLE');
    });

    it('answers a sample that is not there with INPUT_INVALID, also one that leads elsewhere', async () => {
      await start({ type: 'model-processing-upload', source: '../../package.json', sourceType: 'sample' });
      bench.send({});
      (await bench.next('errors')).error.code.should.equal('INPUT_INVALID');
    });
  });

  describe('download', () => {
    it('gives the bytes as a Buffer, and the name', async () => {
      await start({ type: 'model-processing-download' });
      const fileId = service.addFile(CUBE, { disposition: 'attachment; filename="cube.stl"' });
      bench.send({ payload: { fileId } });
      const msg = await bench.next();
      Buffer.isBuffer(msg.payload).should.be.true();
      msg.payload.equals(CUBE).should.be.true();
      should(msg.filename).equal('cube.stl');
    });

    it('writes below model-downloads in the user directory where no path is set', async () => {
      await start({ type: 'model-processing-download', target: 'file' });
      const fileId = service.addFile(CUBE);
      bench.send({ payload: { fileId, filename: 'cube.stl' } });
      const { payload, filename } = await bench.next();
      payload.should.equal(path.join(bench.userDir, 'model-downloads/cube.stl'));
      should(filename).equal(payload);
      (await readFile(payload)).equals(CUBE).should.be.true();
    });

    it('names a picture as the service does, not as its model', async () => {
      await start({ type: 'model-processing-download' });
      const fileId = service.addFile(CUBE, { disposition: 'attachment; filename="cube.png"' });
      bench.send({ payload: { fileId, operation: 'thumbnail', isCompleted: true, filename: 'cube.stl' } });
      should((await bench.next()).filename).equal('cube.png');
    });

    it('makes the folders of a relative path there', async () => {
      await start({ type: 'model-processing-download', target: 'file', path: 'today/', pathType: 'str' });
      bench.send({ payload: { fileId: service.addFile(CUBE), filename: 'cube.stl' } });
      (await bench.next()).payload.should.equal(path.join(bench.userDir, 'model-downloads/today/cube.stl'));
    });

    it('writes to a whole path, and into a folder under its own name', async () => {
      await start({ type: 'model-processing-download', target: 'file', path: 'to', pathType: 'msg' });
      const fileId = service.addFile(CUBE);
      bench.send({ payload: { fileId, filename: 'cube.stl' }, to: path.join(bench.userDir, 'mine.stl') });
      (await bench.next()).payload.should.equal(path.join(bench.userDir, 'mine.stl'));
      bench.send({ payload: { fileId, filename: 'cube.stl' }, to: bench.userDir });
      (await bench.next()).payload.should.equal(path.join(bench.userDir, 'cube.stl'));
    });

    it('keeps a file that is there, and numbers the new one', async () => {
      await start({ type: 'model-processing-download', target: 'file' });
      const fileId = service.addFile(CUBE);
      for (const name of ['cube.stl', 'cube-2.stl']) {
        bench.send({ payload: { fileId, filename: 'cube.stl' } });
        path.basename((await bench.next()).payload).should.equal(name);
      }
    });

    it('fails with FILE_EXISTS where that is chosen, and leaves no part of a file', async () => {
      await start({ type: 'model-processing-download', target: 'file', exists: 'fail' });
      const fileId = service.addFile(CUBE);
      bench.send({ payload: { fileId, filename: 'cube.stl' } });
      await bench.next();
      bench.send({ payload: { fileId, filename: 'cube.stl' } });
      (await bench.next('errors')).error.code.should.equal('FILE_EXISTS');
      (await readdir(path.join(bench.userDir, 'model-downloads'))).should.deepEqual(['cube.stl']);
    });

    it('refuses a relative path that leads out of model-downloads', async () => {
      await start({ type: 'model-processing-download', target: 'file', path: '../flows.json', exists: 'overwrite' });
      bench.send({ payload: { fileId: service.addFile(CUBE), filename: 'cube.stl' } });
      (await bench.next('errors')).error.code.should.equal('INPUT_INVALID');
    });

    it('does not make folders elsewhere: FILE_UNWRITABLE', async () => {
      await start({ type: 'model-processing-download', target: 'file', path: 'to', pathType: 'msg' });
      const to = path.join(bench.userDir, 'not-mounted/cube.stl');
      bench.send({ payload: { fileId: service.addFile(CUBE) }, to });
      (await bench.next('errors')).error.code.should.equal('FILE_UNWRITABLE');
    });

    it('warns where the service does not announce how long the file is', async () => {
      await start({ type: 'model-processing-download' });
      service.fault('GET', /operation.file/, raw(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${CUBE}`));
      bench.send({ payload: { fileId: service.addFile(CUBE) } });
      const { payload, model } = await bench.next();
      payload.should.deepEqual(CUBE);
      model.warnings.map(({ code }: { code: string }) => code).should.deepEqual(['LENGTH_UNKNOWN']);
      should(bench.status()).containEql({ fill: 'yellow', shape: 'ring' });
    });

    it('answers an unknown file with NOT_FOUND and the status code', async () => {
      await start({ type: 'model-processing-download' });
      bench.send({ payload: { fileId: UNKNOWN_ID } });
      const msg = await bench.next('errors');
      msg.error.code.should.equal('NOT_FOUND');
      msg.statusCode.should.equal(404);
    });

    it('answers what is no id with INPUT_INVALID', async () => {
      await start({ type: 'model-processing-download' });
      bench.send({ payload: '/home/maker/cube.stl' });
      (await bench.next('errors')).error.code.should.equal('INPUT_INVALID');
    });
  });
});
