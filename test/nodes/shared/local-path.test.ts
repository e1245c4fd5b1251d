import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import { assertNoUrl, expandHome } from '../../../nodes/shared/local-path.js';

describe('expandHome', () => {
  it('replaces ~ at the start of a path by the home folder', () => {
    expandHome('~', '/home/maker').should.equal(path.join('/home/maker'));
    expandHome('~/models/part.stl', '/home/maker').should.equal(path.join('/home/maker/models/part.stl'));
    expandHome('~/part.stl').should.equal(path.join(os.homedir(), 'part.stl'));
  });

  it('leaves other paths unchanged', () => {
    for (const file of ['part.stl', './~/part.stl', '~part.stl', '~maker/part.stl', 'a/~', ''])
      expandHome(file, '/home/maker').should.equal(file);
  });
});

describe('assertNoUrl', () => {
  it('throws INPUT_INVALID with the scheme of a URL, but not its secrets', () => {
    for (const url of ['https://maker:secret@example.com/part.stl?key=secret', ' FTP://secret', 's3://secret/a.stl'])
      should(() => assertNoUrl(url, 'msg.payload', 'Download it first.')).throw({
        code: 'INPUT_INVALID',
        message: /^Invalid msg\.payload: expected a path, not a URL \(\w+:\/\/…\)\. Download it first\.$/,
      });
  });

  it('accepts paths', () => {
    for (const file of ['part.stl', '/tmp/http:/part.stl', 'C://part.stl', 'C:\\part.stl', 'a:b.stl'])
      assertNoUrl(file, 'msg.payload', '');
  });
});
