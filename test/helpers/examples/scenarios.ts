import { mkdir, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { eventually } from '../processes.js';
import type { Message } from './message-recorder.js';
import type { TestEnvironment } from './test-environment.js';

/** A deployed example. */
export interface DeployedExample {
  environment: TestEnvironment;
  /** The URL of Node-RED. */
  url: string;
  userDir: string;
  /** Triggers the inject node with this name. */
  triggerInject: (inject: string) => Promise<void>;
  /** Resolves with the next message that the debug node with this name receives. */
  nextMessage: (debug: string) => Promise<Message>;
}

/** Uses an example as its comment node describes, and asserts the output. */
export type Scenario = (deployed: DeployedExample) => Promise<void>;

const BRACKET = 'samples/bracket.stl';

/** Asserts that a file is a binary STL of the size that its header declares. */
async function assertStl(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes.length.should.equal(84 + 50 * bytes.readUInt32LE(80));
}

async function createBracketForm(): Promise<FormData> {
  const form = new FormData();
  form.set('file', new Blob([await readFile(BRACKET)]), 'bracket.stl');
  return form;
}

/** Creates a form with a file that is not a model. */
function createInvalidForm(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['not a model']), 'letter.stl');
  return form;
}

const repairAModel: Scenario = async ({ triggerInject, nextMessage, userDir }) => {
  await triggerInject('repair the bracket');
  const { payload, model } = await nextMessage('repaired file');
  path.dirname(payload).should.equal(path.join(userDir, 'model-downloads'));
  await assertStl(payload);
  model.verdict.level.should.equal('solid');
};

const convertAFolder: Scenario = async ({ environment, nextMessage }) => {
  const folder = path.join(environment.home, 'models-to-convert');
  const [inFolder, outFolder] = [path.join(folder, 'in'), path.join(folder, 'out')];
  await eventually('the output folder exists', () => stat(outFolder).catch(() => undefined));
  await writeFile(path.join(environment.home, 'dropped.off'), TETRAHEDRON);
  await rename(path.join(environment.home, 'dropped.off'), path.join(inFolder, 'first.off'));
  (await nextMessage('converted')).payload.should.equal(path.join(outFolder, 'first.stl'));
  await assertStl(path.join(outFolder, 'first.stl'));
  await unlink(path.join(inFolder, 'first.off'));
  await mkdir(path.join(inFolder, 'a folder'));
  await writeFile(path.join(inFolder, 'second.off'), TETRAHEDRON);
  (await nextMessage('converted')).payload.should.equal(path.join(outFolder, 'second.stl'));
  for (const name of ['broken.off', 'broken-2.off']) {
    await writeFile(path.join(inFolder, 'broken.off'), 'no model');
    const failed = path.join(folder, 'failed', name);
    (await nextMessage('error')).payload.should.equal(failed);
    (await readFile(failed, 'utf8')).should.equal('no model');
    (await readFile(`${failed}.txt`, 'utf8')).should.match(/broken\.off.* \(OPERATION_FAILED\)\n$/);
    (await readdir(inFolder)).should.not.containEql('broken.off');
  }
};

/** An OFF file. */
const TETRAHEDRON = 'OFF\n4 4 0\n0 0 0\n10 0 0\n0 10 0\n0 0 10\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 2 0 3\n';

const httpEndpoint: Scenario = async ({ url }) => {
  const address = `${url}/models/repair`;
  const repaired = await fetch(address, { method: 'POST', body: await createBracketForm() });
  repaired.status.should.equal(200);
  should(repaired.headers.get('x-model-verdict')).equal('solid');
  should(repaired.headers.get('x-model-needs-repair')).equal('false');
  should(repaired.headers.get('content-disposition')).equal('attachment; filename="bracket.stl"');
  const bytes = Buffer.from(await repaired.arrayBuffer());
  bytes.length.should.equal(84 + 50 * bytes.readUInt32LE(80));
  const refused = await fetch(address, { method: 'POST', body: createInvalidForm() });
  refused.status.should.equal(422);
  (await refused.json()).should.have.propertyByPath('error', 'code').equal('OPERATION_FAILED');
  const missing = await fetch(address, { method: 'POST', body: new FormData() });
  missing.status.should.equal(400);
  (await missing.json()).should.have.propertyByPath('error', 'code').equal('INPUT_MISSING');
};

const httpEndpointWithJobs: Scenario = async ({ url }) => {
  const jobs = `${url}/models/jobs`;
  const accepted = await fetch(jobs, { method: 'POST', body: await createBracketForm() });
  accepted.status.should.equal(202);
  const { job, status } = await accepted.json();
  should(accepted.headers.get('location')).equal(status);
  const completed = await eventually('the job has completed', async () => {
    const reply = await (await fetch(`${url}${status}`)).json();
    return reply.state === 'running' ? undefined : reply;
  });
  should(completed).containEql({ job, state: 'done', verdict: 'solid', needsRepair: false });
  const result = await fetch(`${url}${completed.result}`);
  result.status.should.equal(200);
  should(result.headers.get('x-model-verdict')).equal('solid');
  should(result.headers.get('x-model-needs-repair')).equal('false');
  (await result.arrayBuffer()).byteLength.should.be.above(84);
  (await fetch(`${jobs}/no-such-job`)).status.should.equal(404);
  (await fetch(`${jobs}/no-such-job/result`)).status.should.equal(404);
  const second = await (await fetch(jobs, { method: 'POST', body: createInvalidForm() })).json();
  const failed = await eventually('the job has failed', async () => {
    const reply = await (await fetch(`${url}${second.status}`)).json();
    return reply.state === 'running' ? undefined : reply;
  });
  should(failed).have.propertyByPath('error', 'code').equal('OPERATION_FAILED');
  (await fetch(`${url}${second.status}/result`)).status.should.equal(409);
};

const manyModelsAtOnce: Scenario = async ({ triggerInject, nextMessage }) => {
  await triggerInject('eight boxes');
  const { payload } = await nextMessage('all results');
  payload.length.should.equal(8);
  payload[2].should.containEql({ filename: 'box-30.off', verdict: 'solid', needsRepair: false });
  payload[2].volumeMm3.should.be.approximately(27_000, 1e-6);
  payload[7].should.deepEqual({ filename: 'box-0.off', error: 'OPERATION_FAILED' });
};

const catchAndRetry: Scenario = async ({ triggerInject, nextMessage }) => {
  await triggerInject('a file that is not a model');
  const { error, attempts } = await nextMessage('gave up');
  error.code.should.equal('OPERATION_FAILED');
  should(attempts).be.undefined();
  await triggerInject('a file that arrives late');
  const late = await nextMessage('repaired');
  late.attempts.should.be.above(0);
  late.model.verdict.level.should.equal('solid');
};

const remoteAccount: Scenario = async ({ triggerInject, nextMessage }) => {
  await triggerInject('repair the bracket');
  const { payload } = await nextMessage('repaired file');
  path.basename(payload).should.match(/^bracket.*\.3mf$/);
};

const sliceAndSend: Scenario = async ({ triggerInject, nextMessage, environment }) => {
  await triggerInject('slice the bracket');
  (await nextMessage('on the printer')).payload.should.deepEqual({ done: true });
  const [upload] = environment.printer.uploads.splice(0);
  should(upload).containEql({ path: '/api/files/local', key: environment.env.PRINTER_KEY });
  upload?.body.should.match(/name="print"\r\n\r\nfalse\r\n/);
  upload?.body.should.match(/name="file"; filename="bracket\.gcode"/);
  upload?.body.should.match(/^G1 /m);
};

const checkAndRoute: Scenario = async ({ triggerInject, nextMessage }) => {
  await triggerInject('a broken bracket');
  const broken = (await nextMessage('report')).payload;
  broken.should.containEql({ filename: 'bracket.stl', is: 'solid', reasons: [], repaired: true });
  await triggerInject('a solid cube');
  const solid = (await nextMessage('report')).payload;
  solid.should.containEql({ filename: 'cube.off', is: 'solid', repaired: false, volumeMm3: 8000 });
};

const processInOneNode: Scenario = async ({ triggerInject, nextMessage }) => {
  await triggerInject('repair and convert');
  const { payload, model } = await nextMessage('written file');
  path.basename(payload).should.match(/^bracket.*\.3mf$/);
  model.analysis.should.containEql({ badEdges: 0 });
  model.thumbnail.subarray(1, 4).toString().should.equal('PNG');
  model.verdict.level.should.equal('solid');
};

const quoteAPrice: Scenario = async ({ url, triggerInject, nextMessage }) => {
  await triggerInject('quote the bracket');
  const { payload } = await nextMessage('quote');
  payload.should.containEql({ filename: 'bracket.stl', currency: 'EUR' });
  Number(payload.price).should.be.approximately(4 + 0.35 * payload.volumeCm3, 0.01);
  payload.size.should.match(/^[\d.]+ × [\d.]+ × [\d.]+ mm$/);
  Buffer.from(payload.picture, 'base64').subarray(1, 4).toString().should.equal('PNG');
  const page = `${url}/quote`;
  (await (await fetch(page)).text()).should.match(/<form method="post"/).and.not.match(/Price/);
  const reply = await (await fetch(page, { method: 'POST', body: await createBracketForm() })).text();
  reply.should.containEql(`${payload.price} EUR`).and.match(/src="data:image\/png;base64,/);
  (await fetch(page, { method: 'POST', body: createInvalidForm() })).status.should.equal(422);
};

const callbackInsteadOfPolling: Scenario = async ({ triggerInject, nextMessage }) => {
  await triggerInject('repair the bracket');
  (await nextMessage('repaired')).model.verdict.level.should.equal('solid');
};

const previewARepair: Scenario = async ({ url, triggerInject, nextMessage }) => {
  await triggerInject('repair the bracket');
  (await nextMessage('repaired model')).model.verdict.level.should.equal('solid');
  const models = `${url}/model-processing/models`;
  const complete = await eventually('both previews are complete', async () => {
    const entries: Message[] = (await (await fetch(models)).json()).models;
    return entries.length >= 2 && entries.every(({ state }) => state === 'complete') ? entries : undefined;
  });
  const [repaired, broken] = complete;
  should(repaired).match({ name: 'repaired', summary: { level: 'solid' }, has: { mesh: true, before: true } });
  should(broken).match({ name: 'broken', summary: { level: 'open' }, has: { mesh: true, before: false } });
  const picture = Buffer.from(await (await fetch(`${models}/${repaired?.key}/picture`)).arrayBuffer());
  picture.subarray(1, 4).toString().should.equal('PNG');
  const mesh = Buffer.from(await (await fetch(`${models}/${broken?.key}/mesh`)).arrayBuffer());
  mesh.subarray(0, 4).toString().should.equal('glTF');
};

/** Name of an example → its scenario. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'Repair a model': repairAModel,
  'Convert a folder': convertAFolder,
  'HTTP endpoint': httpEndpoint,
  'HTTP endpoint with jobs': httpEndpointWithJobs,
  'Many models at once': manyModelsAtOnce,
  'Catch and retry': catchAndRetry,
  'Remote account': remoteAccount,
  'Slice and send to a printer': sliceAndSend,
  'Check and route': checkAndRoute,
  'Quote a price': quoteAPrice,
  'Callback instead of polling': callbackInsteadOfPolling,
  'Process a model in one node': processInOneNode,
  'Preview a repair': previewARepair,
};
