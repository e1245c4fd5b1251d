import should from 'should';
import { createZip } from '../mesh/formats/zip/zip-bytes.js';
import type { Calls } from './support/account.js';
import { CUBE, OPEN_CUBE } from './support/models.js';
import { KERNEL_PROGRAM } from './support/running.js';
import { withService } from './support/with-service.js';

describe('an import of a ZIP of several models', () => {
  let api: Calls;
  let fileId: string;

  withService((bench) => ({ api } = bench), { kernelProgram: KERNEL_PROGRAM });

  before(async () => {
    const kit = createZip({ 'files/lid.stl': CUBE, 'files/base.stl': OPEN_CUBE, 'README.txt': 'text' });
    fileId = (await api.upload(kit, 'kit.zip')).body.fileId;
  });

  it('fails with the list of the models, in the status, the result and the list of operations', async () => {
    const { status, result } = await api.run('import', { fileId });
    const error = { code: 42216, entries: ['files/lid.stl', 'files/base.stl'] };
    status.body.should.match({ isSuccessful: false, error });
    for (const entry of error.entries) status.body.error.message.should.containEql(entry);
    should(result.status).equal(422);
    result.body.should.match({ errors: [error] });
    const { body } = await api.get('');
    body.operations[0].should.match({ filename: 'kit.zip', error });
    should(body.operations[0]).not.have.property('entry');
  });

  it('reads the model of entry, which names the model and its exports', async () => {
    for (const [entry, level, filename] of [
      ['files/lid.stl', 'solid', 'lid.stl'],
      ['BASE.STL', 'open', 'BASE.STL'],
    ] as const) {
      const { result } = await api.run('import', { fileId, entry });
      result.body.report.verdict.level.should.equal(level);
      const { body } = await api.get('');
      body.operations[0].should.match({ filename: 'kit.zip', entry });
      const exported = await api.run('export', { inputId: result.body.resultId, exportToFormat: 'obj' });
      const download = await api.get(`file/${exported.result.body.fileId}`);
      const name = filename.replace(/\.stl$/i, '.obj');
      should(download.headers.get('content-disposition')).equal(`attachment; filename="${name}"`);
    }
  });

  it('fails with 42219 for an entry that is not there, and for a file that is not an archive', async () => {
    const unknown = await api.run('import', { fileId, entry: 'hinge.stl' });
    unknown.status.body.error.should.match({ code: 42219, entries: ['files/lid.stl', 'files/base.stl'] });
    const cube = (await api.upload(CUBE, 'cube.stl')).body.fileId;
    (await api.run('import', { fileId: cube, entry: 'cube.stl' })).status.body.error.code.should.equal(42219);
  });

  it('is refused for an entry that is empty, too long or no text', async () => {
    for (const entry of ['', 'x'.repeat(1025), 'x'.repeat(5000), 7, ['a']]) {
      const { status, body } = await api.post('import', { fileId, entry });
      should(status).equal(400);
      body.errors[0].message.should.containEql('entry');
    }
    should((await api.post('import', { fileId, entry: null })).status).equal(200);
  });
});
