import 'should';
import { BOX_POINTS, BOX_POINTS_Y_UP, BOX_TRIANGLES } from '../files/box.js';
import { GltfBuilder } from '../files/gltf-builder.js';
import { measureFile } from '../measure-file.js';
import { meshErrorOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';

const POINT_COUNT = BOX_POINTS.length;
const SOLID = { shells: 1, level: 'solid', triangles: 12 };
const BOX = [0, 0, 0, 1000, 2000, 3000];
/** The box is 3 m high; y of a file is z of the model. */
const UPPER = BOX_POINTS.map(([, , z]) => z > 0);

function perPoint(values: (isUpper: boolean, point: number) => readonly number[]): number[] {
  return UPPER.flatMap((isUpper, point) => values(isUpper, point));
}
function translationMatrix(x: number, y: number, z: number): number[] {
  return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
}

/** A box, its attributes and what deforms it. */
interface Rig {
  nodes: object[];
  scenes?: object[];
  joints?: Uint8Array | Uint16Array;
  weights?: Float32Array | Uint8Array | Uint16Array;
  isNormalized?: boolean;
  /** More attributes of the primitive. */
  addAttributes?: (builder: GltfBuilder) => object;
  addTargets?: (builder: GltfBuilder) => object[];
  meshWeights?: number[];
  skins?: (builder: GltfBuilder) => object[];
  more?: object;
}

function rigFile({ nodes, scenes, joints, weights, isNormalized, addAttributes, addTargets, ...rest }: Rig): Buffer {
  const builder = new GltfBuilder();
  const primitive = {
    attributes: {
      POSITION: builder.add('VEC3', new Float32Array(BOX_POINTS_Y_UP.flat())),
      ...(joints && { JOINTS_0: builder.add('VEC4', joints) }),
      ...(weights && { WEIGHTS_0: builder.add('VEC4', weights, { normalized: isNormalized }) }),
      ...addAttributes?.(builder),
    },
    indices: builder.add('SCALAR', new Uint16Array(BOX_TRIANGLES.flat())),
    ...(addTargets && { targets: addTargets(builder) }),
  };
  const { meshWeights, skins, more } = rest;
  return builder.toFile({
    ...{ nodes, meshes: [{ primitives: [primitive], ...(meshWeights && { weights: meshWeights }) }] },
    ...(scenes && { scenes, scene: 0 }),
    ...(skins && { skins: skins(builder) }),
    ...more,
  });
}
function read(rig: Rig) {
  return measureFile(rigFile(rig), 'a.gltf');
}

/** All points belong to joint 0. */
const RIGID = {
  joints: new Uint8Array(POINT_COUNT * 4),
  weights: new Float32Array(perPoint(() => [1, 0, 0, 0])),
};
/** The lower points belong to joint 0, the upper ones to joint 1. */
const TWO_JOINTS = {
  joints: new Uint8Array(perPoint((isUpper) => [isUpper ? 1 : 0, 0, 0, 0])),
  weights: RIGID.weights,
};
/** Joint 1 is 1 m above its bind pose. */
const RAISED = [{ mesh: 0, skin: 0, translation: [50, 50, 50] }, { children: [2] }, { translation: [0, 4, 0] }];
function raisedSkins(builder: GltfBuilder): object[] {
  const matrices = new Float32Array([...translationMatrix(0, 0, 0), ...translationMatrix(0, -3, 0)]);
  return [{ joints: [1, 2], inverseBindMatrices: builder.add('MAT4', matrices) }];
}

describe('GltfDeformer', () => {
  describe('with skins', () => {
    it('moves a mesh by its joint, not by its node', async () => {
      const nodes = [{ mesh: 0, skin: 0, translation: [9, 9, 9], scale: [5, 5, 5] }, { translation: [1, 2, 3] }];
      const skins = () => [{ joints: [1] }];
      (await read({ ...RIGID, nodes, skins })).should.match({ ...SOLID, box: [1000, -3000, 2000, 2000, -1000, 5000] });
    });

    it('applies inverse bind matrices before the transforms of joints and of their parents', async () => {
      const nodes = [{ mesh: 0, skin: 0 }, { children: [2], scale: [0.01, 0.01, 0.01] }, { translation: [100, 0, 0] }];
      const skins = (builder: GltfBuilder) => {
        const matrix = [100, 0, 0, 0, 0, 200, 0, 0, 0, 0, 100, 0, 0, 0, 0, 1];
        return [{ joints: [2], inverseBindMatrices: builder.add('MAT4', new Float32Array(matrix)) }];
      };
      (await read({ ...RIGID, nodes, skins })).should.match({ ...SOLID, box: [1000, 0, 0, 2000, 2000, 6000] });
    });

    it('moves each point by its own joints', async () => {
      const measured = await read({ ...TWO_JOINTS, nodes: RAISED, skins: raisedSkins });
      measured.should.match({ ...SOLID, box: [0, 0, 0, 1000, 2000, 4000], warnings: ['ANIMATION_DROPPED'] });
    });

    const HALVES: Record<string, Pick<Required<Rig>, 'weights'> & { isNormalized?: boolean }> = {
      floats: { weights: new Float32Array(perPoint((isUpper) => (isUpper ? [0.5, 0.5, 0, 0] : [1, 0, 0, 0]))) },
      'normalized bytes': {
        weights: new Uint8Array(perPoint((isUpper) => (isUpper ? [100, 100, 0, 0] : [255, 0, 0, 0]))),
        isNormalized: true,
      },
      'normalized words': {
        weights: new Uint16Array(perPoint((isUpper) => (isUpper ? [32767, 32767, 0, 0] : [65535, 0, 0, 0]))),
        isNormalized: true,
      },
      'bytes that are not declared as normalized': {
        weights: new Uint8Array(perPoint((isUpper) => (isUpper ? [128, 128, 0, 0] : [255, 0, 0, 0]))),
      },
      'floats that do not add up to 1': {
        weights: new Float32Array(perPoint((isUpper) => (isUpper ? [3, 3, 0, 0] : [0.25, 0, 0, 0]))),
      },
    };
    for (const [name, more] of Object.entries(HALVES)) {
      it(`takes the mean of two joints by weights that are ${name}`, async () => {
        const joints = new Uint16Array(perPoint(() => [0, 1, 0, 0]));
        const measured = await read({ joints, ...more, nodes: RAISED, skins: raisedSkins });
        measured.should.match({ ...SOLID, box: [0, 0, 0, 1000, 2000, 3500] });
      });
    }

    it('reads a second set of joints', async () => {
      const addAttributes = (builder: GltfBuilder) => ({
        JOINTS_1: builder.add('VEC4', new Uint8Array(perPoint(() => [0, 0, 0, 1]))),
        WEIGHTS_1: builder.add('VEC4', new Float32Array(perPoint((isUpper) => [0, 0, 0, isUpper ? 3 : 0]))),
      });
      (await read({ ...RIGID, nodes: RAISED, skins: raisedSkins, addAttributes })).box.should.deepEqual([
        0, 0, 0, 1000, 2000, 3750,
      ]);
    });

    it('moves a mesh by the skin of each node', async () => {
      const nodes = [
        { mesh: 0, skin: 0 },
        { mesh: 0, skin: 1 },
        { translation: [5, 0, 0] },
        { mesh: 0, translation: [10, 0, 0] },
        { translation: [-5, 0, 0] },
      ];
      const skins = () => [{ joints: [4] }, { joints: [2] }];
      const measured = await read({ ...RIGID, nodes, skins });
      measured.should.match({ shells: 3, level: 'solid', box: [-5000, 0, 0, 11_000, 2000, 3000] });
    });

    it('finds joints outside of the scene', async () => {
      const nodes = [{ mesh: 0, skin: 0 }, { children: [2], translation: [1, 0, 0] }, { translation: [1, 0, 0] }];
      const measured = await read({ ...RIGID, nodes, scenes: [{ nodes: [0] }], skins: () => [{ joints: [2] }] });
      measured.should.match({ ...SOLID, box: [2000, 0, 0, 3000, 2000, 3000] });
    });

    it('keeps triangles outward if the joints mirror them', async () => {
      const nodes = [{ mesh: 0, skin: 0 }, { scale: [-1, 1, 1] }];
      const measured = await read({ ...RIGID, nodes, skins: () => [{ joints: [1] }] });
      measured.should.match({ ...SOLID, box: [-1000, 0, 0, 0, 2000, 3000] });
      const twice = [{ mesh: 0, skin: 0, scale: [-1, 1, 1] }, {}];
      (await read({ ...RIGID, nodes: twice, skins: () => [{ joints: [1] }] })).should.match({ ...SOLID, box: BOX });
    });

    it('moves a point without weights by its first joint', async () => {
      const weights = new Float32Array(POINT_COUNT * 4);
      const measured = await read({ ...TWO_JOINTS, weights, nodes: RAISED, skins: raisedSkins });
      measured.should.match({ ...SOLID, box: [0, 0, 0, 1000, 2000, 4000] });
    });

    it('places a mesh that has no joints by its node', async () => {
      const nodes = [{ mesh: 0, skin: 0, translation: [1, 0, 0] }, { translation: [50, 0, 0] }];
      const measured = await read({ nodes, skins: () => [{ joints: [1] }] });
      measured.should.match({ ...SOLID, box: [1000, 0, 0, 2000, 2000, 3000] });
    });

    it('skips and counts triangles of joints that the skin does not have, unless their weight is 0', async () => {
      const joints = new Uint8Array(perPoint((_, point) => [point === 7 ? 9 : 0, 77, 0, 0]));
      const measured = await read({ ...RIGID, joints, nodes: RAISED, skins: raisedSkins });
      measured.triangles.should.be.within(6, 11);
      measured.warnings.should.deepEqual(['FACES_DROPPED', 'ANIMATION_DROPPED']);
    });

    it('rejects skins that do not match their mesh or their nodes', () => {
      const readFailure = (rig: Omit<Rig, 'nodes'>) =>
        meshErrorOf(() => parseOwn(rigFile({ ...RIGID, nodes: RAISED, ...rig }), { filename: 'a.gltf' })).message;
      readFailure({}).should.containEql('no skin 0');
      readFailure({ skins: () => [{ joints: [7] }] }).should.containEql('node 7 is missing');
      const matrix = new Float32Array(translationMatrix(0, 0, 0));
      readFailure({
        skins: (builder) => [{ joints: [1, 2], inverseBindMatrices: builder.add('MAT4', matrix) }],
      }).should.containEql('fewer inverse bind matrices');
      readFailure({ joints: new Uint8Array(4), skins: raisedSkins }).should.containEql('1 elements for 8 points');
    });
  });

  describe('with morph targets', () => {
    const node = { mesh: 0 };
    const raise = new Float32Array(perPoint((isUpper) => [0, isUpper ? 2 : 0, 0]));
    const widen = new Float32Array(BOX_POINTS.flatMap(([x]) => [x, 0, 0]));
    const addTargets = (builder: GltfBuilder) =>
      [raise, widen].map((values) => ({ POSITION: builder.add('VEC3', values) }));

    it('moves points by the weights of the mesh', async () => {
      const measured = await read({ nodes: [node], addTargets, meshWeights: [0.5, 0.25] });
      measured.should.match({ ...SOLID, box: [0, 0, 0, 1250, 2000, 4000], warnings: ['ANIMATION_DROPPED'] });
    });

    it('prefers the weights of the node, and uses none without weights', async () => {
      const rig = { addTargets, meshWeights: [0.5, 0.5] };
      (await read({ ...rig, nodes: [{ ...node, weights: [1] }] })).box.should.deepEqual([0, 0, 0, 1000, 2000, 5000]);
      (await read({ ...rig, nodes: [{ ...node, weights: [0, 0] }] })).box.should.deepEqual(BOX);
      (await read({ nodes: [node], addTargets })).box.should.deepEqual(BOX);
      const nodes = [node, { ...node, weights: [0, 1], translation: [9, 0, 0] }];
      (await read({ nodes, addTargets, meshWeights: [1, 0] })).should.match({
        shells: 2,
        box: [0, 0, 0, 11_000, 2000, 5000],
      });
    });

    it('reads sparse and quantized targets, and targets without positions', async () => {
      const sparse = (builder: GltfBuilder) => {
        const upper = [...BOX_POINTS.keys()].filter((point) => UPPER[point]);
        const indices = { bufferView: builder.addView(new Uint16Array(upper)), componentType: 5123 };
        const values = { bufferView: builder.addView(new Float32Array(upper.flatMap(() => [0, 2, 0]))) };
        return builder.addAccessor({
          ...{ componentType: 5126, count: POINT_COUNT, type: 'VEC3' },
          sparse: { count: upper.length, indices, values },
        });
      };
      const quantized = (builder: GltfBuilder) =>
        builder.add('VEC3', new Int8Array(BOX_POINTS.flatMap(([x]) => [x * 127, 0, 0])), { normalized: true });
      const measured = await read({
        nodes: [node],
        addTargets: (builder) => [{ POSITION: sparse(builder) }, { NORMAL: 0 }, { POSITION: quantized(builder) }],
        meshWeights: [1, 1, 1],
        more: { extensionsUsed: ['KHR_mesh_quantization'], extensionsRequired: ['KHR_mesh_quantization'] },
      });
      measured.should.match({ ...SOLID, box: [0, 0, 0, 2000, 2000, 5000] });
    });

    it('moves the points of a primitive that uses some of a shared list', async () => {
      const builder = new GltfBuilder();
      const shift = [[9, 9, 9], ...Array.from({ length: 40 }, () => [7, 7, 7])];
      const attributes = { POSITION: builder.add('VEC3', new Float32Array([...shift, ...BOX_POINTS_Y_UP].flat())) };
      const targets = [
        { POSITION: builder.add('VEC3', new Float32Array([...shift.flatMap(() => [1, 1, 1]), ...widen])) },
      ];
      const corners = BOX_TRIANGLES.flat().map((corner = 0) => corner + shift.length);
      const primitives = [{ attributes, targets, indices: builder.add('SCALAR', new Uint16Array(corners)) }];
      const file = builder.toFile({ nodes: [node], meshes: [{ primitives, weights: [1] }] });
      (await measureFile(file, 'a.gltf')).should.match({ ...SOLID, box: [0, 0, 0, 2000, 2000, 3000] });
    });

    it('moves points by morph targets before joints do', async () => {
      const rig = { ...TWO_JOINTS, nodes: RAISED, skins: raisedSkins, addTargets, meshWeights: [1, 1] };
      (await read(rig)).should.match({ ...SOLID, box: [0, 0, 0, 2000, 2000, 6000] });
    });

    it('rejects targets of another length, and too much work before it is done', () => {
      const readFailure = (rig: Partial<Rig>) =>
        meshErrorOf(() => parseOwn(rigFile({ nodes: [node], ...rig }), { filename: 'a.gltf' }));
      const short = (builder: GltfBuilder) => [{ POSITION: builder.add('VEC3', raise.subarray(3)) }];
      readFailure({ addTargets: short, meshWeights: [1] }).message.should.containEql('7 elements for 8 points');
      const count = 2 ** 18;
      const builder = new GltfBuilder();
      const empty = builder.addAccessor({ componentType: 5126, count, type: 'VEC3' });
      const targets = Array.from({ length: 513 }, () => ({ POSITION: empty }));
      const primitives = [{ attributes: { POSITION: empty }, targets }];
      const bomb = builder.toFile({ nodes: [node], meshes: [{ primitives, weights: targets.map(() => 1) }] });
      meshErrorOf(() => parseOwn(bomb, { filename: 'a.gltf' })).should.match({ code: 'TOO_LARGE', message: /morph/ });
    });
  });
});
