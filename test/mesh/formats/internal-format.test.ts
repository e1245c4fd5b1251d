import should from 'should';
import { analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import { parseInternal, serializeInternal } from '../../../src/mesh/formats/internal-format.js';
import { makeCube } from '../models/cube.js';
import { without } from '../models/mesh-of.js';
import { meshErrorOf } from './mesh-error-of.js';

const MESH = { ...makeCube(), objects: [{ name: 'Würfel', firstTriangle: 0, triangleCount: 12 }] };
function stored() {
  return Buffer.concat([...serializeInternal(MESH)]);
}

describe('the internal format', () => {
  it('preserves the mesh and its objects', () => {
    parseInternal(stored()).should.deepEqual(MESH);
    parseInternal(Buffer.concat([...serializeInternal(makeCube())])).should.deepEqual(makeCube());
  });

  it('preserves the stored analysis', () => {
    const open = without(makeCube(), 3);
    const analyzed = analyzeWithPlaces(open);
    const { analyzed: read, ...mesh } = parseInternal(Buffer.concat([...serializeInternal(open, analyzed)]));
    mesh.should.deepEqual(open);
    should(read).deepEqual(analyzed);
  });

  it('parses from any byte offset of a larger buffer', () => {
    for (let offset = 0; offset < 8; offset++) {
      parseInternal(Buffer.concat([Buffer.alloc(offset), stored()]).subarray(offset)).should.deepEqual(MESH);
    }
  });

  it('throws CHECKSUM_WRONG for any altered byte', () => {
    const whole = stored();
    for (let index = 16; index < whole.length; index++) {
      const altered = Buffer.from(whole);
      altered[index] = (altered[index] ?? 0) ^ 1;
      meshErrorOf(() => parseInternal(altered)).code.should.equal('CHECKSUM_WRONG');
    }
  });

  it('throws CHECKSUM_WRONG for truncated bytes', () => {
    const whole = stored();
    for (const length of [96, 200, whole.length - 1]) {
      meshErrorOf(() => parseInternal(whole.subarray(0, length))).code.should.equal('CHECKSUM_WRONG');
    }
  });

  it('throws FILE_MALFORMED for other content', () => {
    meshErrorOf(() => parseInternal(Buffer.alloc(200))).code.should.equal('FILE_MALFORMED');
    meshErrorOf(() => parseInternal(new Uint8Array())).code.should.equal('FILE_MALFORMED');
  });

  it('names both versions if the stored version is newer', () => {
    const newer = stored();
    newer.writeUInt32LE(9, 8);
    const error = meshErrorOf(() => parseInternal(newer));
    error.code.should.equal('FILE_MALFORMED');
    error.message.should.match(/version 9.*version 2/);
  });
});
