import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import 'should';
import { RequestBody } from '../../../src/client/transport/request-body.js';
import { nextTurn } from '../../helpers/next-turn.js';

describe('RequestBody', () => {
  it('writes all chunks in order and ends the request', async () => {
    const request = new PassThrough();
    const body = new RequestBody([Buffer.from('one '), Buffer.from('two')]);
    body.pipe(request);
    await once(body, 'end');
    String(request.read()).should.equal('one two');
  });

  it('writes nothing until the promise of delayUntil resolves', async () => {
    const request = new PassThrough();
    const body = new RequestBody([Buffer.from('one')]);
    let open = () => {};
    body.delayUntil(
      new Promise((resolve) => {
        open = resolve;
      }),
    );
    body.pipe(request);
    await nextTurn();
    request.readableLength.should.equal(0);
    open();
    await once(body, 'end');
    String(request.read()).should.equal('one');
  });

  it('emits the error that its source throws', async () => {
    const chunks = (async function* () {
      yield Buffer.from('one');
      throw new Error('The file ended.');
    })();
    const body = new RequestBody(chunks);
    body.pipe(new PassThrough());
    const [error] = await once(body, 'error');
    error.message.should.equal('The file ended.');
  });

  it('emits no error if a write fails, even if the request is not destroyed yet', async () => {
    const errors: unknown[] = [];
    const request = new Writable({
      autoDestroy: false,
      write: (_chunk, _encoding, callback) => callback(new Error('write EPIPE')),
    });
    const body = new RequestBody([Buffer.from('one'), Buffer.from('two')]);
    body.on('error', (error) => errors.push(error));
    const failed = once(request, 'error');
    body.pipe(request);
    await failed.catch(() => undefined);
    await nextTurn();
    errors.should.eql([]);
  });

  it('causes no unhandled rejection if it is destroyed before its first chunk', async () => {
    const source = new PassThrough();
    const body = new RequestBody(source);
    body.pipe(new PassThrough());
    body.destroy();
    source.destroy();
    await once(source, 'close');
    await nextTurn();
  });
});
