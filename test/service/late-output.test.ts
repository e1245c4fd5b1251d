import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import should from 'should';
import { eventually } from '../helpers/processes.js';
import { type Calls, logIn } from './support/account.js';
import { useFolder } from './support/data-folder.js';
import { CUBE } from './support/models.js';
import { type Program, useServe } from './support/program.js';
import { copyTemplate } from './support/template-folder.js';

const HOLD = path.resolve('test/service/support/hold-output.mjs');

describe('an operation that is cancelled while its output is stored', () => {
  let folder: string;
  let program: Program;
  let api: Calls;

  const serve = useServe();

  const holdFile = (): string => path.join(folder, 'hold');

  const start = async (environment?: Record<string, string>): Promise<void> => {
    // In a sandbox, an output is renamed before it is stored, too.
    const options = ['--workers', '1', '--memory', '512M', '--scrub-days', '0', '--sandbox', 'off'];
    program = await serve(folder, options, environment);
    api = await logIn(folder);
  };

  const listNames = (): string[] => {
    const parts = readdirSync(path.join(folder, 'blobs'));
    return parts.flatMap((part) => readdirSync(path.join(folder, 'blobs', part))).sort((a, b) => a.length - b.length);
  };

  /** Cancels an import before its output has its final name, and lets it go on. */
  const cancelLate = async () => {
    const { fileId } = (await api.upload(CUBE, 'cube.stl')).body;
    writeFileSync(holdFile(), '');
    const { operationId } = (await api.post('import', { fileId })).body;
    await eventually('the output is stored', () => existsSync(`${holdFile()}.reached`));
    const { body } = await api.remove(operationId);
    should(body).match({ isCompleted: true, isSuccessful: false, error: { code: 42217 } });
    rmSync(holdFile());
    return { fileId, operationId };
  };

  const shouldHaveNoOutput = async ({ fileId, operationId }: { fileId: string; operationId: string }) => {
    should(listNames()).deepEqual([fileId, `${fileId}.json`]);
    should(readdirSync(path.join(folder, 'temp'))).be.empty();
    existsSync(path.join(folder, 'quarantine')).should.be.false();
    (await api.get(`${operationId}/status`)).body.error.code.should.equal(42217);
    (await api.get(`${operationId}/import/result`)).status.should.equal(422);
    (await api.get('file')).body.files.should.match([{ fileId }]);
    (await api.run('import', { fileId })).result.status.should.equal(200);
  };

  useFolder((created) => (folder = created));

  beforeEach(() => copyTemplate(folder));

  const environment = (): Record<string, string> => ({ NODE_OPTIONS: `--import=${HOLD}`, HOLD_FILE: holdFile() });

  it('has no output', async () => {
    await start(environment());
    const ids = await cancelLate();
    await eventually('the output is gone', () => listNames().length === 2);
    await shouldHaveNoOutput(ids);
  });

  for (const part of ['record', 'blob']) {
    it(`has no output after the next start of a service that was killed before it deleted the ${part}`, async () => {
      await start({ ...environment(), KILL_BEFORE: part });
      const ids = await cancelLate();
      should(await program.ended).equal('SIGKILL');
      listNames().length.should.be.above(2);
      await start();
      await shouldHaveNoOutput(ids);
    });
  }
});
