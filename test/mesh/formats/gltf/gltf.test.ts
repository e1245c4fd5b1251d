import 'should';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../../models/cube.js';
import { meshOf } from '../../models/mesh-of.js';
import { makeTorus } from '../../models/torus.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

type Json = Record<string, unknown>;

// Four points in meters as float32, then the numbers 0 to 3 as uint16.
const DATA = Buffer.concat([
  Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]).buffer),
  Buffer.from(new Uint16Array([0, 1, 2, 3]).buffer),
]);
const POINTS = { bufferView: 0, componentType: 5126, count: 4, type: 'VEC3' };
const CORNERS = { bufferView: 1, componentType: 5123, count: 3, type: 'SCALAR' };
function uriOf(data: Uint8Array) {
  return `data:application/octet-stream;base64,${Buffer.from(data).toString('base64')}`;
}
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

function parse(more: Json = {}) {
  return parseOwn(Buffer.from(JSON.stringify({ ...SOUND, ...more })), { filename: 'a.gltf', measurementUnits: 'ft' });
}
function read(more: Json = {}) {
  const { mesh, warnings } = parse(more);
  const positions = [...mesh.positions].map((value) => Math.round(value * 1e6) / 1e6 + 0);
  return { positions, triangles: [...mesh.triangles], warnings: warnings.map(({ code }) => code) };
}
function readFailure(more: Json) {
  const { code, message } = meshErrorOf(() => parse(more));
  return `${code} ${message}`;
}
function glb(json: unknown, binary = DATA, version = 2) {
  const text = Buffer.from(JSON.stringify(json));
  const head = new Uint32Array([0x46546c67, version, 0, text.length, 0x4e4f534a]);
  return Buffer.concat([
    Buffer.from(head.buffer),
    text,
    Buffer.from(new Uint32Array([binary.length, 0x004e4942]).buffer),
    binary,
  ]);
}

describe('parseGltf', () => {
  it('converts meters with Y up to millimeters with Z up', () => {
    read().should.deepEqual({ positions: [0, 0, 0, 1000, 0, 0, 0, 0, 1000], triangles: [0, 1, 2], warnings: [] });
  });

  it('reads a GLB, including one with unaligned chunks', () => {
    const { mesh } = parseOwn(glb({ ...SOUND, buffers: [{ byteLength: 56 }], x: '.' }), { filename: 'a.glb' });
    mesh.triangles.length.should.equal(3);
    meshErrorOf(() => parseOwn(glb(SOUND, DATA, 1), { filename: 'a.glb' })).message.should.containEql('version 1');
  });

  it('applies scale, then rotation, then translation, also of parents', () => {
    const quarter = Math.SQRT1_2;
    const nodes = [
      { children: [1], translation: [10, 0, 0] },
      { mesh: 0, scale: [2, 1, 1], rotation: [0, 0, quarter, quarter], name: 'lid' },
    ];
    const { positions } = read({ nodes });
    positions.should.deepEqual([10_000, 0, 0, 10_000, 0, 2000, 9000, 0, 0]);
    (parse({ nodes }).mesh.objects?.[0]?.name ?? '').should.equal('lid');
  });

  it('applies a matrix and reverses triangles under a reflection', () => {
    const matrix = [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1];
    const { positions, triangles } = read({ nodes: [{ mesh: 0, matrix }] });
    positions.should.deepEqual([5000, 0, 0, 4000, 0, 0, 5000, 0, 1000]);
    triangles.should.deepEqual([0, 2, 1]);
  });

  it('places the nodes of the default scene, and a mesh once per node', () => {
    const nodes = [{ mesh: 0 }, { mesh: 0, translation: [2, 0, 0] }, { mesh: 0 }];
    read({ nodes, scenes: [{ nodes: [2] }, { nodes: [0, 1] }], scene: 1 }).triangles.length.should.equal(6);
  });

  it('reads strips and fans, and warns that points and lines are not imported', () => {
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

  it('reads normalized, interleaved and sparse accessors', () => {
    // x, y, z as int8 and one padding byte
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

  it('warns about content that is not imported', () => {
    const primitive = { ...PRIMITIVE, attributes: { POSITION: 0, COLOR_0: 0 }, targets: [{}] };
    const more = { meshes: [{ primitives: [primitive] }], materials: [{}], skins: [{}] };
    read(more).warnings.should.deepEqual(['ANIMATION_DROPPED', 'COLOURS_DROPPED', 'MATERIALS_DROPPED']);
  });

  it('rejects and names an external file', () => {
    const uri = '../../../../etc/passwd';
    readFailure({ buffers: [{ byteLength: 56, uri }] }).should.match(/^FILE_MALFORMED .*etc\/passwd.*GLB/);
    readFailure({ buffers: [{ byteLength: 56, uri: 'data:text/plain,abc' }] }).should.match(/^FILE_MALFORMED/);
    readFailure({ buffers: [] }).should.match(/^FILE_MALFORMED .*buffer 0/);
  });

  it('throws FORMAT_UNKNOWN with the name of an unsupported compression extension', () => {
    const draco = { ...PRIMITIVE, extensions: { KHR_draco_mesh_compression: {} } };
    const accessors = [{ ...POINTS, bufferView: undefined }, CORNERS];
    readFailure({ meshes: [{ primitives: [draco] }], accessors }).should.match(
      /^FORMAT_UNKNOWN .*KHR_draco_mesh_compression/,
    );
    const bufferViews = [
      { ...SOUND.bufferViews[0], extensions: { EXT_meshopt_compression: {} } },
      SOUND.bufferViews[1],
    ];
    readFailure({ bufferViews }).should.match(/^FORMAT_UNKNOWN .*EXT_meshopt_compression/);
  });

  it('skips and counts triangles with invalid indices', () => {
    const data = Buffer.from(DATA);
    data.writeUInt16LE(4, 50);
    const corners = { ...CORNERS, count: 3 };
    const more = { buffers: [{ uri: uriOf(data) }], accessors: [POINTS, corners] };
    meshErrorOf(() => parse(more)).message.should.containEql('1 face with missing');
  });

  it('rejects accessors that exceed their buffer before allocating memory', () => {
    const MALFORMED: Record<string, Json> = {
      'bufferView 0': { accessors: [{ ...POINTS, count: 5 }, CORNERS] },
      'bufferView 1': { accessors: [POINTS, { ...CORNERS, count: 4e8 }] },
      'bufferView 7': { accessors: [{ ...POINTS, bufferView: 7 }, CORNERS] },
      'no bytes': { accessors: [{ ...POINTS, bufferView: undefined, count: 4e8 }, CORNERS] },
      'component type': { accessors: [{ ...POINTS, componentType: 5124 }, CORNERS] },
      'type VEC3': { accessors: [{ ...POINTS, type: 'VEC2' }, CORNERS] },
      'not a non-negative integer': { accessors: [{ ...POINTS, count: -1 }, CORNERS] },
      'not a list of 16 numbers': { nodes: [{ mesh: 0, matrix: [1] }] },
      'no mesh 9': { nodes: [{ mesh: 9 }] },
      'version 1.0': { asset: { version: '1.0' } },
    };
    for (const [part, more] of Object.entries(MALFORMED))
      readFailure(more).should.match(new RegExp(`^FILE_MALFORMED .*${part}`));
  });

  it('rejects cyclic nodes and nodes with two parents, and reads a chain of 100,000 nodes', () => {
    readFailure({ nodes: [{ children: [1] }, { children: [0], mesh: 0 }], scenes: [{ nodes: [0] }] }).should.match(
      /two parents/,
    );
    readFailure({ nodes: [{ children: [1, 2] }, { children: [2] }, { mesh: 0 }] }).should.match(/two parents/);
    const chain = Array.from({ length: 100_000 }, (_, i) => ({ children: [i + 1] }));
    read({ nodes: [...chain, { mesh: 0 }] }).triangles.length.should.equal(3);
  });

  it('throws FILE_MALFORMED for other content and truncated files', () => {
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

describe('serializeGlb', () => {
  const roundTrip = (mesh: Parameters<typeof serializeModel>[0]) =>
    parseOwn(Buffer.concat([...serializeModel(mesh, 'glb')]), { filename: 'a.glb' });

  it('round-trips a mesh in mm, rounded to float32', () => {
    const torus = makeTorus();
    const { mesh, warnings } = roundTrip(torus);
    [...mesh.positions].should.deepEqual(Array.from(torus.positions, (value) => Math.fround(value) + 0));
    mesh.triangles.should.deepEqual(torus.triangles);
    warnings.should.be.empty();
  });

  it('writes named objects', () => {
    const objects = [{ name: 'lid "1"', firstTriangle: 4, triangleCount: 8 }];
    const { mesh } = roundTrip({ ...makeCube(), objects });
    (mesh.objects ?? []).should.deepEqual([{ name: '', firstTriangle: 0, triangleCount: 4 }, ...objects]);
    mesh.positions.length.should.equal(24);
  });

  it('throws TOO_LARGE for a coordinate beyond float32', () => {
    const far = meshOf(
      [
        [0, 0, 0],
        [1e39, 0, 0],
        [0, 1, 0],
      ],
      [[0, 1, 2]],
    );
    meshErrorOf(() => roundTrip(far)).code.should.equal('TOO_LARGE');
  });
});
