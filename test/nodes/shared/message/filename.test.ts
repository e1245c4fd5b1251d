import 'should';
import should from 'should';
import { baseName, findFilename, withExtensionOf } from '../../../../nodes/shared/message/filename.js';

describe('findFilename', () => {
  const msg = {
    _msgid: 'm',
    filename: 'second.stl',
    file: { name: 'third.stl' },
    req: { files: [{ originalname: 'fourth.stl' }] },
  };

  it('prefers the setting, then the message, then the path', () => {
    should(findFilename('first.stl', msg, '/models/fifth.stl')).equal('first.stl');
    should(findFilename('', msg, '/models/fifth.stl')).equal('second.stl');
    should(findFilename('', { ...msg, filename: '' }, '/models/fifth.stl')).equal('third.stl');
    should(findFilename('', { _msgid: 'm', req: msg.req }, '/models/fifth.stl')).equal('fourth.stl');
    should(findFilename('', { _msgid: 'm' }, '/models/fifth.stl')).equal('fifth.stl');
    should(findFilename('', { _msgid: 'm' })).be.undefined();
  });

  it('ignores white space around the name', () => {
    for (const name of ['part.stl\n', 'part.stl\r\n', ' part.stl\t ', 'folder/part.stl\u00a0'])
      should(findFilename(name, { _msgid: 'm' })).equal('part.stl');
  });

  it('decodes the name of a file of a form as UTF-8, also if a flow has copied it', () => {
    const originalname = Buffer.from('Größe 模型 é.stl').toString('latin1');
    const req = { files: [{ originalname: 'first.stl' }, { originalname }] };
    should(findFilename('', { _msgid: 'm', req: { files: [{ originalname }] } })).equal('Größe 模型 é.stl');
    should(findFilename(originalname, { _msgid: 'm', req })).equal('Größe 模型 é.stl');
    should(findFilename('', { _msgid: 'm', req, filename: originalname })).equal('Größe 模型 é.stl');
    should(findFilename('', { _msgid: 'm', filename: originalname })).equal(originalname);
  });
});

describe('baseName', () => {
  it('returns the last segment of POSIX and Windows paths', () => {
    baseName('C:\\models\\part.stl').should.equal('part.stl');
    baseName('../../etc/part.stl').should.equal('part.stl');
  });
});

describe('withExtensionOf', () => {
  it('replaces or appends the extension of the format', () => {
    withExtensionOf('part.OBJ', 'stl').should.equal('part.stl');
    withExtensionOf('my.part.obj', 'STL-ascii').should.equal('my.part.stl');
    withExtensionOf('part', 'obj').should.equal('part.obj');
  });
});
