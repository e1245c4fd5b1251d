import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { readExample } from '../helpers/examples/example-file.js';

interface Scan {
  env: { get: (name: string) => string };
  context: { get: (name: string) => unknown; set: (name: string, value: unknown) => void };
}

describe('the node "new files" of the example "Convert a folder"', () => {
  let folder: string;
  let scan: () => string[];

  const fileOf = (name: string): string => path.join(folder, 'IN', name);

  beforeEach(async () => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'convert-'));
    const node = (await readExample('Convert a folder')).find(({ name }) => name === 'new files');
    const run = new Function('env', 'context', 'fs', 'path', String(node?.func));
    const values = new Map<string, unknown>();
    const scope: Scan = {
      env: { get: (name) => path.join(folder, name) },
      context: { get: (name) => values.get(name), set: (name, value) => void values.set(name, value) },
    };
    // Returns the names of the files that one scan sends.
    scan = () => {
      const [messages]: [{ payload: string }[]] = run(scope.env, scope.context, fs, path);
      return messages.map(({ payload }) => path.basename(payload));
    };
    should(scan()).be.empty();
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it('sends a file once, as soon as it is the same as at the scan before', () => {
    fs.writeFileSync(fileOf('part.stl'), 'solid');
    should([scan(), scan(), scan(), scan()]).deepEqual([[], ['part.stl'], [], []]);
  });

  it('does not send a file that grows from scan to scan, and sends it once when it is complete', () => {
    const sent: string[][] = [];
    for (let count = 0; count < 5; count += 1) {
      fs.appendFileSync(fileOf('part.stl'), 'more');
      sent.push(scan());
    }
    should([...sent, scan(), scan()]).deepEqual([[], [], [], [], [], ['part.stl'], []]);
  });

  it('sends a file again after a change, and after it was deleted and came back', () => {
    fs.writeFileSync(fileOf('part.stl'), 'solid');
    should([scan(), scan()]).deepEqual([[], ['part.stl']]);
    fs.appendFileSync(fileOf('part.stl'), 'more');
    should([scan(), scan()]).deepEqual([[], ['part.stl']]);
    const bytes = fs.readFileSync(fileOf('part.stl'));
    fs.rmSync(fileOf('part.stl'));
    should(scan()).be.empty();
    fs.writeFileSync(fileOf('part.stl'), bytes);
    should([scan(), scan()]).deepEqual([[], ['part.stl']]);
  });

  it('ignores hidden files and folders', () => {
    fs.writeFileSync(fileOf('.part.stl'), 'solid');
    fs.mkdirSync(fileOf('folder.stl'));
    should([scan(), scan()]).deepEqual([[], []]);
  });
});
