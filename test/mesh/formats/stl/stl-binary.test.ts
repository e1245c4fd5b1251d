import should from 'should';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { notFiniteWarning } from '../../../../src/mesh/formats/stl/stl-binary.js';
import { meshOf } from '../../models/mesh-of.js';
import { makeTorus } from '../../models/torus.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';
import { binaryStl, TWO_FACETS } from './stl-bytes.js';

function parse(bytes: Uint8Array) {
  return parseOwn(bytes, { filename: 'model.stl' });
}
function codesOf(bytes: Uint8Array) {
  return parse(bytes).warnings.map(({ code }) => code);
}
function serialize(mesh: Parameters<typeof serializeModel>[0]) {
  return Buffer.concat([...serializeModel(mesh, 'stl')]);
}

describe('parseStlBinary', () => {
  it('welds equal corners in order of appearance', () => {
    const { mesh, warnings } = parse(binaryStl(TWO_FACETS));
    [...mesh.positions].should.deepEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0]);
    [...mesh.triangles].should.deepEqual([0, 1, 2, 1, 3, 2]);
    warnings.should.be.empty();
  });

  it('reads -0 as 0', () => {
    const { mesh } = parse(
      binaryStl([
        [0, 0, 0, 1, 0, 0, 0, 1, 0],
        [-0, 1, -0, 1, -0, 0, 1, 1, -0],
      ]),
    );
    mesh.positions.length.should.equal(4 * 3);
    mesh.positions.some((value) => Object.is(value, -0)).should.be.false();
  });

  it('does not weld vertices that differ in the last bit', () => {
    const { mesh } = parse(
      binaryStl([
        [0, 0, 0, 1, 0, 0, 0, 1, 0],
        [1 + 2 ** -23, 0, 0, 1, 1, 0, 0, 1, 0],
      ]),
    );
    mesh.positions.length.should.equal(5 * 3);
  });

  it('skips facets with an invalid coordinate anywhere among many, with their vertices', () => {
    const facets = Array.from({ length: 600 }, (_, i) => [i, 0, 0, i + 1, 0, 0, 0, 1, i]);
    const invalid: Record<number, number> = {
      0: Number.NaN,
      1: 2 ** 100,
      300: Number.POSITIVE_INFINITY,
      599: -(2 ** 120),
    };
    for (const [index, value] of Object.entries(invalid)) facets[Number(index)]?.splice(Number(index) % 9, 1, value);
    const { mesh, warnings } = parse(binaryStl(facets));
    should(mesh).deepEqual(parse(binaryStl(facets.filter((_, i) => invalid[i] === undefined))).mesh);
    mesh.triangles.length.should.equal(596 * 3);
    warnings.should.deepEqual([notFiniteWarning(4)]);
  });

  it('reads a file whose header begins with solid', () => {
    parse(binaryStl(TWO_FACETS, 2, 'solid made by a program')).mesh.triangles.length.should.equal(6);
  });

  it('reads as many facets as the length allows if the header declares more, and warns', () => {
    for (const count of [3, 2 ** 31, 2 ** 32 - 1]) {
      const bytes = binaryStl(TWO_FACETS, count);
      parse(bytes).mesh.triangles.length.should.equal(6);
      codesOf(bytes).should.deepEqual(['TRUNCATED']);
    }
  });

  it('reads the complete facets of a truncated file and warns', () => {
    const bytes = binaryStl([...TWO_FACETS, TWO_FACETS[0] ?? []]).subarray(0, 84 + 130);
    parse(bytes).mesh.triangles.length.should.equal(6);
    codesOf(bytes).should.deepEqual(['TRUNCATED']);
  });

  it('reads all facets if the header declares fewer, and warns', () => {
    for (const count of [0, 1]) {
      parse(binaryStl(TWO_FACETS, count)).mesh.triangles.length.should.equal(6);
      codesOf(binaryStl(TWO_FACETS, count)).should.deepEqual(['COUNT_WRONG']);
    }
  });

  it('ignores trailing bytes that are not complete facets, and warns', () => {
    const bytes = Buffer.concat([binaryStl(TWO_FACETS), Buffer.alloc(77, 0x41)]);
    parse(bytes).mesh.triangles.length.should.equal(6);
    codesOf(bytes).should.deepEqual(['TRAILING_BYTES']);
  });

  it('skips and counts facets with a coordinate that is not finite', () => {
    const bytes = binaryStl([...TWO_FACETS, [0, 0, 0, Number.NaN, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, 0, 0, Infinity, 0]]);
    const { mesh, warnings } = parse(bytes);
    mesh.triangles.length.should.equal(6);
    mesh.positions.every(Number.isFinite).should.be.true();
    (warnings[0]?.message ?? '').should.match(/^2 triangles/);
  });

  it('throws FILE_EMPTY or FILE_MALFORMED for a file without facets', () => {
    meshErrorOf(() => parse(binaryStl([]))).code.should.equal('FILE_EMPTY');
    meshErrorOf(() => parse(binaryStl([[0, 0, 0, Number.NaN, 0, 0, 0, 1, 0]]))).code.should.equal('FILE_EMPTY');
    meshErrorOf(() => parse(binaryStl([], 2 ** 32 - 1))).code.should.equal('FILE_MALFORMED');
    meshErrorOf(() => parse(Buffer.from([1, 2, 3]))).code.should.equal('FILE_MALFORMED');
  });

  it('reads from the middle of a larger buffer', () => {
    const whole = Buffer.concat([Buffer.alloc(3), binaryStl(TWO_FACETS), Buffer.alloc(5)]);
    parse(whole.subarray(3, whole.length - 5)).mesh.triangles.length.should.equal(6);
  });
});

describe('serializeStlBinary', () => {
  it('round-trips a mesh', () => {
    const torus = makeTorus();
    const rounded = { ...torus, positions: torus.positions.map(Math.fround) };
    const { mesh } = parse(serialize(rounded));
    mesh.triangles.length.should.equal(rounded.triangles.length);
    const corner = (m: typeof mesh, i: number) => [...m.positions.subarray((m.triangles[i] ?? 0) * 3).subarray(0, 3)];
    for (let i = 0; i < mesh.triangles.length; i++) corner(mesh, i).should.deepEqual(corner(rounded, i));
  });

  it('writes equal bytes for equal meshes', () => {
    serialize(makeTorus()).equals(serialize(makeTorus())).should.be.true();
  });

  it('writes unit normals for tiny and huge triangles, and 0 0 1 for degenerate ones', () => {
    const sizes = [1, 1e-20, 1e20, 0];
    const mesh = meshOf(
      sizes.flatMap((size) => [
        [0, 0, 0],
        [0, size, 0],
        [0, 0, size],
      ]),
      sizes.map((_, i) => [i * 3, i * 3 + 1, i * 3 + 2]),
    );
    const bytes = serialize(mesh);
    const normals = sizes.map((_, i) => [0, 4, 8].map((k) => bytes.readFloatLE(84 + i * 50 + k)));
    normals.should.deepEqual([
      [1, 0, 0],
      [1, 0, 0],
      [1, 0, 0],
      [0, 0, 1],
    ]);
  });

  it('ends each facet with two zero bytes for odd and even facet counts', () => {
    const torus = makeTorus();
    for (const count of [1, 2, 5]) {
      const bytes = serialize({ ...torus, triangles: torus.triangles.slice(0, count * 3) });
      bytes.length.should.equal(84 + count * 50);
      for (let end = 134; end <= bytes.length; end += 50) bytes.readUInt16LE(end - 2).should.equal(0);
    }
  });

  it('never begins with solid, and has a byte above 127 in the header and in the 128 bytes after it', () => {
    // The normal 0.6, 0, 0.8 and these coordinates have no such byte.
    const mesh = meshOf(
      [
        [0, 0, 0],
        [0, 2, 0],
        [-0.5, 0, 0.375],
      ].map((v) => v.map(Math.abs)),
      [[0, 1, 2]],
    );
    for (const bytes of [serialize(mesh), serialize(makeTorus())]) {
      bytes.toString('latin1', 0, 5).should.not.equal('solid');
      bytes
        .subarray(0, 80)
        .some((byte) => byte > 127)
        .should.be.true();
      bytes
        .subarray(84, 84 + 128)
        .some((byte) => byte > 127)
        .should.be.true();
    }
  });

  it('yields chunks below 1 MiB', () => {
    const chunks = [...serializeModel(makeTorus(200, 100), 'stl')];
    chunks.length.should.be.above(3);
    Math.max(...chunks.map(({ length }) => length)).should.be.below(1 << 20);
  });

  it('throws TOO_LARGE for a coordinate beyond float32', () => {
    const mesh = meshOf(
      [
        [0, 0, 0],
        [1e39, 0, 0],
        [0, 1, 0],
      ],
      [[0, 1, 2]],
    );
    should(meshErrorOf(() => serialize(mesh)).code).equal('TOO_LARGE');
  });
});
