import 'should';
import { groupAc3dTransforms } from '../../../../src/mesh/formats/assimp/ac3d-transforms.js';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { BOX_FACES } from '../files/box.js';

/** A box of 1 × 2 × 3 at the origin, in the coordinates of the file, with Y up. */
const POINTS = [0, 3].flatMap((z) => [`0 0 ${z}`, `1 0 ${z}`, `1 2 ${z}`, `0 2 ${z}`]);
const SURFACES = BOX_FACES.map(
  (face) => `SURF 0x0\nmat 0\nrefs 4\n${face.map((corner) => `${corner} 0 0`).join('\n')}`,
);
/** x' = y, y' = -x. */
const TURN = 'rot 0 1 0 -1 0 0 0 0 1';

interface AcObject {
  name?: string;
  /** Lines of the object. */
  lines?: string[];
  isGroup?: boolean;
  kids?: AcObject[];
}
function serialize({ name, lines = [], isGroup = false, kids = [] }: AcObject): string {
  const geometry = isGroup ? [] : ['numvert 8', ...POINTS, 'numsurf 6', ...SURFACES];
  const head = [`OBJECT ${isGroup ? 'group' : 'poly'}`, ...(name ? [`name "${name}"`] : []), ...lines, ...geometry];
  return [...head, `kids ${kids.length}`, ...kids.map(serialize)].join('\n');
}
function serializeScene(objects: readonly AcObject[]): string {
  const material = 'MATERIAL "" rgb 1 1 1  amb 1 1 1  emis 0 0 0  spec 0 0 0  shi 10  trans 0';
  return ['AC3Db', material, 'OBJECT world', `kids ${objects.length}`, ...objects.map(serialize), ''].join('\n');
}

/** Returns the box of each object as `min x y z, max x y z` in the coordinates of the file. */
async function readBoxes(text: string): Promise<Record<string, string>> {
  const { mesh } = await parseModel(Buffer.from(text), { filename: 'a.ac' });
  const all = mesh.objects ?? [{ name: '', firstTriangle: 0, triangleCount: mesh.triangles.length / 3 }];
  const entries = all.map(({ name, firstTriangle, triangleCount }) => {
    const vertices = [...mesh.triangles.subarray(firstTriangle * 3, (firstTriangle + triangleCount) * 3)];
    const [x = [], y = [], z = []] = [0, 2, 1].map((axis) =>
      vertices.map(
        (vertex) => Math.round((axis === 1 ? -1 : 1) * (mesh.positions[vertex * 3 + axis] ?? 0) * 1e4) / 1e4 + 0,
      ),
    );
    const corner = (pick: (...values: number[]) => number) => [x, y, z].map((values) => pick(...values)).join(' ');
    return [name, `${corner(Math.min)}, ${corner(Math.max)}`];
  });
  return Object.fromEntries(entries);
}

const SCENES: Record<string, { objects: AcObject[]; boxes: Record<string, string> }> = {
  'moves a rotated object by its loc as it is, in any order of the lines': {
    objects: [
      { name: 'a', lines: [TURN, 'loc 10 0 0'] },
      { name: 'b', lines: ['loc 10 0 5', TURN] },
    ],
    boxes: { a: '10 -1 0, 12 0 3', b: '10 -1 5, 12 0 8' },
  },
  'moves and rotates kids with their parent': {
    objects: [
      { name: 'a', lines: ['loc 10 0 0'], kids: [{ name: 'b', lines: ['loc 0 20 0'] }, { name: 'c' }] },
      { name: 'd', lines: [TURN], kids: [{ name: 'e', lines: ['loc 0 20 0'] }] },
      { name: 'f' },
    ],
    boxes: {
      a: '10 0 0, 11 2 3',
      b: '10 20 0, 11 22 3',
      c: '10 0 0, 11 2 3',
      d: '0 -1 0, 2 0 3',
      e: '20 -1 0, 22 0 3',
      f: '0 0 0, 1 2 3',
    },
  },
  'nests transforms of objects and groups': {
    objects: [
      {
        isGroup: true,
        lines: ['loc 100 0 0', TURN],
        kids: [
          { name: 'a', lines: [TURN, 'loc 0 20 0'], kids: [{ name: 'b', lines: ['loc 1 0 0'] }] },
          { name: 'c', lines: ['loc 0 0 50'] },
        ],
      },
    ],
    boxes: { a: '119 -2 0, 120 0 3', b: '118 -2 0, 119 0 3', c: '100 -1 50, 102 0 53' },
  },
  'ignores the data of an object': {
    objects: [
      { name: 'a', lines: ['data 23', 'OBJECT poly', 'loc 10 0 0', '', 'loc 5 0 0'] },
      { name: 'b', lines: ['loc 0 5 0', 'data 3', 'abc'] },
    ],
    boxes: { a: '5 0 0, 6 2 3', b: '0 5 0, 1 7 3' },
  },
};

describe('groupAc3dTransforms', () => {
  for (const [name, { objects, boxes }] of Object.entries(SCENES)) {
    it(name, async () => {
      const text = serializeScene(objects);
      (await readBoxes(text)).should.deepEqual(boxes);
      if (!text.includes('data')) (await readBoxes(text.replaceAll('\n', '\r\n'))).should.deepEqual(boxes);
    });
  }

  it('returns a file whose transforms assimp applies correctly unchanged', () => {
    const kids = [{ name: 'loc' }, { lines: ['loc 1 2 3'] }, { lines: [TURN], kids: [{ lines: [TURN] }] }];
    const bytes = Buffer.from(serializeScene([{ isGroup: true, lines: ['loc 1 2 3', TURN], kids }]));
    groupAc3dTransforms(bytes).should.equal(bytes);
  });

  it('takes any text', () => {
    for (const text of [
      '',
      'kids 3',
      'OBJECT poly\nloc 1 2 3',
      'OBJECT poly\nloc\nkids x',
      'OBJECT poly\ndata 1e99\nkids 0',
    ])
      groupAc3dTransforms(Buffer.from(text)).should.be.an.instanceOf(Uint8Array);
  });
});
