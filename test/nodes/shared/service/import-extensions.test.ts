import 'should';
import { ImportExtensions } from '../../../../nodes/shared/service/import-extensions.js';
import { expectClientError } from '../../../helpers/expect-client-error.js';

const LIST = ['stl', 'obj'];

describe('ImportExtensions', () => {
  const { signal } = new AbortController();
  let time: number;
  let reads: (() => Promise<readonly string[]>)[];
  let readCount: number;
  let extensions: ImportExtensions;

  beforeEach(() => {
    time = 0;
    reads = [];
    readCount = 0;
    extensions = new ImportExtensions({
      now: () => time,
      read: () => {
        readCount += 1;
        return (reads.shift() ?? (() => Promise.resolve(LIST)))();
      },
    });
  });

  it('accepts the listed extensions, ignoring case', async () => {
    for (const filename of ['part.stl', 'PART.OBJ', 'a.txt.stl']) await extensions.assertAccepted(filename, signal);
  });

  it('throws REFUSED with the filename and the list for another extension', async () => {
    const error = await expectClientError(extensions.assertAccepted('notes.TXT', signal));
    error.code.should.equal('REFUSED');
    error.message.should.equal(
      'Could not upload "notes.TXT": the service does not import .txt files. Use one of stl, obj.',
    );
  });

  it('accepts any file if the service has no list, and a filename without an extension', async () => {
    reads.push(() => Promise.resolve([]));
    for (const filename of ['notes.txt', 'part', '.stl']) await extensions.assertAccepted(filename, signal);
  });

  it('reads the list once for concurrent uploads, and again after five minutes', async () => {
    await Promise.all(['a.stl', 'b.stl'].map((filename) => extensions.assertAccepted(filename, signal)));
    time = 299_999;
    await extensions.assertAccepted('c.stl', signal);
    readCount.should.equal(1);
    time = 300_000;
    await extensions.assertAccepted('d.stl', signal);
    readCount.should.equal(2);
  });

  it('accepts any file for 30 seconds after the list could not be read', async () => {
    reads.push(() => Promise.reject(new Error('no connection')));
    await extensions.assertAccepted('notes.txt', signal);
    time = 29_999;
    await extensions.assertAccepted('notes.txt', signal);
    readCount.should.equal(1);
    time = 30_000;
    (await expectClientError(extensions.assertAccepted('notes.txt', signal))).code.should.equal('REFUSED');
  });

  it('throws ABORTED when the signal is aborted, while others wait for the list', async () => {
    let finish = (_list: readonly string[]) => {};
    reads.push(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    const controller = new AbortController();
    const aborted = expectClientError(extensions.assertAccepted('a.stl', controller.signal));
    const refused = expectClientError(extensions.assertAccepted('b.txt', signal));
    controller.abort();
    (await aborted).code.should.equal('ABORTED');
    finish(LIST);
    (await refused).code.should.equal('REFUSED');
  });
});
