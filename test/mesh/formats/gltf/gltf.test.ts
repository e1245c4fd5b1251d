import 'should';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../../models/cube.js';
import { meshOf } from '../../models/mesh-of.js';
import { makeTorus } from '../../models/torus.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

type Json = Record<string, unknown>;

// Four corners in metres as float32, then the numbers 0 to 3 as uint16.
const DATA = Buffer.concat([
  Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]).buffer),
  Buffer.from(new Uint16Array([0, 1, 2, 3]).buffer),
]);
const POINTS = { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' };
const CORNERS = { bufferView: 1, componentType: 5123, count: 3, type: 'SCALAR' };
const uriOf = (data: Uint8Array) => `data:application/octet-stream;base64,${Buffer.from(data).toString('base64')}`;
const PRIMITIVE = { attributes: { POSITION: 0 }, indices: 1 };
const SOUND = {
  asset: { version: '2.0' },
  nodes: [{ mesh: 0 }],
  meshes: [{ primitives: [PRIMITIVE] }],
  accessors: [POINTS, CORNERS],
  bufferViews: [
    { buffer: 0, byteLength: 48 },
    { buffer: 0, byteOffset: 48, byteLength: 8 },
  ],
  buffers: [{ byteLength: 56, uri: uriOf(DATA) }],
};

const parse = (more: Json = {}) =>
  parseOwn(Buffer.from(JSON.stringify({ ...SOUND, ...more })), { filename: 'a.gltf', measurementUnits: 'ft' });
const read = (more: Json = {}) => {
  const { mesh, warnings } = parse(more);
  const positions = [...mesh.positions].map((value) => Math.round(value * 1e6) / 1e6 + 0);
  return { positions, triangles: [...mesh.triangles], warnings: warnings.map(({ code }) => code) };
};
const failureOf = (more: Json) => {
  const { code, message } = meshErrorOf(() => parse(more));
  return `${code} ${message}`;
};
const glb = (json: unknown, binary = DATA, version = 2) => {
  const text = Buffer.from(JSON.stringify(json));
  const head = new Uint32Array([0x46546c67, version, 0, text.length, 0x4e4f534a]);
  return Buffer.concat([
    Buffer.from(head.buffer),
    text,
    Buffer.from(new Uint32Array([binary.length, 0x004e4942]).buffer),
    binary,
  ]);
};

describe('the reader of glTF', () => {
  it('turns metres with Y up into millimetres with Z up', () => {
    read().should.deepEqual({ positions: [0, 0, 0, 1000, 0, 0, 0, 0, 1000], triangles: [0, 1, 2], warnings: [] });
  });

  it('reads a GLB, also one whose chunks are not aligned', () => {
    const { mesh } = parseOwn(glb({ ...SOUND, buffers: [{ byteLength: 56 }], x: '.' }), { filename: 'a.glb' });
    mesh.triangles.length.should.equal(3);
    meshErrorOf(() => parseOwn(glb(SOUND, DATA, 1), { filename: 'a.glb' })).message.should.containEql('version 1');
  });

  it('applies scale, then rotation, then translation, of parents too', () => {
    const quarter = Math.SQRT1_2;
    const nodes = [
      { children: [1], translation: [10, 0, 0] },
      { mesh: 0, scale: [2, 1, 1], rotation: [0, 0, quarter, quarter], name: 'lid' },
    ];
    const { positions } = read({ nodes });
    positions.should.deepEqual([10_000, 0, 0, 10_000, 0, 2000, 9000, 0, 0]);
    (parse({ nodes }).mesh.objects?.[0]?.name ?? '').should.equal('lid');
  });

  it('applies a matrix, and turns triangles over that it mirrors', () => {
    const matrix = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1];
    const { positions, triangles } = read({ nodes: [{ mesh: 0, matrix }] });
    positions.should.deepEqual([5000, 0, 0, 4000, 0, 0, 5000, 0, 1000]);
    triangles.should.deepEqual([0, 2, 1]);
  });

  it('places the nodes of the scene that is to be shown, and a mesh as often as nodes have it', () => {
    const nodes = [{ mesh: 0 }, { mesh: 0, translation: [2, 0, 0] }, { mesh: 0 }];
    read({ nodes, scenes: [{ nodes: [2] }, { nodes: [0, 1] }], scene: 1 }).triangles.length.should.equal(6);
  });

  it('reads strips, turning every second triangle, and fans, and says that points and lines are not kept', () => {
    const corners = { ...CORNERS, count: 4 };
    const modes = (mode: number) =>
      read({ accessors: [POINTS, corners], meshes: [{ primitives: [{ ...PRIMITIVE, mode }, PRIMITIVE] }] });
    modes(5).triangles.slice(0, 6).should.deepEqual([0, 1, 2, 2, 1, 3]);
    modes(6).triangles.slice(0, 6).should.deepEqual([0, 1, 2, 0, 2, 3]);
    modes(1).should.deepEqual({ ...read(), triangles: [0, 1, 2], warnings: ['LINES_DROPPED'] });
  });

  it('reads triangles without indices', () => {
    read({ meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }] }).triangles.should.deepEqual([0, 1, 2]);
  });

  it('reads normalised, interleaved and sparse accessors', () => {
    // x, y, z as int8 and one byte between them
    const data = Buffer.concat([
      Buffer.from([0, 0, 0, 9, 127, 0, 0, 9, 0, 129, 0]),
      Buffer.alloc(37),
      DATA.subarray(48),
    ]);
    const accessor = { bufferView: 0, componentType: 5120, normalized: true, count: 3, type: 'VEC3' };
    const bufferViews = [{ buffer: 0, byteLength: 48, byteStride: 4 }, SOUND.bufferViews[1]];
    const buffers = [{ uri: uriOf(data) }];
    read({ accessors: [accessor, CORNERS], bufferViews, buffers }).positions.should.deepEqual([
      0, 0, 0, 1000, 0, 0, 0, 0, -1000,
    ]);
    const sparse = {
      count: 2,
      indices: { bufferView: 1, componentType: 5123, byteOffset: 2 },
      values: { bufferView: 0, byteOffset: 12 },
    };
    read({ accessors: [{ ...POINTS, bufferView: undefined, sparse }, CORNERS] }).positions.should.deepEqual(
      read().positions,
    );
  });

  it('says what is not kept', () => {
    const primitive = { ...PRIMITIVE, attributes: { POSITION: 0, COLOR_0: 0 }, targets: [{}] };
    const more = { meshes: [{ primitives: [primitive] }], materials: [{}], skins: [{}] };
    read(more).warnings.should.deepEqual(['ANIMATION_DROPPED', 'COLOURS_DROPPED', 'MATERIALS_DROPPED']);
  });

  it('opens no other file, and names it', () => {
    const uri = '../../../../etc/passwd';
    failureOf({ buffers: [{ byteLength: 56, uri }] }).should.match(/^FILE_MALFORMED .*etc\/passwd.*GLB/);
    failureOf({ buffers: [{ byteLength: 56, uri: 'data:text/plain,abc' }] }).should.match(/^FILE_MALFORMED/);
    failureOf({ buffers: [] }).should.match(/^FILE_MALFORMED .*buffer 0/);
  });

  it('names the extension that packs geometry in a way that it does not read', () => {
    const draco = { ...PRIMITIVE, extensions: { KHR_draco_mesh_compression: {} } };
    const accessors = [{ ...POINTS, bufferView: undefined }, CORNERS];
    failureOf({ meshes: [{ primitives: [draco] }], accessors }).should.match(
      /^FORMAT_UNKNOWN .*KHR_draco_mesh_compression/,
    );
    const bufferViews = [
      { ...SOUND.bufferViews[0], extensions: { EXT_meshopt_compression: {} } },
      SOUND.bufferViews[1],
    ];
    failureOf({ bufferViews }).should.match(/^FORMAT_UNKNOWN .*EXT_meshopt_compression/);
  });

  it('leaves out triangles that point at no vertex, and counts them', () => {
    const data = Buffer.from(DATA);
    data.writeUInt16LE(4, 50);
    const corners = { ...CORNERS, count: 3 };
    const more = { buffers: [{ uri: uriOf(data) }], accessors: [POINTS, corners] };
    meshErrorOf(() => parse(more)).message.should.containEql('1 face with missing');
  });

  it('refuses what reaches out of its buffer, before it takes memory for it', () => {
    const MALFORMED: Record<string, Json> = {
      'bufferView 0': { accessors: [{ ...POINTS, count: 5 }, CORNERS] },
      'bufferView 1': { accessors: [POINTS, { ...CORNERS, count: 4e8 }] },
      'bufferView 7': { accessors: [{ ...POINTS, bufferView: 7 }, CORNERS] },
      'no bytes': { accessors: [{ ...POINTS, bufferView: undefined, count: 4e8 }, CORNERS] },
      'component type': { accessors: [{ ...POINTS, componentType: 5124 }, CORNERS] },
      'type VEC3': { accessors: [{ ...POINTS, type: 'VEC2' }, CORNERS] },
      'no natural number': { accessors: [{ ...POINTS, count: -1 }, CORNERS] },
      'no list of': { nodes: [{ mesh: 0, matrix: [1] }] },
      'no mesh 9': { nodes: [{ mesh: 9 }] },
      'version 1.0': { asset: { version: '1.0' } },
    };
    for (const [part, more] of Object.entries(MALFORMED))
      failureOf(more).should.match(new RegExp(`^FILE_MALFORMED .*${part}`));
  });

  it('refuses nodes in a ring or with two parents, and reads a chain of a hundred thousand', () => {
    failureOf({ nodes: [{ children: [1] }, { children: [0], mesh: 0 }], scenes: [{ nodes: [0] }] }).should.match(
      /two parents/,
    );
    failureOf({ nodes: [{ children: [1, 2] }, { children: [2] }, { mesh: 0 }] }).should.match(/two parents/);
    const chain = Array.from({ length: 100_000 }, (_, i) => ({ children: [i + 1] }));
    read({ nodes: [...chain, { mesh: 0 }] }).triangles.length.should.equal(3);
  });

  it('refuses what is no glTF', () => {
    for (const text of ['x', '[]', 'null', 'glTF', '{']) {
      meshErrorOf(() => parseOwn(Buffer.from(text), { filename: 'a.gltf' })).code.should.equal('FILE_MALFORMED');
    }
    const whole = glb(SOUND);
    for (const length of [12, 20, 60]) {
      meshErrorOf(() => parseOwn(whole.subarray(0, length), { filename: 'a.glb' })).code.should.equal('FILE_MALFORMED');
    }
    meshErrorOf(() => parse({ nodes: [] })).code.should.equal('FILE_EMPTY');
  });
});

describe('the writer of GLB', () => {
  const again = (mesh: Parameters<typeof serializeModel>[0]) =>
    parseOwn(Buffer.concat([...serializeModel(mesh, 'glb')]), { filename: 'a.glb' });

  it('writes what it reads back as the same mesh, in mm and rounded to float32', () => {
    const torus = makeTorus();
    const { mesh, warnings } = again(torus);
    [...mesh.positions].should.deepEqual(Array.from(torus.positions, (value) => Math.fround(value) + 0));
    mesh.triangles.should.deepEqual(torus.triangles);
    warnings.should.be.empty();
  });

  it('writes each object with its name', () => {
    const objects = [{ name: 'lid "1"', firstTriangle: 4, triangleCount: 8 }];
    const { mesh } = again({ ...makeCube(), objects });
    (mesh.objects ?? []).should.deepEqual([{ name: '', firstTriangle: 0, triangleCount: 4 }, ...objects]);
    mesh.positions.length.should.equal(24);
  });

  it('refuses a coordinate beyond float32', () => {
    const far = meshOf(
      [
        [0, 0, 0],
        [1e39, 0, 0],
        [0, 1, 0],
      ],
      [[0, 1, 2]],
    );
    meshErrorOf(() => again(far)).code.should.equal('TOO_LARGE');
  });
});
