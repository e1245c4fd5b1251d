import 'should';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { binaryFbxBox } from '../files/binary-fbx.js';
import { BOX_POINTS_Y_UP } from '../files/box.js';
import { type NamedModel, namedFbxBinary, namedFbxText } from '../files/named-fbx.js';
import { fbxBox } from '../files/scenes.js';
import { measureFile } from '../measure-file.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

const INCHES = [0, 0, 0, 25.4, 50.8, 76.2];
const BOX = { shells: 1, level: 'solid', box: INCHES, names: ['lid'], warnings: [] };

function model(properties: NamedModel['properties'], more: Partial<NamedModel> = {}): NamedModel {
  return { name: 'lid', hasGeometry: true, ...more, ...(properties && { properties }) };
}
function parse(models: readonly NamedModel[], more = '') {
  return parseOwn(namedFbxText(models, more), { filename: 'a.fbx' });
}
function sortedPositions(positions: Float64Array): string[] {
  const points = Array.from({ length: positions.length / 3 }, (_, i) => [...positions.slice(i * 3, i * 3 + 3)]);
  return points
    .map((point) => point.map((value) => (Math.round(value * 1e3) / 1e3 + 0).toFixed(3)).join())
    .sort((a, b) => a.localeCompare(b));
}

describe('parseNamedFbx', () => {
  it('reads FBX 6.1, ASCII and binary, with Z up, facing outward, in its unit', async () => {
    for (const bytes of [namedFbxText(), namedFbxBinary()]) {
      const read = await measureFile(bytes, 'a.fbx', { measurementUnits: 'm' });
      read.should.match(BOX);
      read.volume.should.be.above(0);
    }
  });

  const TRANSFORMS: Record<string, Record<string, readonly number[]>> = {
    'translation, rotation and scaling': {
      'Lcl Translation': [1, 2, 3],
      'Lcl Rotation': [10, 20, 30],
      'Lcl Scaling': [1, 2, -3],
    },
    'pivots and offsets': {
      'Lcl Rotation': [10, 20, 30],
      'Lcl Scaling': [1, 2, 3],
      RotationOffset: [1, 0, 2],
      RotationPivot: [3, 2, 1],
      ScalingOffset: [0, 4, 0],
      ScalingPivot: [5, 6, 7],
    },
    'rotations before and after': {
      PreRotation: [40, 50, 60],
      'Lcl Rotation': [10, 20, 30],
      PostRotation: [5, 15, 25],
    },
    'a transform of the geometry': {
      'Lcl Rotation': [10, 20, 30],
      GeometricTranslation: [1, 2, 3],
      GeometricRotation: [70, 80, 90],
      GeometricScaling: [2, 1, 1],
    },
  };
  for (const [name, properties] of Object.entries(TRANSFORMS)) {
    it(`applies ${name} as assimp does in FBX 7`, async () => {
      const expected = await parseModel(fbxBox({ unitScale: 2.54, properties }, BOX_POINTS_Y_UP), {
        filename: 'a.fbx',
      });
      const { mesh } = parse([model(properties)]);
      sortedPositions(mesh.positions).should.deepEqual(sortedPositions(expected.mesh.positions));
    });
  }

  it('applies the rotations of the axes in the declared order', () => {
    // About y, then about z: the axes of the box go to -z, x and -y of a file with Y up.
    const { mesh } = parse([model({ 'Lcl Rotation': [0, 90, 90], RotationOrder: [2] })]);
    const zFirst = parse([model({ 'Lcl Rotation': [0, 90, 90], RotationOrder: [5] })]);
    sortedPositions(mesh.positions).should.not.deepEqual(sortedPositions(zFirst.mesh.positions));
    const nested = parse([
      { name: 'outer', properties: { 'Lcl Rotation': [0, 0, 90] } },
      model({ 'Lcl Rotation': [0, 90, 0] }, { parent: 'outer' }),
    ]);
    sortedPositions(mesh.positions).should.deepEqual(sortedPositions(nested.mesh.positions));
  });

  it('reverses triangles under a reflection', async () => {
    const { mesh } = parse([model({ 'Lcl Scaling': [-1, 1, 1] })]);
    mesh.triangles.length.should.equal(36);
    const read = await measureFile(namedFbxText([model({ 'Lcl Scaling': [-1, 1, 1] })]), 'a.fbx');
    read.volume.should.be.above(0);
  });

  it('places models below their parents and names them', () => {
    const { mesh } = parse([
      { name: 'frame', properties: { 'Lcl Translation': [10, 0, 0] } },
      model({ 'Lcl Translation': [0, 5, 0] }, { parent: 'frame' }),
      model({}, { name: 'foot' }),
    ]);
    (mesh.objects ?? []).map(({ name }) => name).should.deepEqual(['lid', 'foot']);
    [...mesh.positions.slice(0, 3)].map(Math.round).should.deepEqual([254, 0, 127]);
  });

  it('warns about content that is not imported', () => {
    const more = 'Material: "Material::red", "" {\n}\nDeformer: "Deformer::a", "Skin" {\n}';
    const { warnings } = parse([model({})], more);
    warnings.map(({ code }) => code).should.deepEqual(['ANIMATION_DROPPED', 'MATERIALS_DROPPED']);
  });

  it('reads the complete nodes of a truncated file and warns', () => {
    const text = namedFbxText().toString();
    const inText = parseOwn(Buffer.from(text.slice(0, text.indexOf('GlobalSettings:  {'))), { filename: 'a.fbx' });
    inText.mesh.triangles.length.should.equal(36);
    inText.warnings.map(({ code }) => code).should.containEql('TRUNCATED');
    const binary = namedFbxBinary();
    const inBinary = parseOwn(binary.subarray(0, binary.indexOf('GlobalSettings')), { filename: 'a.fbx' });
    inBinary.mesh.triangles.length.should.equal(36);
    inBinary.warnings.map(({ code }) => code).should.containEql('TRUNCATED');
  });

  it('skips models that contain each other and warns', () => {
    const cycle = [model({}), model({}, { name: 'a', parent: 'b' }), model({}, { name: 'b', parent: 'a' })];
    const { mesh, warnings } = parse(cycle);
    mesh.triangles.length.should.equal(36);
    warnings.should.deepEqual([
      {
        ...{ code: 'OBJECTS_MISSING', message: '2 models without a connection to the scene were skipped.' },
        skipped: { objects: 2 },
      },
    ]);
  });

  it('rejects older versions', () => {
    const inText = Buffer.from(namedFbxText().toString().replace('FBXVersion: 6100', 'FBXVersion: 5800'));
    const inBinary = namedFbxBinary();
    inBinary.writeUInt32LE(5000, 23);
    for (const bytes of [inText, inBinary]) {
      const error = meshErrorOf(() => parseOwn(bytes, { filename: 'a.fbx' }));
      error.should.match({ code: 'FILE_MALFORMED', message: /FBX: version 5 is not supported\. Save it as FBX 7\./ });
    }
  });

  it('rejects deep nesting, too many instances, and a file without polygons', () => {
    const deep = `a: ${'{ a: '.repeat(100)}`;
    meshErrorOf(() => parse([model({})], deep)).code.should.equal('FILE_MALFORMED');
    const chain = Array.from({ length: 18 }, (_, i) => ({ name: `n${i}`, parent: `n${i - 1}` }));
    const doubled = [...chain, ...chain.slice(1)];
    meshErrorOf(() => parse(doubled)).code.should.equal('TOO_LARGE');
    const inItself = Array.from({ length: 500 }, () => ({ name: 'b', parent: 'b' }));
    const cycle = [{ name: 'a' }, { name: 'b', parent: 'a' }, ...inItself];
    meshErrorOf(() => parse(cycle)).should.match({ code: 'TOO_LARGE', message: /100000 instances/ });
    meshErrorOf(() => parse([{ name: 'empty' }])).code.should.equal('FILE_EMPTY');
  });
});

describe('FBX 7', () => {
  it('may omit the ends of nodes without children', async () => {
    for (const version of [7400, 7500]) {
      const read = await measureFile(binaryFbxBox({ version, omitsEnds: true }), 'a.fbx');
      read.should.match(BOX);
    }
  });
});
