import 'should';
import { type Calls, logIn } from '../support/account.js';
import { CUBE, OPEN_CUBE } from '../support/models.js';
import { sendRaw } from '../support/raw-reply.js';
import { ANN, PASSWORD, registerSessionBench } from '../support/session-bench.js';
import { headerOf, SAME_ORIGIN, signInToPage } from '../support/web-session.js';

const THUMBNAIL = { width: 20, height: 20, cameraAngleX: 0, cameraAngleY: 0, cameraAngleZ: 0 };

describe('The HTML report of the page', () => {
  const bench = registerSessionBench();
  let cookie: string;
  let owner: Calls;

  beforeEach(async () => {
    cookie = await bench.startAsOwner();
    owner = await logIn(bench.folder);
  });

  const request = (operationId: string, files: Record<string, string>, session = cookie, method = 'GET') =>
    sendRaw(bench.port, [
      `${method} /ui/reports/${operationId}?${new URLSearchParams({ language: 'en', ...files })} HTTP/1.1`,
      ...[`Host: 127.0.0.1:${bench.port}`, session, SAME_ORIGIN],
    ]);
  const codeOf = ({ body }: { body: string }): number => JSON.parse(body).errors[0].code;
  const outputOf = async (operation: string, body: object): Promise<{ operationId: string; output: string }> => {
    const { operationId, result } = await owner.run(operation, body);
    return { operationId, output: result.body.fileId ?? result.body.resultId };
  };
  const importModel = async (model: string) => {
    const { fileId } = (await owner.upload(model, 'cube.stl')).body;
    return { fileId, ...(await outputOf('import', { fileId })) };
  };
  const show = async (inputId: string) => ({
    preview: (await outputOf('preview', { inputId })).output,
    picture: (await outputOf('thumbnail', { inputId, ...THUMBNAIL })).output,
  });
  const readBase64 = async (id: string): Promise<string> => {
    const headers = { authorization: `Bearer ${owner.token}` };
    const reply = await fetch(`${owner.baseUrl}/web-api/operation/file/${id}`, { headers });
    return Buffer.from(await reply.arrayBuffer()).toString('base64');
  };

  it('has the models before and after a repair, with the length in its head', async () => {
    const { output: openId } = await importModel(OPEN_CUBE);
    const { operationId, output: repairedId } = await outputOf('repair', { inputId: openId });
    const [before, after] = [await show(openId), await show(repairedId)];
    const files = { ...after, beforePreview: before.preview, beforePicture: before.picture };
    const reply = await request(operationId, files);
    reply.status.should.equal(200);
    headerOf(reply, 'content-length').should.equal(String(Buffer.byteLength(reply.body)));
    headerOf(reply, 'content-disposition').should.match(/cube-report\.html/);
    headerOf(reply, 'content-security-policy').should.equal('sandbox');
    for (const [name, { preview, picture }] of Object.entries({ before, after })) {
      reply.body.should.containEql(`id="preview-${name}">${await readBase64(preview)}</script>`);
      reply.body.should.containEql(`id="picture-${name}" src="data:image/png;base64,${await readBase64(picture)}"`);
    }
    reply.body.should.match(/<\/html>\n$/);
    const head = await request(operationId, files, cookie, 'HEAD');
    head.body.should.equal('');
    headerOf(head, 'content-length').should.equal(headerOf(reply, 'content-length'));
  });

  it('refuses every file but previews and pictures of its models', async () => {
    const { fileId, operationId, output: modelId } = await importModel(CUBE);
    const shown = await show(modelId);
    const named = (await owner.upload('not a preview', 'cube-preview.glb')).body.fileId;
    const { output: exported } = await outputOf('export', { inputId: modelId, exportToFormat: 'glb' });
    const other = await show((await importModel(OPEN_CUBE)).output);
    for (const id of [fileId, named, exported, shown.picture, other.preview]) {
      const reply = await request(operationId, { ...shown, preview: id });
      [reply.status, codeOf(reply)].should.deepEqual([400, 40001]);
      codeOf(await request(operationId, { ...shown, beforePreview: id, beforePicture: shown.picture })).should.equal(
        40001,
      );
    }
    for (const id of [fileId, shown.preview, other.picture]) {
      codeOf(await request(operationId, { ...shown, picture: id })).should.equal(40001);
    }
    codeOf(await request(operationId, { ...shown, preview: modelId })).should.equal(40401);
  });

  it('is not sent to another user', async () => {
    const { operationId, output } = await importModel(CUBE);
    const shown = await show(output);
    codeOf(await request(operationId, shown, await signInToPage(bench.port, ANN, PASSWORD))).should.equal(40403);
  });
});
