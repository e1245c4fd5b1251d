import { spawnSync } from 'node:child_process';
import { createReadStream, readdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import 'should';
import should from 'should';
import { dropConnection, replyWith } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';
import { setHome } from './support/set-home.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const CUBE = Buffer.from('solid cube\nendsolid cube\n');

describe('the transfer nodes', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  const start = (node: { type: string; [setting: string]: unknown }, settings = {}) =>
    open(withService(node), { settings });
  const findUploadBody = () =>
    service.requests.find(({ path: requestPath }) => requestPath === '/web-api/operation/file')?.body ?? '';

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

    it('ignores white space around a name', async () => {
      await start({ type: 'model-processing-upload' });
      for (const filename of ['part.stl\n', ' part.stl ', 'folder/part.stl\t']) {
        bench.send({ payload: CUBE, filename });
        (await bench.next()).payload.filename.should.equal('part.stl');
      }
    });

    it('quotes the path that it cannot read', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: '/nowhere/ part.stl \n' });
      (await bench.next('errors')).error.message.should.startWith('Could not read "/nowhere/ part.stl": ENOENT.');
    });

    it('waits until the file is complete, with waitComplete', async () => {
      await start({ type: 'model-processing-upload', waitComplete: true, completeSeconds: '0.2' });
      const file = path.join(bench.userDir, 'growing.stl');
      await writeFile(file, CUBE);
      bench.send({ payload: file });
      await bench.until(() => bench.status()?.text === 'upload.status.completing');
      // In the turn of the status, so that no time passes in which the file is complete.
      writeFileSync(file, Buffer.concat([CUBE, CUBE]));
      (await bench.next()).payload.size.should.equal(2 * CUBE.length);
    });

    it('uploads a stream and counts its bytes', async () => {
      await start({ type: 'model-processing-upload' });
      bench.send({ payload: Readable.from([CUBE, CUBE]), file: { name: 'two.stl' } });
      (await bench.next()).payload.should.containEql({ filename: 'two.stl', size: 2 * CUBE.length });
    });

    describe('stores a stream', () => {
      const { TMPDIR } = process.env;
      let userDir: string;
      let spoolDir: string;

      beforeEach(async () => {
        await mkdir('build', { recursive: true });
        userDir = await mkdtemp(path.resolve('build/user-dir-'));
        spoolDir = path.join(userDir, 'model-processing-spool');
      });
      afterEach(async () => {
        if (TMPDIR === undefined) delete process.env.TMPDIR;
        else process.env.TMPDIR = TMPDIR;
        await rm(userDir, { recursive: true, force: true });
      });

      const startInUserDir = async () => {
        await start({ type: 'model-processing-upload' }, { userDir });
        process.env.TMPDIR = '/nowhere/at all';
      };

      it('in the user directory, and removes it afterwards', async () => {
        await startInUserDir();
        let entries: string[] = [];
        const stream = Readable.from([CUBE]);
        stream.once('end', () => {
          entries = readdirSync(spoolDir);
        });
        bench.send({ payload: stream, filename: 'a.stl' });
        (await bench.next()).payload.size.should.equal(CUBE.length);
        entries.length.should.equal(1);
        readdirSync(spoolDir).should.be.empty();
      });

      it('and removes at its start what ended processes left, but nothing else', async () => {
        const { pid = 0 } = spawnSync(process.execPath, ['--version']);
        const kept = [`model-upload-${process.ppid}-a`, 'mine.stl'];
        for (const name of [`model-upload-${pid}-a`, `model-upload-${process.pid}-b`, ...kept])
          await mkdir(path.join(spoolDir, name, 'sub'), { recursive: true });
        await startInUserDir();
        await bench.until(() => readdirSync(spoolDir).length === kept.length);
        readdirSync(spoolDir)
          .sort()
          .should.deepEqual([...kept].sort());
      });

      it('and names the folder if that is impossible', async () => {
        await writeFile(spoolDir, 'no folder');
        await startInUserDir();
        bench.send({ payload: Readable.from([CUBE]), filename: 'a.stl' });
        const { error } = await bench.next('errors');
        error.code.should.equal('FILE_UNWRITABLE');
        error.message.should.containEql(`Could not write the stream to the spool folder ${spoolDir} (`);
        error.message.should.endWith('or upload a file or a Buffer instead of a stream.');
      });
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
      [
        'file content that ends like the path of a folder',
        { payload: `https://secret.example.com\n${'v 1 2 3\n'.repeat(3)}/` },
        'INPUT_INVALID',
        /^The string in msg\.payload is not a path\. To upload file content, pass a Buffer\.$/,
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
        bench.status()?.should.have.properties({ fill: 'red', shape: 'ring' });
      });
    }

    for (const [description, settings] of [
      ['', {}],
      [', with waitComplete', { waitComplete: true }],
    ] as const)
      it(`raises FILE_UNREADABLE for a folder, with or without a file name${description}`, async () => {
        await start({ type: 'model-processing-upload', ...settings });
        for (const more of [{}, { filename: 'folder.stl' }]) {
          bench.send({ payload: bench.userDir, ...more });
          const { error } = await bench.next('errors');
          error.code.should.equal('FILE_UNREADABLE');
          error.message.should.containEql(`Could not read "${bench.userDir}": it is a folder.`);
        }
      });

    it('raises INPUT_INVALID for a URL, without its secrets', async () => {
      const url = 'https://maker:secret@example.com/part.stl?key=secret';
      await start({ type: 'model-processing-upload', source: url, sourceType: 'str' });
      bench.send({});
      const { error } = await bench.next('errors');
      error.code.should.equal('INPUT_INVALID');
      error.message.should.match(/^Invalid path: expected a path, not a URL \(https:\/\/…\)\. Download the file first/);
      error.message.should.not.containEql('secret');
    });

    it('uploads a file in the home folder for a path that begins with ~', async () => {
      await start({ type: 'model-processing-upload' });
      const restoreHome = setHome(bench.userDir);
      try {
        await writeFile(path.join(bench.userDir, 'home.stl'), CUBE);
        bench.send({ payload: '~/home.stl' });
        (await bench.next()).payload.should.containEql({ filename: 'home.stl', size: CUBE.length });
      } finally {
        restoreHome();
      }
    });

    describe('to a service that lists its formats', () => {
      const FORMATS = {
        import: [
          { id: 'stl', extensions: ['stl'] },
          { id: 'step', extensions: ['step', 'stp'] },
        ],
      };
      const isOpen = (stream: Readable) => !stream.destroyed;

      beforeEach(async () => {
        service.fault('GET', /^\/formats$/, replyWith(200, FORMATS), 99);
        await start({ type: 'model-processing-upload' });
      });

      it('uploads a file with a listed extension', async () => {
        for (const filename of ['part.stl', 'PART.STP']) {
          bench.send({ payload: CUBE, filename });
          (await bench.next()).payload.should.containEql({ filename });
        }
        service.count('GET', /^\/formats$/).should.equal(1);
      });

      it('raises REFUSED for any other file before it sends a byte', async () => {
        const file = path.join(bench.userDir, 'photo.png');
        await writeFile(file, CUBE);
        const stream = Readable.from([CUBE]);
        const messages = [
          ['notes.txt', { payload: CUBE, filename: 'notes.txt' }],
          ['photo.png', { payload: file }],
          ['page.html', { payload: stream, filename: 'page.html' }],
        ] as const;
        for (const [filename, msg] of messages) {
          bench.send(msg);
          const { error } = await bench.next('errors');
          error.code.should.equal('REFUSED');
          error.message.should.startWith(`Could not upload "${filename}": the service does not import .`);
          error.message.should.endWith('files. Use one of stl, step, stp.');
        }
        isOpen(stream).should.be.false();
        service.count('POST', /\/file$/).should.equal(0);
      });
    });

    it('uploads any file if the formats of the service cannot be read', async () => {
      for (const fault of [replyWith(401, {}), replyWith(500, {}), replyWith(200, '<html>'), dropConnection]) {
        service.fault('GET', /^\/formats$/, fault);
        await start({ type: 'model-processing-upload' });
        bench.send({ payload: CUBE, filename: 'scene.blend' });
        (await bench.next()).payload.should.containEql({ filename: 'scene.blend' });
        await bench.close();
        service.count('POST', /Token$/).should.be.belowOrEqual(4);
      }
    });

    it('raises INPUT_INVALID for a relative path as sample', async () => {
      await start({ type: 'model-processing-upload', source: '../../package.json', sourceType: 'sample' });
      bench.send({});
      (await bench.next('errors')).error.code.should.equal('INPUT_INVALID');
    });
  });
});
