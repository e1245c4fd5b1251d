import should from 'should';
import { decodeFormName } from '../../../../nodes/shared/message/form-files.js';

describe('decodeFormName', () => {
  it('decodes UTF-8 that was read as Latin-1', () => {
    for (const name of ['Größe 模型 é.stl', 'деталь.stl', 'Żółw-💡.3mf', 'e\u0301.stl', '\u00a0.stl'])
      should(decodeFormName(Buffer.from(name).toString('latin1'))).equal(name);
  });

  it('keeps ASCII, names that are decoded already, and bytes that are no UTF-8', () => {
    for (const name of ['part.stl', 'Größe.stl', '模型.stl', 'Ã¶ 模.stl', 'café.stl', '\u00ed\u00a0\u0080.stl', ''])
      should(decodeFormName(name)).equal(name);
  });
});
