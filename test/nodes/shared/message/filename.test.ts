import 'should';
import should from 'should';
import { baseName, findFilename, withExtensionOf } from '../../../../nodes/shared/message/filename.js';

describe('the name of a file to upload', () => {
  const msg = {
    _msgid: 'm',
    filename: 'second.stl',
    file: { name: 'third.stl' },
    req: { files: [{ originalname: 'fourth.stl' }] },
  };

  it('is looked for in the setting, the message, and last the path', () => {
    should(findFilename('first.stl', msg, '/models/fifth.stl')).equal('first.stl');
    should(findFilename('', msg, '/models/fifth.stl')).equal('second.stl');
    should(findFilename('', { ...msg, filename: '' }, '/models/fifth.stl')).equal('third.stl');
    should(findFilename('', { _msgid: 'm', req: msg.req }, '/models/fifth.stl')).equal('fourth.stl');
    should(findFilename('', { _msgid: 'm' }, '/models/fifth.stl')).equal('fifth.stl');
    should(findFilename('', { _msgid: 'm' })).be.undefined();
  });

  it('is the last part of a path, of any system', () => {
    baseName('C:\\models\\part.stl').should.equal('part.stl');
    baseName('../../etc/part.stl').should.equal('part.stl');
  });
});

describe('withExtensionOf', () => {
  it('gives the extension of the format', () => {
    withExtensionOf('part.OBJ', 'stl').should.equal('part.stl');
    withExtensionOf('my.part.obj', 'STL-ascii').should.equal('my.part.stl');
    withExtensionOf('part', 'obj').should.equal('part.obj');
  });
});
