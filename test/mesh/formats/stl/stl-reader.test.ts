import 'should';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { isBinaryStl } from '../../../../src/mesh/formats/stl/stl-reader.js';
import { makeCube } from '../../models/cube.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';
import { binaryStl, TWO_FACETS } from './stl-bytes.js';

const TEXT = Buffer.concat([...serializeModel(makeCube(), 'stl-ascii')]).toString();
const HEADER = 'solid facet normal outer loop vertex endloop endfacet endsolid';

describe('isBinaryStl', () => {
  it('decides by the length first, whatever the header contains', () => {
    isBinaryStl(binaryStl(TWO_FACETS, 2, HEADER)).should.be.true();
    isBinaryStl(binaryStl([], 0, HEADER)).should.be.true();
  });

  it('recognizes a binary file of another length by its bytes, whatever its header contains', () => {
    for (const header of ['', HEADER, '# a comment', ' '.repeat(80)]) {
      isBinaryStl(binaryStl(TWO_FACETS, 1, header)).should.be.true();
      isBinaryStl(binaryStl(TWO_FACETS, 2, header).subarray(0, 150)).should.be.true();
    }
  });

  it('recognizes a text whatever precedes its first facet', () => {
    const starts = ['', '# a comment\n', 'Exported by a program\n\n', '\u00fcber\n', `${'long '.repeat(5000)}\n`];
    for (const start of starts) isBinaryStl(Buffer.from(start + TEXT)).should.be.false();
    isBinaryStl(Buffer.from(TEXT.replace('solid', 'SOLID name\0\0\0'))).should.be.false();
    isBinaryStl(Buffer.from(`\ufeff# UTF-16\n${TEXT}`, 'utf16le')).should.be.false();
    isBinaryStl(Buffer.from(TEXT + '\0'.repeat(100))).should.be.false();
  });

  it('takes other text for text, which the reader refuses', () => {
    for (const text of ['hello', 'a short note\n', 'a long note\n'.repeat(20)]) {
      isBinaryStl(Buffer.from(text)).should.be.false();
      meshErrorOf(() => parseOwn(Buffer.from(text), { filename: 'a.stl' })).should.match({
        code: 'FILE_MALFORMED',
        message: /text without facets/,
      });
    }
  });
});
