import 'should';
import { BOX_FACES, BOX_POINTS } from '../files/box.js';
import { boxGeometry, colladaSkin, MATRIX, type SkinParts, source, VERTEX } from '../files/collada-skin.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';

const SOLID = { shells: 1, level: 'solid', triangles: 12 };
const BOX = [0, 0, 0, 1, 2, 3];
/** The box with its upper side raised by 1 mm. */
const RAISED = { ...SOLID, box: [0, 0, 0, 1, 2, 4], warnings: ['ANIMATION_DROPPED'] };
const CONTROLLER =
  '<node id="n" name="lid"><instance_controller url="#c"><skeleton>#rig</skeleton></instance_controller></node>';
const RIG =
  '<node id="rig" type="JOINT"><node sid="lower" type="JOINT"><node sid="upper" type="JOINT"><translate>0 0 1</translate></node></node></node>';
const NODES = RIG + CONTROLLER;

function read(parts: Partial<SkinParts> = {}) {
  return measureFile(colladaSkin({ nodes: NODES, ...parts }), 'a.dae');
}
function translation(x: number, y: number, z: number): string {
  return `1 0 0 ${x} 0 1 0 ${y} 0 0 1 ${z} 0 0 0 1`;
}

describe('ColladaControllers', () => {
  describe('with skins', () => {
    it('moves each point by its joint, whatever the node of the skin is', async () => {
      (await read()).should.match({ ...RAISED, names: ['lid'] });
      const moved = CONTROLLER.replace('<instance', '<scale>9 9 9</scale><translate>5 5 5</translate><instance');
      (await read({ nodes: RIG + moved })).should.match(RAISED);
      (await read({ nodes: CONTROLLER + RIG })).should.match(RAISED);
    });

    it('applies the bind shape, then inverse bind matrices, then joints, unit and axes', async () => {
      const bindShape = '<bind_shape_matrix>2 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>';
      const inverseBinds = [translation(0, 0, 5), translation(-2, 0, 5)];
      (await read({ bindShape, inverseBinds })).box.should.deepEqual([-2, 0, 5, 2, 2, 9]);
      const asset = '<unit meter="0.01"/><up_axis>Y_UP</up_axis>';
      (await read({ asset })).should.match({ ...SOLID, box: [0, -40, 0, 10, 0, 20] });
      (await read({ bindShape: '' })).should.match(RAISED);
    });

    it('finds inverse bind matrices by the names of joints, in any order', async () => {
      const parts = { boundJoints: 'upper lower', inverseBinds: [translation(0, 0, 3), MATRIX] };
      (await read(parts)).box.should.deepEqual([0, 0, 0, 1, 2, 7]);
    });

    const NAMES: Record<string, Partial<SkinParts>> = {
      'ids in an IDREF_array': { jointArray: 'IDREF_array', nodes: NODES.replaceAll('sid=', 'id=') },
      'ids in a Name_array': { nodes: NODES.replaceAll('sid=', 'id=') },
      'addresses in a SIDREF_array': { jointArray: 'SIDREF_array', joints: 'rig/lower rig/lower/upper' },
      'names of nodes': { nodes: NODES.replaceAll('sid=', 'name=') },
      'sids of nodes outside of the skeleton': {
        nodes: NODES.replace('>#rig<', '>#other<').replace(RIG, `${RIG}<node id="other"/>`),
      },
      'sids, without a skeleton': { nodes: NODES.replace('<skeleton>#rig</skeleton>', '') },
      'sids of the skeleton itself': {
        nodes: NODES.replace('id="rig"', 'id="rig" sid="lower"').replace('<node sid="lower"', '<node'),
      },
      'sids below the second skeleton': {
        nodes: NODES.replace('<skeleton>', '<skeleton>#empty</skeleton><skeleton> ').replace(
          RIG,
          `<node id="empty"/>${RIG}`,
        ),
      },
    };
    for (const [name, parts] of Object.entries(NAMES)) {
      it(`finds joints by ${name}`, async () => {
        (await read(parts)).should.match(RAISED);
      });
    }

    it('prefers joints below its skeleton to others with equal sids', async () => {
      const other = RIG.replace('"rig"', '"other"').replace('0 0 1', '0 0 50');
      (await read({ nodes: other + NODES })).should.match(RAISED);
      const second = CONTROLLER.replace('#rig', '#other').replace('"n"', '"m"');
      const two = await read({
        nodes: other.replace('<node sid', '<translate>9 0 0</translate><node sid') + NODES + second,
      });
      two.should.match({ shells: 2, box: [0, 0, 0, 10, 2, 53] });
    });

    it('reads joints that are instances of library nodes', async () => {
      const libraries = `<library_nodes>${RIG}</library_nodes>`;
      const nodes = `<node><translate>10 0 0</translate><instance_node url="#rig"/></node>${CONTROLLER}`;
      (await read({ libraries, nodes })).should.match({ ...SOLID, box: [10, 0, 0, 11, 2, 4] });
    });

    it('moves each instance of a rig by its own joints', async () => {
      const libraries = `<library_nodes><node id="figure">${NODES}</node></library_nodes>`;
      const nodes = [0, 10]
        .map((x) => `<node><translate>${x} 0 0</translate><instance_node url="#figure"/></node>`)
        .join('');
      (await read({ libraries, nodes })).should.match({ shells: 2, level: 'solid', box: [0, 0, 0, 11, 2, 4] });
    });

    const WEIGHTS: Record<string, { parts: Partial<SkinParts>; height: number }> = {
      'several joints': {
        parts: { weights: '0.5 0.25', vcount: '3 '.repeat(8), v: '0 0 0 1 1 1 '.repeat(8) },
        height: 3.25,
      },
      'weights that do not add up to 1': {
        parts: { weights: '3', vcount: '2 '.repeat(8), v: '0 0 1 0 '.repeat(8) },
        height: 3.5,
      },
      'joint -1, the bind shape': { parts: { v: BOX_POINTS.map(() => '-1 0').join(' ') }, height: 3 },
      'no joints at some points': { parts: { vcount: '0 '.repeat(8), v: '' }, height: 3 },
      'fewer counts than points': { parts: { vcount: '1 1 1 1', v: '0 0 0 0 0 0 0 0' }, height: 3 },
      'weights of 0': { parts: { weights: '0' }, height: 3 },
      'decimal commas': { parts: { weights: '0,5 0,5', vcount: '2 '.repeat(8), v: '0 0 1 1 '.repeat(8) }, height: 3.5 },
    };
    for (const [name, { parts, height }] of Object.entries(WEIGHTS)) {
      it(`reads ${name}`, async () => {
        const { box, level } = await read(parts);
        level.should.equal('solid');
        (box[5] ?? 0).should.be.approximately(height, 1e-9);
      });
    }

    it('skips and counts faces of joints and weights that do not exist', async () => {
      for (const v of ['0 0 '.repeat(7), `${'0 0 '.repeat(7)}9 0`, `${'0 0 '.repeat(7)}0 9`])
        (await read({ v })).warnings.should.deepEqual(['FACES_DROPPED', 'ANIMATION_DROPPED']);
    });

    it('leaves points in the bind shape whose joint does not exist, and warns', async () => {
      const measured = await read({ nodes: NODES.replace('"upper"', '"top"') });
      measured.should.match({ ...SOLID, box: BOX, warnings: ['OBJECTS_MISSING', 'ANIMATION_DROPPED'] });
    });

    it('keeps triangles outward if the joints mirror them', async () => {
      const nodes = NODES.replace('type="JOINT">', 'type="JOINT"><scale>-1 1 1</scale>');
      (await read({ nodes })).should.match({ ...SOLID, box: [-1, 0, 0, 0, 2, 4] });
    });

    const strips = BOX_FACES.map(([a, b, c, d]) => `<p>${[a, b, d, c].join(' ')}</p>`).join('');
    const PRIMITIVES: Record<string, string> = {
      polygons: `<polygons>${VERTEX}${BOX_FACES.map((face) => `<p>${face.join(' ')}</p>`).join('')}</polygons>`,
      tristrips: `<tristrips>${VERTEX}${strips}</tristrips>`,
      'two primitives': [BOX_FACES.slice(0, 2), BOX_FACES.slice(2)]
        .map((faces) => `<polygons>${VERTEX}${faces.map((face) => `<p>${face.join(' ')}</p>`).join('')}</polygons>`)
        .join(''),
    };
    for (const [name, primitives] of Object.entries(PRIMITIVES)) {
      it(`reads a skin of ${name}`, async () => {
        (await read({ primitives })).should.match(RAISED);
      });
    }
  });

  describe('with morph targets', () => {
    const wide = boxGeometry('wide', '', ([x = 0, y = 0, z = 0]) => [x * 3, y, z]);
    const high = boxGeometry('high', '', ([x = 0, y = 0, z = 0]) => [x, y, z * 2]);
    const morph = (weights: string, method = '', base = '#g', targets = 'wide high') =>
      `<controller id="m"><morph source="${base}" ${method}>${source('mt', 'IDREF_array', targets, 1)}${source('mw', 'float_array', weights, 1)}
<targets><input semantic="MORPH_TARGET" source="#mt"/><input semantic="MORPH_WEIGHT" source="#mw"/></targets></morph></controller>`;
    const geometries = wide + high;
    const nodes = '<node><instance_controller url="#m"/></node>';

    it('blends targets by their weights, normalized', async () => {
      const box = async (weights: string) => (await read({ geometries, controllers: morph(weights), nodes })).box;
      (await box('0 0')).should.deepEqual(BOX);
      (await box('1 0')).should.deepEqual([0, 0, 0, 3, 2, 3]);
      (await box('0.5 0.5')).should.deepEqual([0, 0, 0, 2, 2, 4.5]);
    });

    it('adds relative targets', async () => {
      const controllers = morph('0.5 1', 'method="RELATIVE"');
      (await read({ geometries, controllers, nodes })).box.should.deepEqual([0, 0, 0, 3.5, 5, 10.5]);
    });

    it('blends targets below a skin, and above one', async () => {
      const below = { geometries, controllers: morph('1 0'), skinned: '#m' };
      (await read(below)).should.match({ ...SOLID, box: [0, 0, 0, 3, 2, 4] });
      const above = { geometries, controllers: morph('1 0', '', '#c'), nodes: NODES.replace('"#c"', '"#m"') };
      (await read(above)).should.match({ ...SOLID, box: [0, 0, 0, 3, 2, 4] });
    });

    it('skips targets that do not exist, and warns', async () => {
      const parts = { geometries, controllers: morph('1 1', '', '#g', 'none high'), nodes };
      (await read(parts)).should.match({ box: [0, 0, 0, 1, 2, 6], warnings: ['OBJECTS_MISSING', 'ANIMATION_DROPPED'] });
    });
  });

  it('rejects too much work before it is done', async () => {
    const libraries = `<library_nodes><node id="figure">${NODES}</node></library_nodes>`;
    const joints = Array.from({ length: 3000 }, () => 'upper').join(' ');
    const nodes = `<node>${'<instance_node url="#figure"/>'.repeat(200)}</node>`;
    const rejection = await rejectionOf(read({ libraries, nodes, joints, v: '0 0 '.repeat(8) }));
    rejection.should.match({ code: 'TOO_LARGE', message: /skins and morph targets/ });
  });
});
