import 'should';
import { analyze } from '../../../../src/mesh/analysis/analyze.js';
import { loadAssimp } from '../../../../src/mesh/formats/assimp/load-assimp.js';
import type { ParsedModel } from '../../../../src/mesh/formats/format.js';
import { yUpToZUp } from '../../../../src/mesh/formats/reading/affine-transform.js';
import { serializeModel } from '../../../../src/mesh/formats/serialize-model.js';
import { computeBounds } from '../../../../src/mesh/geometry/bounds.js';
import { makeTorus } from '../../models/torus.js';
import { BOX_FACES, BOX_POINTS_Y_UP, BOX_TRIANGLES } from '../files/box.js';
import { boxGeometry, MATRIX, source, VERTEX } from '../files/collada-skin.js';
import { GltfBuilder } from '../files/gltf-builder.js';
import { riggedGltf } from '../files/rigged-gltf.js';
import { colladaBox } from '../files/scenes.js';
import { rejectionOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

/** Returns a glTF of the box below nodes, as a list or as strips. */
function gltfScene(nodes: readonly object[], mode: 'list' | 'strips' = 'list'): Buffer {
  const builder = new GltfBuilder();
  const attributes = { POSITION: builder.add('VEC3', new Float32Array(BOX_POINTS_Y_UP.flat())) };
  const strips = BOX_FACES.map(([a, b, c, d]) => [a, b, d, c]);
  const lists = mode === 'list' ? [BOX_TRIANGLES.flat()] : strips;
  const primitives = lists.map((corners) => ({
    ...{ attributes, mode: mode === 'list' ? 4 : 5 },
    indices: builder.add('SCALAR', Uint16Array.from(corners as number[])),
  })); // no corner is undefined
  return builder.toFile({ scene: 0, scenes: [{ nodes: [0] }], nodes, meshes: [{ primitives }] });
}

/** Returns a Collada file in cm of the box with these primitives and node. */
function colladaScene(primitives: string, upAxis: string, transforms = ''): Buffer {
  return Buffer.from(`<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>${upAxis}</up_axis></asset>
<library_geometries>${boxGeometry('g', primitives).replace('stride="3">', 'stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>')}</library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n">${transforms}<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`);
}

const toP = (face: readonly number[]): string => `<p>${face.join(' ')}</p>`;
const POLYGONS = `<polygons count="6">${VERTEX}${BOX_FACES.map(toP).join('')}</polygons>`;
const TRIANGLES = `<triangles count="12">${VERTEX}${toP(BOX_TRIANGLES.flat() as number[])}</triangles>`; // none is undefined
const FANS = `<trifans count="6">${VERTEX}${BOX_FACES.map(toP).join('')}</trifans>`;

/** name → a file that both readers read alike */
const SAMPLES: Record<string, { extension: 'glb' | 'gltf' | 'dae'; bytes: Buffer }> = {
  'a GLB': { extension: 'glb', bytes: Buffer.concat([...serializeModel(makeTorus(), 'glb')]) },
  'a glTF with nested nodes': {
    extension: 'gltf',
    bytes: gltfScene([
      { children: [1, 2], translation: [1, 2, 3], rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2] },
      { mesh: 0, scale: [2, 1, 1] },
      { mesh: 0, matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 9, 0, 0, 1] },
    ]),
  },
  'a mirrored glTF': { extension: 'gltf', bytes: gltfScene([{ mesh: 0, scale: [-1, 1, 1] }]) },
  'a glTF of strips': { extension: 'gltf', bytes: gltfScene([{ mesh: 0 }], 'strips') },
  'a Collada file in inches': { extension: 'dae', bytes: colladaBox(0.0254) },
  'a mirrored Collada file': { extension: 'dae', bytes: colladaBox(0.001, { isMirrored: true }) },
  'a Collada file of polygons, Z up': { extension: 'dae', bytes: colladaScene(POLYGONS, 'Z_UP') },
  'a Collada file of triangles, Y up': { extension: 'dae', bytes: colladaScene(TRIANGLES, 'Y_UP') },
  'a Collada file of fans': { extension: 'dae', bytes: colladaScene(FANS, 'Z_UP') },
  'a Collada file with transforms': {
    extension: 'dae',
    bytes: colladaScene(POLYGONS, 'Z_UP', '<translate>5 6 7</translate><rotate>0 0 1 90</rotate><scale>1 2 3</scale>'),
  },
};

async function readByAssimp(bytes: Buffer, extension: string): Promise<ParsedModel> {
  const read = await loadAssimp({ name: extension, extension, signature: /^/, transform: () => yUpToZUp(1000) });
  return read(bytes, undefined, { unitInMm: 1 });
}

function measure({ mesh }: Pick<ParsedModel, 'mesh'>) {
  const { min, max } = computeBounds(mesh.positions);
  const round = (value: number): number => Math.round(value * 1e3) / 1e3 + 0;
  const volume = Math.round(analyze(mesh).volumeMm3);
  return { box: [...min, ...max].map(round), triangles: mesh.triangles.length / 3, volume };
}

describe('readers of glTF and Collada, compared with assimp', () => {
  for (const [name, { extension, bytes }] of Object.entries(SAMPLES)) {
    it(`give ${name} the same box, triangles and volume`, async () => {
      const own = measure(parseOwn(bytes, { filename: `a.${extension}` }));
      own.triangles.should.be.above(0);
      // assimp computes with seven digits.
      const { box, triangles, volume } = measure(await readByAssimp(bytes, extension));
      for (const [i, value] of box.entries()) value.should.be.approximately(own.box[i] ?? Number.NaN, 0.002);
      triangles.should.equal(own.triangles);
      (volume / own.volume).should.be.approximately(1, 1e-5);
    });
  }

  it('differ in skins, morph targets and instances of a glTF, which assimp ignores', async () => {
    const byAssimp = measure(await readByAssimp(riggedGltf(), 'gltf'));
    byAssimp.should.match({ box: [0, 0, 0, 1000, 2000, 3000], triangles: 24 });
    measure(parseOwn(riggedGltf(), { filename: 'a.gltf' })).triangles.should.equal(48);
  });

  it('differ in skins of Collada, which assimp places by their node', async () => {
    const skin = `<library_controllers><controller id="c"><skin source="#g"><bind_shape_matrix>2 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>
${named('cj', 'Name_array', 'rig', 'JOINT', 'name')}${named('cb', 'float_array', MATRIX, 'TRANSFORM', 'float4x4')}${named('cw', 'float_array', '1', 'WEIGHT', 'float')}
<joints><input semantic="JOINT" source="#cj"/><input semantic="INV_BIND_MATRIX" source="#cb"/></joints>
<vertex_weights count="8"><input semantic="JOINT" source="#cj" offset="0"/><input semantic="WEIGHT" source="#cw" offset="1"/>
<vcount>1 1 1 1 1 1 1 1</vcount><v>${'0 0 '.repeat(8)}</v></vertex_weights></skin></controller></library_controllers>`;
    const rig = '<node id="rig" sid="rig" type="JOINT"><translate>0 0 7</translate></node>';
    const text = colladaScene(TRIANGLES, 'Z_UP')
      .toString()
      .replace('<library_visual', `${skin}<library_visual`)
      .replace('<node', `${rig}<node`)
      .replace(
        /<instance_geometry.*?>/,
        '<instance_controller url="#c"><skeleton>#rig</skeleton></instance_controller>',
      );
    const file = Buffer.from(text);
    measure(parseOwn(file, { filename: 'a.dae' })).box.should.deepEqual([0, 0, 70, 20, 20, 100]);
    measure(await readByAssimp(file, 'dae')).box.should.deepEqual([0, 0, 0, 10, 20, 30]);
  });

  it('differ in polygons with holes of Collada, which assimp refuses', async () => {
    const withHole = POLYGONS.replace(toP(BOX_FACES[0] ?? []), '<ph><p>0 3 2 1</p><h>4 5 6</h></ph>');
    const file = colladaScene(withHole, 'Z_UP');
    parseOwn(file, { filename: 'a.dae' }).mesh.triangles.length.should.be.above(0);
    (await rejectionOf(readByAssimp(file, 'dae'))).code.should.equal('FILE_MALFORMED');
  });
});

/** Returns a source of one element whose parameter has a name, as assimp requires. */
function named(id: string, array: string, values: string, parameter: string, type: string): string {
  return source(id, array, values, values.split(' ').length, `<param name="${parameter}" type="${type}"/>`);
}
