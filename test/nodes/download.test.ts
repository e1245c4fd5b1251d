import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import 'should';
import should from 'should';
import type { FakeService } from '../helpers/fake-service.js';
import { raw } from '../helpers/socket-faults.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';
import { setHome } from './support/set-home.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const CUBE = Buffer.from('solid cube\nendsolid cube\n');

describe('the transfer nodes', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  const start = (node: { type: string; [setting: string]: unknown }) => open(withService(node));

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

    it('writes into the home folder for a path that begins with ~', async () => {
      await start({ type: 'model-processing-download', target: 'file', path: 'to', pathType: 'msg' });
      const restoreHome = setHome(bench.userDir);
      try {
        for (const to of ['~', '~/', '~/cube.stl']) {
          bench.send({ payload: { fileId: service.addFile(CUBE), filename: 'cube.stl' }, to });
          path.dirname((await bench.next()).payload).should.equal(bench.userDir);
        }
      } finally {
        restoreHome();
      }
    });

    it('raises INPUT_INVALID for a URL', async () => {
      await start({
        type: 'model-processing-download',
        target: 'file',
        path: 'ftp://maker:secret@host/',
        pathType: 'str',
      });
      bench.send({ payload: { fileId: service.addFile(CUBE), filename: 'cube.stl' } });
      const { error } = await bench.next('errors');
      error.code.should.equal('INPUT_INVALID');
      error.message.should.match(/Invalid path: expected a path, not a URL \(ftp:\/\/…\)\./).and.not.match(/secret/);
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
