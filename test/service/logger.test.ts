import { PassThrough } from 'node:stream';
import 'should';
import { createLogger } from '../../src/service/logger.js';

describe('createLogger', () => {
  it('writes lines of JSON without control characters, whose values are the same', () => {
    const target = new PassThrough();
    const filename = 'a\u001b[2J\u007f\u009b31m\u202e\n.stl';
    createLogger('info', target).info({ filename }, 'Uploaded');
    const text = String(target.read());
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    text.slice(0, -1).should.not.match(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    JSON.parse(text).should.containEql({ filename, msg: 'Uploaded' });
  });
});
