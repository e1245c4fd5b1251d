import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { type Calls, logIn } from './support/account.js';
import { createFolder, removeFolder } from './support/data-folder.js';
import { CUBE } from './support/models.js';
import { startService } from './support/running.js';

describe('the further operations', () => {
  let folder: string;
  let service: RunningService;
  let api: Calls;
  let cube: string;

  before(async () => {
    folder = await createFolder();
    service = await startService(folder);
    api = await logIn(folder);
    const uploaded = await api.upload(CUBE, 'cube.stl');
    cube = (await api.run('import', { fileId: uploaded.body.fileId })).result.body.resultId;
  });

  after(async () => {
    await service.close();
    await removeFolder(folder);
  });

  it('thumbnail draws a PNG of the size that was asked for, named after the model', async () => {
    const angles = { cameraAngleX: 145, cameraAngleY: 145, cameraAngleZ: 145 };
    const { result } = await api.run('thumbnail', {
      inputId: cube,
      width: 90,
      height: 60,
      ...angles,
      background: null,
    });
    const picture = await api.get(`file/${result.body.fileId}`);
    picture.headers.get('content-type')?.should.equal('image/png');
    picture.headers.get('content-disposition')?.should.equal('attachment; filename="cube.png"');
    should(picture.body.slice(1, 4)).equal('PNG');
    const other = await api.post('thumbnail', { inputId: cube, width: 90, height: 60, ...angles, background: 'pink' });
    should(other.body.errors[0]).match({ code: 40001, message: /background .* one of plain, transparent/ });
  });
});
