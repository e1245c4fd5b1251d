import { link, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import should from 'should';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const CUBE = Buffer.from('solid cube\nendsolid cube\n');
const SECRET = 'solid secret';
const UPLOAD = 'model-processing-upload';
const DOWNLOAD = 'model-processing-download';
const PROCESS = 'model-processing-process';

interface Settings {
  [setting: string]: unknown;
}

describe('sources and folders', () => {
  let service: FakeService;
  let bench: FlowBench;
  let folder: string;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  /** Starts Node-RED with a node, and with a model in its folder and a secret file in the user directory. */
  const start = async (node: Settings & { type: string }, settings = {}) => {
    await open(withService(node), { settings });
    folder = path.join(bench.userDir, 'model-files');
    await mkdir(folder);
    await writeFile(path.join(folder, 'cube.stl'), CUBE);
    await writeFile(path.join(bench.userDir, 'secret.stl'), SECRET);
  };
  const send = async (msg: Record<string, unknown>) => {
    bench.send(msg);
    await bench.until(() => bench.countUnread('out') + bench.countUnread('errors') > 0);
    const result = await bench.next(bench.countUnread('out') > 0 ? 'out' : 'errors');
    for (const { body } of service.requests) body.should.not.containEql(SECRET);
    return result;
  };
  const sendRefused = async (msg: Record<string, unknown>) => {
    const { error } = await send(msg);
    should(error).be.ok();
    return error;
  };

  for (const type of [UPLOAD, PROCESS])
    describe(`of ${type.slice(17)}`, () => {
      it('takes a path in a message below model-files, and no other', async () => {
        await start({ type, folder: '', steps: [] });
        for (const payload of ['cube.stl', path.join(folder, 'cube.stl')])
          should((await send({ payload })).error).be.undefined();
        const secret = path.join(bench.userDir, 'secret.stl');
        for (const payload of ['../secret.stl', secret, `${folder}/../secret.stl`])
          (await sendRefused({ payload })).code.should.equal('INPUT_INVALID', payload);
        await symlink(secret, path.join(folder, 'link.stl'));
        const messages = [];
        for (const name of ['link.stl', 'none.stl']) {
          const { code, message } = await sendRefused({ payload: name });
          should(code).equal('FILE_UNREADABLE');
          messages.push(message.replaceAll(name, ''));
        }
        should(messages[0]).equal(messages[1]);
      });

      it('refuses the same paths from flow and global context and from JSONata', async () => {
        for (const [source, sourceType] of [
          ['file', 'flow'],
          ['file', 'global'],
          ['file', 'jsonata'],
          ['"/etc/passwd"', 'jsonata'],
        ] as const) {
          await start({ type, folder: '', source, sourceType, filename: 'a.stl', steps: [] });
          const context = bench.contextOf('node');
          for (const name of ['flow', 'global'] as const) context[name].set('file', '/etc/passwd');
          (await sendRefused({ file: '/etc/passwd' })).message.should.match(/Path outside the folder: "\/etc\/passwd"/);
          await bench.close();
        }
      });

      it('ignores white space around a path, unless there is such a file', async () => {
        await start({ type, folder: '', steps: [] });
        await writeFile(path.join(folder, 'exact.stl '), 'solid exact');
        await writeFile(path.join(folder, 'exact.stl'), 'solid trimmed');
        await symlink(path.join(bench.userDir, 'secret.stl'), path.join(folder, 'cube.stl '));
        for (const [name, content] of [
          ['cube.stl\n', CUBE],
          ['cube.stl\r\n', CUBE],
          [' cube.stl\t ', CUBE],
          ['cube.stl ', CUBE],
          ['exact.stl ', 'solid exact'],
          ['exact.stl\n', 'solid trimmed'],
        ] as const) {
          should((await send({ payload: name })).error).be.undefined();
          const uploads = service.requests.filter(({ path: requestPath }) => requestPath.endsWith('/file'));
          should(uploads.at(-1)?.body).containEql(String(content)).and.containEql(`filename="${name.trim()}"`);
        }
        for (const name of ['../secret.stl\n', 'none.stl\n', 'cube.stl\nexact.stl\n'])
          should((await sendRefused({ payload: name })).code).be.equalOneOf('INPUT_INVALID', 'FILE_UNREADABLE');
      });

      it('takes a path that is fixed in the node, or in an environment variable, from anywhere', async () => {
        const file = path.resolve('samples/bracket.stl');
        process.env.FIXED_SOURCE = file;
        for (const [source, sourceType] of [
          [file, 'str'],
          ['FIXED_SOURCE', 'env'],
        ] as const) {
          await start({ type, folder: '', source, sourceType, steps: [] });
          should((await send({ req: {}, _session: {} })).error).be.undefined();
          await bench.close();
        }
        delete process.env.FIXED_SOURCE;
      });

      it('refuses an object with a path wherever it is', async () => {
        await start({ type, folder: '/', steps: [] });
        const file = { path: path.join(bench.userDir, 'secret.stl'), originalname: 'x.stl' };
        for (const msg of [
          { payload: file },
          { payload: { ...file, buffer: CUBE } },
          { payload: { ...file, path: [file.path, file.path] } },
          { payload: [file] },
          { payload: { file } },
          { payload: {}, req: { files: [file] } },
          { payload: { comment: 'hello' }, req: { files: [{ ...file, buffer: CUBE }] } },
          { payload: { originalname: 'x.stl', buffer: file.path } },
          { payload: [file.path] },
          { payload: new URL(`file://${file.path}`), filename: 'x.stl' },
        ])
          (await sendRefused(msg)).code.should.equal('INPUT_INVALID');
        service.count('POST', /file$/).should.equal(0);
      });

      it('takes bytes from anyone', async () => {
        await start({ type, folder: '', steps: [] });
        const floats = new Float32Array([1, 2]);
        for (const payload of [CUBE, new Uint8Array(CUBE), floats, new DataView(floats.buffer), Readable.from([CUBE])])
          should((await send({ payload, filename: 'cube.stl', req: {}, _client: {} })).error).be.undefined();
        const files = [{ originalname: 'form.stl', buffer: CUBE }];
        should((await send({ payload: {}, req: { files } })).error).be.undefined();
        const jsonForm = JSON.parse(JSON.stringify(CUBE));
        for (const payload of [jsonForm, { originalname: 'form.stl', buffer: jsonForm }])
          should((await send({ payload, filename: 'cube.stl', req: {} })).error).be.undefined();
      });

      it('refuses the files of Node-RED also if / is the folder', async () => {
        await start({ type, folder: '/', steps: [] });
        const settings = path.join(bench.userDir, 'settings.js');
        await writeFile(settings, SECRET);
        await link(settings, path.join(folder, 'settings.stl'));
        for (const payload of [settings, `${settings}/`, `${folder}/../settings.js`, path.join(folder, 'settings.stl')])
          (await sendRefused({ payload, filename: 'a.stl' })).code.should.equal('FILE_UNREADABLE', payload);
        should((await send({ payload: path.join(folder, 'cube.stl') })).error).be.undefined();
      });

      it('uses fileWorkingDirectory as the default folder, and resolves another in the user directory', async () => {
        await start({ type, folder: '', steps: [] }, { fileWorkingDirectory: os.tmpdir() });
        should((await send({ payload: path.join(folder, 'cube.stl') })).error).be.undefined();
        (await sendRefused({ payload: '/etc/passwd' })).code.should.equal('INPUT_INVALID');
        await bench.close();
        await start({ type, folder: 'models', steps: [] });
        (await sendRefused({ payload: 'cube.stl' })).message.should.containEql(`folder: ${bench.userDir}/models.`);
        await mkdir(path.join(bench.userDir, 'models'));
        await writeFile(path.join(bench.userDir, 'models/cube.stl'), CUBE);
        should((await send({ payload: 'cube.stl' })).error).be.undefined();
      });

      it('reads any path without a folder, except from a message of a client', async () => {
        await start({ type, steps: [] });
        const payload = path.join(folder, 'cube.stl');
        should((await send({ payload })).error).be.undefined();
        for (const marker of [{ req: {} }, { res: undefined }, { _session: { id: 1 } }, { _client: {} }])
          for (const file of [payload, path.join(bench.userDir, 'secret.stl'), '/nowhere/a.stl']) {
            const { code, message } = await sendRefused({ payload: file, ...marker });
            should(code).equal('INPUT_INVALID');
            should(message).match(
              /Path from a client refused: msg\.payload\. .* set Folder in the node's properties\.$/,
            );
          }
      });

      it('warns once when it is deployed without a folder, if paths can come at run time', async () => {
        for (const [settings, count] of [
          [{}, 1],
          [{ folder: '' }, 0],
          [{ source: '/a.stl', sourceType: 'str' }, 0],
          [{ source: 'bracket.stl', sourceType: 'sample' }, 0],
          [{ source: 'a', sourceType: 'jsonata' }, 1],
        ] as const) {
          await start({ type, steps: [], ...settings });
          await send({ payload: CUBE, a: CUBE, filename: 'a.stl' });
          bench.findLogLines(/^Folder not set: .* Open the node, check Folder/).length.should.equal(count);
          await bench.close();
        }
      });
    });

  describe('of download', () => {
    const startDownload = (settings: Settings) =>
      start({ type: DOWNLOAD, target: 'file', path: 'to', pathType: 'msg', ...settings });
    const fetch = (to: unknown, payload = {}) =>
      send({ payload: { fileId: service.addFile(CUBE), filename: 'cube.stl', ...payload }, to });

    it('writes to a path in a message below model-downloads, and to no other', async () => {
      await startDownload({ folder: '', exists: 'overwrite' });
      const downloads = path.join(bench.userDir, 'model-downloads');
      for (const to of ['', 'cube.stl', 'a/b/', path.join(downloads, 'c.stl'), `${downloads}/`])
        should((await fetch(to)).payload).startWith(`${downloads}/`);
      await symlink('..', path.join(downloads, 'up'));
      const outside = [
        '../a.stl',
        bench.userDir,
        `${downloads}-2/a.stl`,
        '/tmp/a.stl',
        'up/a.stl',
        'up/',
        '//s/a.stl',
        '~/a.stl',
      ];
      for (const to of outside) should((await fetch(to)).error?.code).equal('INPUT_INVALID', to);
    });

    it('ignores white space at the end of a path, unless there is such a file or folder', async () => {
      await startDownload({ folder: '', exists: 'overwrite' });
      const downloads = path.join(bench.userDir, 'model-downloads');
      await mkdir(path.join(downloads, 'blank '), { recursive: true });
      for (const [to, file] of [
        ['a.stl\n', 'a.stl'],
        ['b/ \n', 'b/cube.stl'],
        ['\n', 'cube.stl'],
        ['c.stl \t\r\n', 'c.stl'],
        ['blank ', 'blank /cube.stl'],
      ] as const)
        should((await fetch(to)).payload).equal(path.join(downloads, file));
      (await fetch('../a.stl\n')).error.code.should.equal('INPUT_INVALID');
    });

    it('does not leave the folder by a name in a message', async () => {
      await startDownload({ folder: '' });
      const downloads = path.join(bench.userDir, 'model-downloads');
      for (const filename of ['../../a.stl', '/etc/b.stl', '..\\..\\c.stl', 'd/../../e.stl'])
        path.dirname((await fetch('', { filename })).payload).should.equal(downloads);
    });

    it('writes to a path in a message below the folder in its settings, which must exist', async () => {
      await startDownload({ folder: 'out' });
      (await fetch('a.stl')).error.code.should.equal('FILE_UNWRITABLE');
      const out = path.join(await realpath(bench.userDir), 'out');
      await mkdir(out);
      should((await fetch('sub/a.stl')).payload).equal(path.join(out, 'sub/a.stl'));
      (await fetch(path.join(bench.userDir, 'model-downloads/a.stl'))).error.code.should.equal('INPUT_INVALID');
    });

    it('replaces no file of Node-RED, also without a folder or with /', async () => {
      for (const setting of [{ folder: '/' }, {}]) {
        await startDownload({ ...setting, exists: 'overwrite' });
        for (const name of ['flows.json', 'settings.js', 'nodes/evil.js', 'model-processing/credentials.json']) {
          const file = path.join(bench.userDir, name);
          await mkdir(path.dirname(file), { recursive: true });
          await writeFile(file, SECRET);
          const { dir, base } = path.parse(file);
          for (const spelling of [`${base}...`, base.replace('.js', '.j\u200bs'), ` .${base} `])
            should((await fetch(`${dir}/${spelling}`)).error?.code).equal('INPUT_INVALID', spelling);
          (await fetch(file)).error.code.should.equal('INPUT_INVALID');
          (await fetch(`${path.dirname(file)}/`, { filename: path.basename(file) })).error.code.should.equal(
            'INPUT_INVALID',
          );
          should(await readFile(file, 'utf8')).equal(SECRET);
        }
        await bench.close();
      }
    });

    it('writes anywhere to a path that is fixed in the node, or without a folder, and then warns', async () => {
      const target = path.resolve('build/fixed-target');
      await mkdir(target, { recursive: true });
      await start({ type: DOWNLOAD, target: 'file', path: `${target}/`, pathType: 'str', folder: '' });
      path.dirname((await fetch(undefined)).payload).should.equal(target);
      bench.findLogLines(/Folder not set/).should.be.empty();
      await bench.close();
      await startDownload({});
      should((await fetch(path.join(bench.userDir, 'mine.stl'))).payload).equal(path.join(bench.userDir, 'mine.stl'));
      bench.findLogLines(/^Folder not set: paths in messages can write any file/).length.should.equal(1);
    });
  });
});
