import should from 'should';
import { neverReply, replyWith } from '../helpers/fake-replies.js';
import type { FakeService } from '../helpers/fake-service.js';
import type { FlowBench, Message } from './support/flow-bench.js';
import { registerRemoteFlow } from './support/remote-flow.js';

const NAMES = ['a.stl', 'b.stl', 'c.stl'];
const FILES = NAMES.map((originalname) => ({ originalname, buffer: Buffer.from(`solid ${originalname}`) }));
const FORM = { payload: { comment: 'three parts' }, req: { files: FILES } };

describe('the files of a form', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { open, withService } = registerRemoteFlow((opened) => ({ service, bench } = opened));

  const start = (settings: object = {}, type = 'upload') =>
    open(withService({ type: `model-processing-${type}`, allFormFiles: true, steps: [], ...settings }));
  const receive = async (count: number, id: 'out' | 'errors' = 'out'): Promise<Message[]> => {
    const messages: Message[] = [];
    while (messages.length < count) messages.push(await bench.next(id));
    return messages.sort((a, b) => a.parts?.index - b.parts?.index);
  };
  const namesOf = (messages: Message[]) => messages.map(({ payload }) => payload.filename);
  const isUpload = ({ path }: { path: string }) => path.endsWith('/operation/file');

  it('become one message each, with msg.parts', async () => {
    await start();
    bench.send({ ...FORM, topic: 'order 1' });
    const messages = await receive(3);
    namesOf(messages).should.deepEqual(NAMES);
    const [first] = messages;
    for (const [index, { parts, model, topic }] of messages.entries()) {
      parts.should.deepEqual({ id: first?.parts.id, type: 'array', len: 1, count: 3, index });
      model.filename.should.equal(NAMES[index]);
      topic.should.equal('order 1');
    }
    new Set(messages.map(({ _msgid }) => _msgid)).size.should.equal(3);
    const bodies = service.requests.filter(isUpload).map(({ body }) => body);
    for (const name of NAMES) bodies.filter((body) => body.includes(`solid ${name}`)).length.should.equal(1);
    await bench.until(() => bench.completed.get('node') === 1);
  });

  it('nest existing msg.parts', async () => {
    await start();
    const parts = { id: 'outer', index: 1, count: 2 };
    bench.send({ ...FORM, parts });
    for (const message of await receive(3)) message.parts.parts.should.deepEqual(parts);
  });

  it('keep their own names, whatever the message and the setting say', async () => {
    await start({ filename: 'fixed.obj' });
    bench.send({ ...FORM, filename: 'order.txt' });
    namesOf(await receive(3)).should.deepEqual(NAMES);
  });

  for (const [description, settings, msg] of [
    ['the payload', {}, { payload: FILES }],
    ['another property', { source: 'attachments', sourceType: 'msg' }, { attachments: FILES }],
    ['a JSONata expression', { source: 'req.files', sourceType: 'jsonata' }, FORM],
    ['the JSON form of a Buffer', {}, { payload: JSON.parse(JSON.stringify(FILES)) }],
  ] as const)
    it(`are taken from ${description}`, async () => {
      await start(settings);
      bench.send({ ...msg });
      namesOf(await receive(3)).should.deepEqual(NAMES);
    });

  it('have msg.parts also if there is one, which has the name in the message', async () => {
    await start();
    bench.send({ payload: {}, req: { files: FILES.slice(0, 1) }, filename: 'order.stl' });
    const [message] = await receive(1);
    should(message?.parts).containEql({ count: 1, index: 0 });
    should(message?.payload.filename).equal('order.stl');
  });

  it('are not what a Buffer, a file or a path is', async () => {
    await start();
    for (const payload of [Buffer.from('solid'), FILES[0]]) {
      bench.send({ payload, filename: 'x.stl' });
      should((await bench.next()).parts).be.undefined();
    }
  });

  it('fail one by one, and the input ends once', async () => {
    service.fault('GET', /^\/formats$/, replyWith(200, { import: [{ id: 'stl', extensions: ['stl'] }] }), 9);
    await start();
    const photo = { originalname: 'photo.png', buffer: Buffer.from('png') };
    bench.send({ payload: {}, req: { files: [FILES[0], photo, FILES[2]] } });
    await bench.until(() => bench.countUnread('out') === 2 && bench.countUnread('errors') === 1);
    namesOf([await bench.next(), await bench.next()]).should.deepEqual(['a.stl', 'c.stl']);
    const failed = await bench.next('errors');
    should(failed.error.code).equal('REFUSED');
    should(failed.parts).containEql({ index: 1, count: 3 });
    await bench.until(() => bench.completed.get('node') === 1);
  });

  it('are refused as a whole if one of them has a path', async () => {
    await start();
    bench.send({ payload: {}, req: { files: [FILES[0], { ...FILES[1], path: '/etc/passwd' }] } });
    should((await bench.next('errors')).error.code).equal('INPUT_INVALID');
    service.requests.filter(isUpload).should.be.empty();
  });

  it('are all discarded by msg.reset, and the input ends', async () => {
    await start();
    service.fault('POST', /file$/, () => undefined, 9);
    bench.send(FORM);
    await bench.until(() => service.requests.filter(isUpload).length > 0);
    bench.send({ reset: true });
    await bench.until(() => bench.completed.get('node') === 2);
    should(bench.status()?.text).equal('upload.status.dropped');
    bench.countUnread('out').should.equal(0);
  });

  it('are processed one by one by model process', async () => {
    await start({}, 'process');
    bench.send(FORM);
    const messages = await receive(3);
    messages.map(({ filename }) => filename).should.deepEqual(NAMES);
    for (const { payload } of messages) Buffer.isBuffer(payload).should.be.true();
  });

  for (const [description, settings] of [
    ['that was saved before the setting existed', { allFormFiles: undefined }],
    ['without the setting', { allFormFiles: false }],
  ] as const)
    it(`are ignored but the first by a node ${description}, with a warning`, async () => {
      await start(settings);
      bench.send(FORM);
      const { payload, model, parts } = await bench.next();
      should(payload.filename).equal('a.stl');
      should(parts).be.undefined();
      should(model.warnings).deepEqual([
        {
          code: 'FORM_FILES_IGNORED',
          message:
            'Only the first file of the form was uploaded, not "b.stl", "c.stl". Choose "All files of a form" in the node.',
        },
      ]);
      should(bench.status()).have.properties({ fill: 'yellow', shape: 'ring' });
    });

  it('are each uploaded by the next instance of the node if a deploy interrupts them', async () => {
    await start();
    service.fault('POST', /operation\/file$/, neverReply, Number.POSITIVE_INFINITY);
    bench.send(FORM);
    await bench.until(() => service.count('POST', /operation\/file$/) === 3);
    const flow = withService({ type: 'model-processing-upload', allFormFiles: true, steps: [] });
    service.clearFaults();
    await bench.deploy(flow, 'full');
    const messages = await receive(3);
    namesOf(messages).should.deepEqual(NAMES);
    messages.map(({ parts }) => parts.index).should.deepEqual([0, 1, 2]);
  });
});
