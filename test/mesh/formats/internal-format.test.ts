import should from 'should';
import { analyzeWithPlaces } from '../../../src/mesh/analysis/analyze.js';
import { NO_NOTES } from '../../../src/mesh/analysis/model-notes.js';
import { parseInternal, serializeInternal } from '../../../src/mesh/formats/internal-format.js';
import { makeCube } from '../models/cube.js';
import { placed, without } from '../models/mesh-of.js';
import { meshErrorOf } from './mesh-error-of.js';

const MESH = { ...makeCube(), objects: [{ name: 'Würfel', firstTriangle: 0, triangleCount: 12 }] };
function stored() {
  return Buffer.concat([...serializeInternal(MESH)]);
}

/** A cube with its analysis, as models were stored before notes existed. */
const WITHOUT_NOTES = [
  'TVBNRVNIDQoCAAAAAAAAAAAAAACrAgAAAAAAAAAAIEAAAAAAAAAoQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPyATlnbHeh3WcHx',
  'uJDusK75xZtyxrMw9TMMV33Vd4DhAAAAAAAA8L8AAAAAAADwvwAAAAAAAPC/AAAAAAAA8D8AAAAAAADwvwAAAAAAAPC/AAAAAAAA',
  '8D8AAAAAAADwPwAAAAAAAPC/AAAAAAAA8L8AAAAAAADwPwAAAAAAAPC/AAAAAAAA8L8AAAAAAADwvwAAAAAAAPA/AAAAAAAA8D8A',
  'AAAAAADwvwAAAAAAAPA/AAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/AAAAAAAA8L8AAAAAAADwPwAAAAAAAPA/AAAAAAIAAAABAAAA',
  'AAAAAAMAAAACAAAABAAAAAUAAAAGAAAABAAAAAYAAAAHAAAAAAAAAAEAAAAFAAAAAAAAAAUAAAAEAAAAAQAAAAIAAAAGAAAAAQAA',
  'AAYAAAAFAAAAAgAAAAMAAAAHAAAAAgAAAAcAAAAGAAAAAwAAAAAAAAAEAAAAAwAAAAQAAAAHAAAAeyJvYmplY3RzIjpbeyJuYW1l',
  'IjoiY3ViZSIsImZpcnN0VHJpYW5nbGUiOjAsInRyaWFuZ2xlQ291bnQiOjEyfV0sImtub3duIjp7ImFuYWx5c2lzIjp7InZlcnRp',
  'Y2VzIjo4LCJ0cmlhbmdsZXMiOjEyLCJjb250b3VycyI6MCwic2hlbGxzIjoxLCJ2b2x1bWVNbTMiOjgsInN1cmZhY2VBcmVhTW0y',
  'IjoyNCwiZGltZW5zaW9uWE1tIjoyLCJkaW1lbnNpb25ZTW0iOjIsImRpbWVuc2lvblpNbSI6MiwiYmFkRWRnZXMiOjAsImJhZENv',
  'bnRvdXJzIjowLCJzb2xpZGl0eVBhcmFtcyI6eyJpbnZlcnRlZE5vcm1hbHMiOjAsImJhZEVkZ2VzIjowLCJiYWRDb250b3VycyI6',
  'MCwibmVhckJhZEVkZ2VzIjowLCJwbGFuYXJIb2xlcyI6MH0sInF1YWxpdHlQYXJhbXMiOnsibm9pc2VTaGVsbHMiOjAsIm92ZXJs',
  'YXBwaW5nVHJpYW5nbGVzIjowLCJpbnRlcnNlY3RpbmdUcmlhbmdsZXMiOjAsImlzRmFjZXRpbmdTY29yZU9rIjp0cnVlfSwiYm91',
  'bmRhcnlFZGdlcyI6MCwibm9uTWFuaWZvbGRFZGdlcyI6MCwiaW5jb25zaXN0ZW50RWRnZXMiOjAsIm5vbk1hbmlmb2xkVmVydGlj',
  'ZXMiOjAsImRlZ2VuZXJhdGVUcmlhbmdsZXMiOjAsImlzSW50ZXJzZWN0aW9uQ2hlY2tDb21wbGV0ZSI6dHJ1ZSwiYm91bmRzVm9s',
  'dW1lIjp0cnVlLCJib3hNbSI6eyJtaW4iOlstMSwtMSwtMV0sIm1heCI6WzEsMSwxXX19LCJwbGFjZXMiOltdfX0=',
].join('');

describe('the internal format', () => {
  it('preserves the mesh and its objects', () => {
    parseInternal(stored()).should.deepEqual({ ...MESH, notes: NO_NOTES });
    const cube = makeCube();
    parseInternal(Buffer.concat([...serializeInternal(cube)])).should.deepEqual({ ...cube, notes: NO_NOTES });
  });

  it('preserves the stored analysis', () => {
    const open = without(makeCube(), 3);
    const analyzed = analyzeWithPlaces(open);
    const { analyzed: read, notes: _, ...mesh } = parseInternal(Buffer.concat([...serializeInternal(open, analyzed)]));
    mesh.should.deepEqual(open);
    should(read).deepEqual(analyzed);
  });

  it('preserves the notes of the import', () => {
    const notes = {
      warnings: [{ code: 'TRUNCATED', message: 'Der Körper fehlt.' } as const],
      reasons: ['incomplete file: 4 % of the triangles'],
    };
    const bytes = Buffer.concat([...serializeInternal(MESH, undefined, notes)]);
    parseInternal(bytes).should.deepEqual({ ...MESH, notes });
    bytes.readUInt32LE(8).should.equal(2);
  });

  it('preserves helper bodies apart from the mesh, at the same version', () => {
    const objects = [{ name: 'Loch', role: 'negative', group: 0, firstTriangle: 0, triangleCount: 12 } as const];
    const helpers = { ...placed(makeCube(), [5, 0, 0]), objects, slicer: 'prusa' } as const;
    const bytes = Buffer.concat([...serializeInternal(MESH, undefined, NO_NOTES, helpers)]);
    parseInternal(bytes).should.deepEqual({ ...MESH, helpers, notes: NO_NOTES });
    bytes.readUInt32LE(8).should.equal(2);
  });

  it('parses models that were stored before notes existed, and writes the same bytes without notes', () => {
    const bytes = Buffer.from(WITHOUT_NOTES, 'base64');
    const { analyzed, notes, ...mesh } = parseInternal(bytes);
    notes.should.deepEqual(NO_NOTES);
    should(analyzed?.analysis).match({ triangles: 12, volumeMm3: 8 });
    mesh.objects?.[0]?.should.match({ name: 'cube' });
    Buffer.concat([...serializeInternal(mesh, analyzed)])
      .equals(bytes)
      .should.be.true();
  });

  it('parses from any byte offset of a larger buffer', () => {
    for (let offset = 0; offset < 8; offset++) {
      parseInternal(Buffer.concat([Buffer.alloc(offset), stored()]).subarray(offset)).should.deepEqual({
        ...MESH,
        notes: NO_NOTES,
      });
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
